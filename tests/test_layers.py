"""The layers of pdspec, as data, and the imports that cross them.

A unit is a top-level module or subpackage of pdspec. Every import counts, wherever it stands: inside a function, under
`TYPE_CHECKING`, or as the constant argument of `import_module`. A unit without a row fails, so that a new one is placed
by decision.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Row:
    """What the units of one layer may import beside the standard library."""

    units: frozenset[str]
    packages: frozenset[str]


def row(units: str = "", packages: str = "") -> Row:
    return Row(frozenset(units.split()), frozenset(packages.split()))


BASE = "errors source"
ANSWERS = f"{BASE} model trace verdict"
LANGUAGE = f"{ANSWERS} lang lift"
ENGINES = f"{LANGUAGE} semantics explicit symbolic"

TABLE: dict[str, Row] = {
    "source": row(),
    "errors": row("source"),
    "model": row(BASE),
    "trace": row("source model"),
    "verdict": row("source model trace"),
    "lang": row(f"{BASE} model"),
    "lift": row(f"{BASE} model lang"),
    "semantics": row(f"{ANSWERS} lang"),
    "explicit": row("model trace verdict", "networkx"),
    "symbolic": row("model trace verdict", "z3"),
    "check": row(ENGINES),
    "conform": row(f"{ENGINES} check"),
    "report": row(ANSWERS),
    "cli": row(f"{ENGINES} check conform report __init__", "click"),
    "__init__": row(LANGUAGE),
    "__main__": row("cli"),
}

LOADED_WHEN_USED = ("z3", "networkx", "jinja2")


def test_no_module_imports_what_its_layer_forbids() -> None:
    found = list(violations(CHECKOUT / "pdspec"))

    assert found == []


def test_the_layers_have_no_cycle() -> None:
    graph = unit_graph(CHECKOUT / "pdspec")

    assert {"model", "lang", "cli"} <= graph.keys()
    assert cycle(graph) is None


@pytest.mark.parametrize(
    ("file", "code", "reason"),
    [
        ("model/expr.py", "import z3", "model may not import z3"),
        ("explicit/search.py", "import z3.z3util", "explicit may not import z3"),
        ("symbolic/encode.py", "import networkx as nx", "symbolic may not import networkx"),
        ("report/terminal.py", "from click import echo", "report may not import click"),
        ("report/terminal.py", "import jinja2", "report may not import jinja2"),
        ("explicit/search.py", "from pdspec.lang import Spec", "explicit may not import pdspec.lang"),
        ("explicit/search.py", "from pdspec.symbolic.bmc import bmc", "explicit may not import pdspec.symbolic"),
        ("explicit/search.py", "from pdspec import semantics", "explicit may not import pdspec.semantics"),
        ("explicit/search.py", "from .. import semantics", "explicit may not import pdspec.semantics"),
        ("explicit/deep/search.py", "from ...lang.spec import Spec", "explicit may not import pdspec.lang"),
        ("explicit/__init__.py", "from ..lang import Spec", "explicit may not import pdspec.lang"),
        ("trace.py", "from .report import FORMATS", "trace may not import pdspec.report"),
        ("check/ask.py", "def f():\n    from pdspec.cli import main", "check may not import pdspec.cli"),
        (
            "lang/tracer.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pdspec.explicit import explore",
            "lang may not import pdspec.explicit",
        ),
        ("model/expr.py", "try:\n    import z3\nexcept ImportError:\n    pass", "model may not import z3"),
        ("check/ask.py", "import importlib\nimportlib.import_module('z3')", "check may not import z3"),
        ("check/ask.py", "z3 = __import__('z3')", "check may not import z3"),
        ("model/expr.py", "import pdspec", "model may not import pdspec.__init__"),
        ("model/expr.py", "from pdspec import Spec", "model may not import pdspec.__init__"),
        ("lang/load.py", "from pdspec import *", "lang may not import pdspec.__init__"),
        ("lang/load.py", "import pdspec.cli", "lang may not import pdspec.cli"),
        ("helpers.py", "import os", "no row in the table of layers"),
        ("helpers/text.py", "", "no row in the table of layers"),
        ("explicit/search.py", "print('found')", "only cli prints or exits"),
        ("explicit/search.py", "import sys\ndef stop():\n    sys.exit(1)", "only cli prints or exits"),
        ("check/ask.py", "def stop():\n    raise SystemExit(1)", "only cli prints or exits"),
    ],
)
def test_a_forbidden_import_is_found_and_named(tmp_path: Path, file: str, code: str, reason: str) -> None:
    root = planted(tmp_path, {file: code})

    found = list(violations(root))

    assert len(found) == 1
    assert found[0].startswith(f"pdspec/{file}:")
    assert reason in found[0]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("model/expr.py", "import os.path\nfrom collections import abc\nfrom __future__ import annotations"),
        ("model/expr.py", "from pdspec.errors import SpecError\nfrom . import tree\nfrom .tree import leaf"),
        ("symbolic/encode.py", "def solve():\n    import z3"),
        ("explicit/graph.py", "import networkx"),
        ("cli.py", "import click\nfrom pdspec import __version__\nprint('hello')\nraise SystemExit(0)"),
        ("report/terminal.py", "def render(verdict):\n    return 'print()'"),
    ],
)
def test_an_allowed_import_is_not_reported(tmp_path: Path, file: str, code: str) -> None:
    root = planted(tmp_path, {file: code})

    assert list(violations(root)) == []


def test_two_layers_that_import_each_other_are_a_cycle(tmp_path: Path) -> None:
    root = planted(
        tmp_path,
        {
            "lang/spec.py": "from pdspec.lift import lift",
            "lift/find.py": "def f():\n    from pdspec.lang import Spec",
        },
    )

    found = cycle(unit_graph(root))

    assert found is not None
    assert set(found) == {"lang", "lift"}


def test_loading_the_command_line_asks_for_no_heavy_package() -> None:
    assert packages_asked_for("import pdspec.cli") == []


def test_a_heavy_package_that_is_asked_for_in_vain_is_noticed() -> None:
    attempt = "try:\n    import z3.z3util\nexcept ImportError:\n    pass"

    assert "z3" in packages_asked_for(attempt)


def violations(root: Path) -> Iterator[str]:
    """One line for each import that the table forbids, and for each print or exit outside the command line.

    `root` is the folder of the package, named pdspec.
    """
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root.parent).as_posix()
        unit = unit_of(path, root)
        allowed = TABLE.get(unit)
        if allowed is None:
            yield f"{place}:1: {unit} has no row in the table of layers"
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=place)
        for line, package, imported in imports(tree, path, root):
            if package == "pdspec":
                if imported != unit and imported not in allowed.units:
                    yield f"{place}:{line}: {unit} may not import pdspec.{imported}"
            elif package not in sys.stdlib_module_names and package not in allowed.packages:
                yield f"{place}:{line}: {unit} may not import {package}"
        if unit != "cli":
            for line in prints_and_exits(tree):
                yield f"{place}:{line}: only cli prints or exits"


def unit_of(path: Path, root: Path) -> str:
    return path.relative_to(root).parts[0].removesuffix(".py")


def imports(tree: ast.Module, path: Path, root: Path) -> Iterator[tuple[int, str, str]]:
    """Line, top-level package and (for pdspec) unit of everything that the module imports."""
    package = path.relative_to(root.parent).parent.parts
    for node in ast.walk(tree):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                base = list(package[: len(package) - node.level + 1]) if node.level else []
                base += node.module.split(".") if node.module else []
                # What is imported from the package itself may be a unit of it or one of its public names.
                names = [".".join([*base, a.name]) for a in node.names] if base == ["pdspec"] else [".".join(base)]
            case ast.Call(args=[ast.Constant(value=str(name)), *_]) if called(node) in ("import_module", "__import__"):
                names = [name]
        for name in names:
            first, _, rest = name.partition(".")
            unit = rest.split(".")[0]
            known = (root / unit).is_dir() or (root / f"{unit}.py").is_file() or unit in TABLE
            yield getattr(node, "lineno", 1), first, unit if unit and known else "__init__"


def called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def prints_and_exits(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("print" | "exit" | "quit" | "SystemExit")):
                yield node.lineno
            case ast.Call(func=ast.Attribute(ast.Name("sys" | "os"), "exit" | "_exit")):
                yield node.lineno
            case ast.Raise(exc=ast.Name("SystemExit")):
                yield node.lineno


def unit_graph(root: Path) -> dict[str, frozenset[str]]:
    """For each unit the other units that it imports."""
    graph: dict[str, set[str]] = {}
    for path in root.rglob("*.py"):
        unit = unit_of(path, root)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        targets = {imported for _, package, imported in imports(tree, path, root) if package == "pdspec"}
        graph.setdefault(unit, set()).update(targets - {unit})
    return {unit: frozenset(targets) for unit, targets in graph.items()}


def cycle(graph: dict[str, frozenset[str]]) -> list[str] | None:
    """Units that import each other in a circle, if there are any."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return None


def planted(folder: Path, files: dict[str, str]) -> Path:
    root = folder / "pdspec"
    for file, code in files.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    return root


def packages_asked_for(code: str) -> list[str]:
    """The heavy packages that a fresh interpreter looks for when it runs `code`, whether or not they are installed."""
    watch = (
        "import sys\n"
        "asked = []\n"
        "class Watch:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.split('.')[0] in {LOADED_WHEN_USED!r}:\n"
        "            asked.append(name.split('.')[0])\n"
        "sys.meta_path.insert(0, Watch())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{watch}{code}\nsys.stdout.write(' '.join(sorted(set(asked))))"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
