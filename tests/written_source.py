"""Small source folders for tests, and what is found in them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pdspec.errors import SpecError
from pdspec.lift.find import FoundFunction, find_function


def package(root: Path, files: dict[str, str]) -> Path:
    for name, code in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(code), encoding="utf-8")
    return root


def one_file(root: Path, code: str) -> Path:
    return package(root, {"m.py": code})


def place(found: FoundFunction) -> str:
    return f"{found.file}:{found.node.lineno}"


def refusal(source: Path, reference: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        find_function(source, reference)
    return caught.value


BASE = """\
    class Base:
        def run(self):
            return "base"
"""
