"""References, folders and files that are wrong: each is met with where, what, and what was possible."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pdspec.lift.find import find_function
from pdspec.lift.meaning import SourceTree
from tests.written_source import BASE, package, place, refusal


def test_a_mistyped_name_is_met_with_what_was_possible(tmp_path: Path) -> None:
    files = {"p/base.py": BASE, "p/m.py": "from p.base import Base\nclass Manager(Base):\n    def stop(self): pass\n"}
    source = package(tmp_path, files)

    messages = {
        reference: str(refusal(source, reference))
        for reference in ("p/m.py::Manager.rum", "p/m.py::Manger.run", "p/n.py::Manager.run", "q/m.py::Manager.run")
    }

    assert (
        "PD402: class Manager has no method 'rum': neither it nor its bases (Base) define it"
        in (messages["p/m.py::Manager.rum"])
    )
    assert "did you mean 'run'?" in messages["p/m.py::Manager.rum"]
    assert "PD402: p/m.py defines no 'Manger'; did you mean 'Manager'?" in messages["p/m.py::Manger.run"]
    assert "PD401: no file 'p/n.py'" in messages["p/n.py::Manager.run"]
    assert f"{tmp_path / 'p'} has no 'n.py'; did you mean 'm.py'?" in messages["p/n.py::Manager.run"]
    assert f"{tmp_path} has no 'q'" in messages["q/m.py::Manager.run"]


@pytest.mark.parametrize(
    ("reference", "code", "message"),
    [
        ("m.py::A", "PD402", "'A' is a class, not a function"),
        ("m.py::A.Inner", "PD402", "'Inner' of class A is not defined by `def`"),
        ("m.py::limit", "PD402", "'limit' is a value, not a class or function"),
        ("m.py::limit.real", "PD402", "'limit' is a value, not a class or function"),
        ("m.py::run.inner", "PD402", "'run' is a function"),
        ("m.py::A.run.inner", "PD402", "'A.run' is a function"),
        ("m.py::Thread.run", "PD402", "`threading.Thread`, which is not in the source folder"),
        ("m.py::threading.Thread.run", "PD402", "`threading`, which is not in the source folder"),
        ("m.py::max", "PD402", "m.py defines no 'max'"),
        ("m.py::other", "PD402", "'other' is the module other"),
        ("m.py", "PD402", "'m.py' is not a reference to a function"),
        ("m.A.run", "PD402", "'m.A.run' is not a reference to a function"),
        ("m.py::", "PD402", "is not a reference to a function"),
        ("m.py::A.", "PD402", "is not a reference to a function"),
        ("::A.run", "PD402", "is not a reference to a function"),
        ("../m.py::A.run", "PD401", "is not a file relative to the source folder"),
        ("/m.py::A.run", "PD401", "is not a file relative to the source folder"),
        ("folder::A.run", "PD401", "no file 'folder'"),
        ("m.py/x.py::A.run", "PD401", "no file 'm.py/x.py'"),
        ("other::A.run", "PD401", "has no 'other'; did you mean 'other.py'?"),
    ],
)
def test_a_reference_to_something_else_says_what_it_is(tmp_path: Path, reference: str, code: str, message: str) -> None:
    text = """\
        import threading
        import other
        from threading import Thread
        limit = 3
        class A:
            class Inner: pass
            def run(self): pass
        def run(): pass
    """
    source = package(tmp_path, {"m.py": text, "other.py": "", "folder/x.py": ""})

    error = refusal(source, reference)

    assert error.code == code
    assert message in error.message


def test_a_source_folder_one_level_off_is_met_with_the_right_one(tmp_path: Path) -> None:
    package(tmp_path, {"repo/python/p/base.py": BASE})

    above = refusal(tmp_path / "repo", "p/base.py::Base.run")
    below = refusal(tmp_path / "repo/python/p", "p/base.py::Base.run")

    hint = f"the file exists in {tmp_path / 'repo/python'}: give that as the source folder"
    assert (above.hint, below.hint) == (hint, hint)


def test_a_source_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    package(tmp_path, {"m.py": ""})

    assert "does not exist" in refusal(tmp_path / "nowhere", "m.py::A.run").message
    assert "is a file" in refusal(tmp_path / "m.py", "m.py::A.run").message


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"x = 1\nclass A(:\n", 2),
        (b"# caf\xe9\n", 1),
        (b"x = 1\0\n", 1),
        (b"# -*- coding: nonsense -*-\n", 1),
    ],
)
def test_a_file_that_is_not_python_is_refused_with_its_line(tmp_path: Path, content: bytes, line: int) -> None:
    (tmp_path / "bad.py").write_bytes(content)
    package(tmp_path, {"m.py": "from bad import Base\nclass A(Base): pass\n"})

    direct, reached = refusal(tmp_path, "bad.py::A.run"), refusal(tmp_path, "m.py::A.run")

    assert (direct.code, reached.code) == ("PD404", "PD404")
    assert str(direct.span) == str(reached.span) == f"{tmp_path / 'bad.py'}:{line}"


def test_a_declared_encoding_is_respected(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes("# -*- coding: latin-1 -*-\ndef caf\xe9(): pass\n".encode("latin-1"))

    assert place(find_function(tmp_path, "m.py::caf\xe9")) == "m.py:2"


def test_nothing_is_executed(tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    touch = f"open({str(marker)!r}, 'w').close()\n"
    files = {"p/__init__.py": touch, "p/base.py": touch + textwrap.dedent(BASE)}
    files["p/m.py"] = touch + "from p.base import Base\nclass A(Base): pass\n"

    find_function(package(tmp_path, files), "p/m.py::A.run")

    assert not marker.exists()


def test_a_tree_parses_each_file_once(tmp_path: Path) -> None:
    tree = SourceTree(package(tmp_path, {"base.py": BASE, "m.py": "from base import Base\nclass A(Base): pass\n"}))
    first = find_function(tree, "m.py::A.run")
    (tmp_path / "base.py").write_text("", encoding="utf-8")

    second = find_function(tree, "m.py::A.run")

    assert second.node is first.node
