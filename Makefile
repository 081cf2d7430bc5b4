# Everything runs in .venv under this folder, so neither HOME nor an active virtualenv matters.
# `make PYTHON=/path/to/python3.12 demo` chooses the interpreter that the .venv is made with.

PYTHON ?=
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install -qq --disable-pip-version-check
PYTEST := $(PY) -m pytest
PYTEST_ARGS ?=
BENCH ?=

unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-slow check sources bench format clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name what; do \
	  printf '  make %-10s %s\n' "$$name" "$$what"; done

demo: $(VENV)/installed ## find the wedge of the founding case in specs/nixl.py
	$(VENV)/bin/pdspec check specs/nixl.py

check: $(VENV)/installed-dev ## formatter, linter and types
	$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m mypy --strict

test: check ## formatter, linter, types and every test that is not slow
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-slow: $(VENV)/installed-dev ## the tests that take long
	$(PYTEST) -m slow $(PYTEST_ARGS)

sources: $(VENV)/installed-dev ## fetch the connector releases that some tests read
	$(PY) tests/sources/fetch.py

bench: $(VENV)/installed ## measure pdspec against its peers (see bench/README.md)
	$(PY) -m bench.run $(BENCH)

format: $(VENV)/installed-dev ## rewrite the files as the formatter and the linter want them
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

clean: ## remove everything that can be made again
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An interpreter that is found may still not run (a version manager's shim) or lack venv, so each is tried.
$(PY):
	@for python in $(PYTHON) $(if $(PYTHON),,python3.13 python3.12 python3.11 python3); do \
	  if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "making $(VENV) with $$("$$python" --version)"; \
	    exec "$$python" -m venv $(VENV); \
	  fi; \
	done; \
	echo "pdspec needs Python 3.11 or newer with the venv module: set PYTHON=/path/to/python3" >&2; exit 1

$(VENV)/installed: pyproject.toml | $(PY)
	@$(PIP) -e .
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(PY)
	@$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/installed
