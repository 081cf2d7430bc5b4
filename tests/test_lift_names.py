"""Bases that the folder does not have, and what the global names of a found function mean."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pdspec.lift.find import FoundFunction, find_function
from pdspec.lift.meaning import ClassRef, ConstantRef, FunctionRef, ModuleRef, Outside, Unbound, Undecided
from tests.written_source import one_file, package, place, refusal

# Bases that the folder does not have.


@pytest.mark.parametrize(
    ("imports", "base", "reason"),
    [
        ("from threading import Thread", "Thread", "`threading.Thread`, which is not in the source folder"),
        ("import threading", "threading.Thread", "`threading.Thread`, which is not in the source folder"),
        ("from .. import elsewhere", "elsewhere.Base", "which is not in the source folder"),
        ("from other.package import *", "Mixin", "may come from `from other.package import *`"),
        ("def make(): pass", "make()", "is computed when the class is made"),
        ("Base = make()", "Base", "is not a class statement (m.py, line 1)"),
        (
            "try:\n    from x import B\nexcept ImportError:\n    B = object",
            "B",
            "depends on a condition (m.py, lines 2 and 4)",
        ),
        ("class Bose: pass", "Base", "is not defined in m.py; did you mean 'Bose'?"),
        ("", "dict", "`builtins.dict`, which is not in the source folder"),
    ],
)
def test_nothing_is_found_behind_an_unknown_base(tmp_path: Path, imports: str, base: str, reason: str) -> None:
    code = f"{imports}\nclass Known:\n    def run(self): pass\nclass A({base}, Known): pass\nclass B({base}): pass\n"
    source = one_file(tmp_path, code)

    hidden, absent = refusal(source, "m.py::A.run"), refusal(source, "m.py::B.run")

    assert (hidden.code, absent.code) == ("PD407", "PD407")
    assert "cannot tell which 'run' class A has: Known has it, but only behind" in hidden.message
    assert "no class of the folder has it, but it may come from" in absent.message
    assert reason in hidden.message
    assert reason in absent.message


def test_an_unknown_base_behind_the_class_that_defines_the_method_does_not_matter(tmp_path: Path) -> None:
    code = "from threading import Thread\nclass Known:\n    def run(self): pass\nclass A(Known, Thread): pass\n"

    found = find_function(one_file(tmp_path, code), "m.py::A.run")

    assert place(found) == "m.py:3"
    assert [one.name for one in found.mro] == ["A", "Known", "threading.Thread"]


def test_abstract_and_generic_bases_hide_nothing(tmp_path: Path) -> None:
    code = """\
        from abc import ABC
        import typing
        class Known:
            def run(self): pass
        class A(ABC, typing.Generic[typing.T], Known): pass
    """
    source = one_file(tmp_path, code)

    assert place(find_function(source, "m.py::A.run")) == "m.py:4"
    assert refusal(source, "m.py::A.stop").code == "PD402"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("from n import B\nclass A(B): pass\n", "class A inherits from itself: A -> B -> A"),
        ("class X: pass\nclass A(X, X): pass\n", "class A: no order of lookup fits its bases (X, X)"),
        (
            "class X: pass\nclass Y: pass\nclass P(X, Y): pass\nclass Q(Y, X): pass\nclass A(P, Q): pass\n",
            "class A: no order of lookup fits its bases (P, Q)",
        ),
    ],
)
def test_a_class_that_python_would_refuse_is_refused(tmp_path: Path, code: str, reason: str) -> None:
    source = package(tmp_path, {"m.py": code, "n.py": "from m import A\nclass B(A): pass\n"})

    error = refusal(source, "m.py::A.run")

    assert error.code == "PD407"
    assert reason in error.message


# What global names mean.


def test_every_kind_of_global_name_is_told_apart(tmp_path: Path) -> None:
    code = """\
        import numpy as np
        from collections import defaultdict
        from p.kinds import Status, LIMIT as BOUND, helper
        from p import kinds
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from p.kinds import Hint
        RETRIES = 3
        COUNTER = 0
        left, right = 1, 2
        for turn in range(3): pass
        try:
            import nixl
        except ImportError:
            nixl = None
        class A:
            def run(self): pass
        def count():
            global COUNTER
            COUNTER += 1
    """
    kinds = "LIMIT = 7\nclass Status:\n    Failed = 0\n    Also = Failed\ndef helper(): pass\nclass Hint: pass\n"
    found = find_function(package(tmp_path, {"p/m.py": code, "p/kinds.py": kinds}), "p/m.py::A.run")

    def constant(name: str) -> tuple[str, str, int | None]:
        meaning = found.meaning(name)
        assert isinstance(meaning, ConstantRef)
        return ast.unparse(meaning.value), f"{meaning.file}:{meaning.line}", meaning.rebound_line

    assert found.meaning("np.array") == Outside("numpy.array")
    assert found.meaning("defaultdict") == Outside("collections.defaultdict")
    assert found.meaning("max") == Outside("builtins.max")
    assert found.meaning("kinds") == ModuleRef("p.kinds", "p/kinds.py")
    assert isinstance(found.meaning("Status"), ClassRef)
    assert isinstance(found.meaning("Hint"), ClassRef)
    assert found.meaning("Status") == found.meaning("kinds.Status")
    assert isinstance(found.meaning("helper"), FunctionRef)
    assert constant("Status.Failed") == ("0", "p/kinds.py:3", None)
    assert constant("Status.Also") == ("0", "p/kinds.py:3", None)
    assert constant("BOUND") == ("7", "p/kinds.py:1", None)
    assert constant("RETRIES") == ("3", "p/m.py:8", None)
    assert constant("right") == ("2", "p/m.py:10", None)
    assert constant("COUNTER") == ("0", "p/m.py:9", 19)
    assert isinstance(found.meaning("turn"), Undecided)
    assert found.meaning("nixl") == Undecided("nixl", "p/m.py", (13, 15), "depends on a condition")
    assert found.meaning("RETRIES.real") == Undecided("RETRIES.real", "p/m.py", (8,), "is an attribute of `RETRIES`")
    assert found.meaning("missing") == Unbound("missing", "p/m.py")
    assert found.meaning("Status.Fialed") == Unbound("Status.Fialed", "p/kinds.py")


def test_star_imports_give_public_names_and_a_later_one_wins(tmp_path: Path) -> None:
    files = {
        "one.py": "X = 1\n_hidden = 1\nlisted = 1\n",
        "two.py": "__all__ = ['X']\nX = 2\nlisted = 2\n",
        "m.py": "Y = 0\nX = 0\nfrom one import *\nfrom two import *\nlate = 0\ndef run(): pass\n",
        "n.py": "from one import *\nX = 0\nif TYPE_CHECKING:\n    from two import *\ndef run(): pass\n",
    }
    source = package(tmp_path, files)
    m, n = find_function(source, "m.py::run"), find_function(source, "n.py::run")

    def file(found: FoundFunction, name: str) -> str:
        meaning = found.meaning(name)
        assert isinstance(meaning, ConstantRef)
        return meaning.file

    assert [file(m, name) for name in ("X", "listed", "Y")] == ["two.py", "one.py", "m.py"]
    assert file(n, "X") == "n.py"
    assert m.meaning("_hidden") == Unbound("_hidden", "m.py")
