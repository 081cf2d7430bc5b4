"""What is found by reading is what Python finds by running: random classes over several files, and random bodies."""

from __future__ import annotations

import ast
import itertools
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pdspec.errors import SpecError
from pdspec.lift.bindings import Function, names_of
from pdspec.lift.find import find_function, find_super

IMPORTS = (
    "from pkg.{module} import {name}|{name}",
    "from pkg.{module} import {name} as Renamed{name}|Renamed{name}",
    "from .{module} import {name}|{name}",
    "from . import {module}|{module}.{name}",
    "import pkg.{module} as alias_{module}|alias_{module}.{name}",
    "import pkg.{module}|pkg.{module}.{name}",
    "from .{module} import *|{name}",
    "from .hub_{module} import {name}|{name}",
    "try:\n    from .{module} import {name}\nexcept ImportError:\n    {name} = object|{name}",
    "from . import {module}\nAlias{name} = {module}.{name}|Alias{name}",
)


@st.composite
def hierarchies(draw: st.DrawFn) -> dict[str, str]:
    """A package `pkg` of modules m0, m1, ... with one class C0, C1, ... each, on earlier classes as bases."""
    files = {"__init__.py": ""}
    for index in range(draw(st.integers(2, 6))):
        bases = draw(st.lists(st.integers(0, index - 1), unique=True, max_size=3)) if index else []
        lines, names = [], []
        for base in bases:
            statement, name = draw(st.sampled_from(IMPORTS)).format(module=f"m{base}", name=f"C{base}").split("|")
            lines.append(statement)
            names.append(name)
        methods = draw(st.lists(st.sampled_from("fg"), max_size=3))
        body = [f"def {method}(self): pass" for method in methods] or ["pass"]
        files[f"m{index}.py"] = "\n".join(
            [*lines, f"class C{index}({', '.join(names)}):", *(f"    {one}" for one in body)]
        )
        files[f"hub_m{index}.py"] = f"from .m{index} import C{index}\n"
    return files


@contextmanager
def written(files: Mapping[str, str]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "pkg").mkdir()
        for name, code in files.items():
            (root / "pkg" / name).write_text(code + "\n", encoding="utf-8")
        yield root


@contextmanager
def importable(root: Path) -> Iterator[None]:
    sys.path.insert(0, str(root))
    invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(root))
        for name in [name for name in sys.modules if name == "pkg" or name.startswith("pkg.")]:
            del sys.modules[name]


@settings(max_examples=60, deadline=None)
@given(hierarchies())
def test_the_method_found_is_the_one_that_python_calls(files: dict[str, str]) -> None:
    last = sum(name.startswith("m") for name in files) - 1
    with written(files) as root, importable(root):
        for method in "fg":
            expected = called(f"pkg.m{last}", f"C{last}", method)

            found = read(root, f"pkg/m{last}.py::C{last}.{method}")

            assert found == expected


def called(module: str, name: str, method: str) -> list[tuple[str, int]] | str:
    """File and line of the method that Python calls and of each one that it calls by `super()`; else why not."""
    try:
        cls: type[Any] = getattr(import_module(module), name)
    except TypeError:
        return "PD407"  # Python finds no order of lookup for this class or one that it inherits from.
    functions = [vars(one)[method].__code__ for one in cls.__mro__ if method in vars(one)]
    return [(Path(code.co_filename).name, code.co_firstlineno) for code in functions] or "PD402"


def read(root: Path, reference: str) -> list[tuple[str, int]] | str:
    try:
        found = find_function(root, reference)
    except SpecError as error:
        return error.code
    places = [(found.path.name, found.node.lineno)]
    with suppress(SpecError):
        while True:
            found = find_super(found, found.node.name)
            places.append((found.path.name, found.node.lineno))
    return places


BODIES = st.recursive(
    st.sampled_from(["def f(): pass", "def g(): pass", "f = g", "g = f", "f, g = g, f", "h = f", "del f", "fail()"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("\n".join),
        st.tuples(inner, inner).map(lambda two: f"if flag():\n{indent(two[0])}\nelse:\n{indent(two[1])}"),
        inner.map(lambda one: f"if flag():\n{indent(one)}"),
        st.tuples(inner, inner).map(lambda two: f"try:\n{indent(two[0])}\nexcept Exception:\n{indent(two[1])}"),
        st.tuples(inner, inner).map(
            lambda two: f"try:\n{indent(two[0])}\nexcept Exception as h:\n    pass\nfinally:\n{indent(two[1])}"
        ),
        inner.map(lambda one: f"with suppress(Exception):\n{indent(one)}"),
        inner.map(lambda one: f"while flag():\n{indent(one)}"),
        inner.map(lambda one: f"for h in (1, 2):\n    if flag(): break\n{indent(one)}\nelse:\n    h = f"),
    ),
    max_leaves=6,
)


def indent(code: str) -> str:
    return textwrap.indent(code, "    ")


@settings(deadline=None)
@given(st.lists(BODIES, min_size=1, max_size=4).map("\n".join))
def test_a_name_ends_with_one_of_the_bindings_that_reading_allows(code: str) -> None:
    body = "def f(): pass\ndef g(): pass\nh = f\n" + code
    names = names_of(ast.parse(body).body, "").bound
    allowed = {
        name: {one.line for one in names[name] if isinstance(one, Function)}
        | ({None} if None in names[name] else set())
        for name in "fg"
    }
    compiled = compile(body, "body", "exec")

    for answers in itertools.product((False, True), repeat=6):
        ended = run(compiled, answers)
        for name in "fg" if ended is not None else "":
            assert ended is not None
            value = ended.get(name)
            assert (value.__code__.co_firstlineno if value else None) in allowed[name]


def run(compiled: Any, answers: tuple[bool, ...]) -> dict[str, Any] | None:
    """The names that the body ends with under these answers to `flag()`, then False; None where it raises."""
    left = iter(answers)

    def flag() -> bool:
        return next(left, False)

    def fail() -> None:
        if next(left, False):
            raise ValueError

    names: dict[str, Any] = {"flag": flag, "fail": fail, "suppress": suppress}
    try:
        exec(compiled, names)
    except Exception:
        return None
    return names
