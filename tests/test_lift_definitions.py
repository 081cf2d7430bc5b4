"""Which definition of a method counts where a class has several, and which are refused."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from pdspec.lift.find import find_function
from tests.written_source import BASE, one_file, package, place, refusal

# Which of several definitions counts.


def test_the_last_of_two_definitions_counts(tmp_path: Path) -> None:
    code = "class A:\n    def run(self): pass\n    def run(self): return 2\n"

    assert place(find_function(one_file(tmp_path, code), "m.py::A.run")) == "m.py:3"


def test_a_deleted_method_is_looked_up_in_the_bases(tmp_path: Path) -> None:
    code = "class B:\n    def run(self): pass\nclass A(B):\n    def run(self): pass\n    del run\n"

    assert place(find_function(one_file(tmp_path, code), "m.py::A.run")) == "m.py:2"


def test_an_alias_in_the_class_means_what_the_name_meant_at_that_moment(tmp_path: Path) -> None:
    code = """\
        class A:
            def first(self): pass
            run = first
            def first(self): pass
            again = run
    """
    source = one_file(tmp_path, code)

    assert place(find_function(source, "m.py::A.run")) == "m.py:2"
    assert place(find_function(source, "m.py::A.again")) == "m.py:2"
    assert place(find_function(source, "m.py::A.first")) == "m.py:4"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("if FLAG:\n    def run(self): pass\nelse:\n    def run(self): pass", "lines 3 and 5"),
        ("def run(self): pass\nif FLAG:\n    def run(self): pass", "lines 2 and 4"),
        ("if FLAG:\n    def run(self): pass", "line 3, or not at all"),
        ("try:\n    def run(self): pass\nexcept ValueError:\n    def run(self): pass", "lines 3 and 5"),
        ("for _ in FLAG:\n    def run(self): pass", "line 3, or not at all"),
        ("while FLAG:\n    def run(self): pass", "line 3, or not at all"),
        ("match FLAG:\n    case 1:\n        def run(self): pass", "line 4, or not at all"),
    ],
)
def test_a_definition_under_a_condition_is_refused_with_every_line(tmp_path: Path, body: str, lines: str) -> None:
    source = one_file(tmp_path, "class A:\n" + textwrap.indent(body, "    "))

    error = refusal(source, "m.py::A.run")

    assert error.code == "PD407"
    assert f"'run' of class A depends on a condition: it is bound at {lines}" in error.message


@pytest.mark.parametrize(
    "body",
    [
        "if FLAG:\n    def run(self): pass\nelse:\n    raise RuntimeError",
        "try:\n    def run(self): pass\nexcept ValueError:\n    raise RuntimeError",
        "if True:\n    def run(self): pass\nelse:\n    def run(self): return 2",
        "with lock:\n    def run(self): pass",
        "def run(self): pass\nif TYPE_CHECKING:\n    def run(self, more): pass",
    ],
)
def test_a_definition_that_every_way_through_leads_to_is_found(tmp_path: Path, body: str) -> None:
    source = one_file(tmp_path, "class A:\n" + textwrap.indent(body, "    "))

    found = find_function(source, "m.py::A.run")

    assert ast.unparse(found.node.body[0]) == "pass"
    assert len(found.node.args.args) == 1


def test_what_a_later_turn_of_a_loop_binds_counts(tmp_path: Path) -> None:
    code = """\
        class A:
            def first(self): pass
            def second(self): pass
            run = waiting = first
            for _ in FLAG:
                run = waiting
                waiting = second
    """

    assert "it is bound at lines 2 and 3" in refusal(one_file(tmp_path, code), "m.py::A.run").message


def test_the_name_of_a_caught_exception_is_gone_after_its_handler(tmp_path: Path) -> None:
    code = """\
        class A:
            def run(self): pass
            try:
                prepare()
            except ValueError as run:
                pass
    """

    assert "it is bound at line 2, or not at all" in refusal(one_file(tmp_path, code), "m.py::A.run").message


def test_a_class_or_function_under_a_condition_is_refused_with_every_line(tmp_path: Path) -> None:
    code = """\
        if FLAG:
            class A:
                def run(self): pass
            def run(): pass
        else:
            class A:
                def run(self): pass
            def run(): pass
    """
    source = one_file(tmp_path, code)

    assert "'A' depends on a condition: it is bound at lines 2 and 6" in refusal(source, "m.py::A.run").message
    assert "'run' depends on a condition: it is bound at lines 4 and 8" in refusal(source, "m.py::run").message


def test_both_branches_may_import_the_same_class(tmp_path: Path) -> None:
    code = "if FLAG:\n    from base import Base\nelse:\n    from base import Base\nclass A(Base): pass\n"

    assert place(find_function(package(tmp_path, {"base.py": BASE, "m.py": code}), "m.py::A.run")) == "base.py:2"


@pytest.mark.parametrize(
    "body",
    [
        "run = other",
        "run = make()",
        "run = lambda self: 1",
        "run, stop = make()",
        "from base import run",
        "run: int = 1",
    ],
)
def test_a_method_that_is_not_a_def_of_the_class_is_refused_with_its_line(tmp_path: Path, body: str) -> None:
    source = one_file(tmp_path, f"def other(self): pass\nclass A:\n    {body}\n")

    error = refusal(source, "m.py::A.run")

    assert error.code == "PD402"
    assert "'run' of class A is not defined by `def`" in error.message
    assert error.span is not None
    assert error.span.line == 3


def test_a_method_that_the_module_assigns_to_the_class_counts(tmp_path: Path) -> None:
    code = """\
        def other(self): pass
        class A:
            def run(self): pass
            def stop(self): pass
            def wait(self): pass
        A.run = other
        A.stop = make()
        if FLAG:
            A.wait = other
    """
    source = one_file(tmp_path, code)

    stop, wait = refusal(source, "m.py::A.stop"), refusal(source, "m.py::A.wait")

    assert place(find_function(source, "m.py::A.run")) == "m.py:1"
    assert (stop.code, str(stop.span)) == ("PD402", f"{tmp_path / 'm.py'}:7")
    assert "it is bound at lines 1 and 5" in wait.message


def test_a_base_means_what_its_name_meant_when_the_class_was_made(tmp_path: Path) -> None:
    code = """\
        from base import Base as A
        class A(A): pass
        class Outer:
            from base import Base
            class Inner(Base): pass
            Base = None
    """
    source = package(tmp_path, {"base.py": BASE, "m.py": code})

    assert place(find_function(source, "m.py::A.run")) == "base.py:2"
    assert place(find_function(source, "m.py::Outer.Inner.run")) == "base.py:2"


def test_a_coroutine_is_refused(tmp_path: Path) -> None:
    source = one_file(tmp_path, "class A:\n    async def run(self): pass\n")

    error = refusal(source, "m.py::A.run")

    assert error.code == "PD402"
    assert "'run' is `async def`" in error.message


# Decorators.


def test_a_harmless_decorator_is_reported_by_its_full_name(tmp_path: Path) -> None:
    code = """\
        import abc
        from typing_extensions import override as o
        class A:
            @staticmethod
            @o
            def make(): pass
            @classmethod
            def build(cls): pass
            @abc.abstractmethod
            def run(self): pass
    """
    source = one_file(tmp_path, code)

    make, build, run = (find_function(source, f"m.py::A.{name}") for name in ("make", "build", "run"))

    assert (make.kind, make.decorators) == ("static method", ("builtins.staticmethod", "typing_extensions.override"))
    assert (build.kind, build.decorators) == ("class method", ("builtins.classmethod",))
    assert (run.kind, run.decorators) == ("method", ("abc.abstractmethod",))
    assert make.node.lineno == 6


@pytest.mark.parametrize(
    ("decorator", "name"),
    [
        ("property", "builtins.property"),
        ("functools.lru_cache(maxsize=1)", "functools.lru_cache"),
        ("traced", "m.traced"),
        ("table[0]", "table[0]"),
        ("nowhere", "nowhere"),
    ],
)
def test_any_other_decorator_is_refused_unless_the_caller_admits_it(tmp_path: Path, decorator: str, name: str) -> None:
    code = f"import functools\ndef traced(f): return f\nclass A:\n    @{decorator}\n    def run(self): pass\n"
    source = one_file(tmp_path, code)

    error = refusal(source, "m.py::A.run")

    assert error.code == "PD403"
    assert f"decorator `{name}` of 'run' may change what the function does" in error.message
    assert str(error.span) == f"{tmp_path / 'm.py'}:4"
    assert find_function(source, "m.py::A.run", decorators=None).decorators == (name,)
    assert find_function(source, "m.py::A.run", decorators={name}).decorators == (name,)
