"""Methods found through bases, imports and `super()`, each in a small package that shows one way to inherit."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdspec.errors import SpecError
from pdspec.lift.find import find_function, find_method, find_super
from pdspec.lift.meaning import ClassRef
from pdspec.lift.resolve import private_name
from tests.written_source import BASE, one_file, package, place, refusal

# Where a method is found.


def test_a_method_is_found_in_the_class_that_is_asked(tmp_path: Path) -> None:
    source = one_file(tmp_path, "class A:\n    x = 1\n    def run(self): pass\n")

    found = find_function(source, "m.py::A.run")

    assert place(found) == "m.py:3"
    assert found.path == tmp_path / "m.py"
    assert str(found.span) == f"{tmp_path / 'm.py'}:3"
    assert found.owner is not None
    assert found.defining == found.owner
    assert found.kind == "method"


def test_a_function_of_a_module_is_found(tmp_path: Path) -> None:
    source = one_file(tmp_path, "x = 1\ndef run(): pass\n")

    found = find_function(source, "m.py::run")

    assert place(found) == "m.py:2"
    assert (found.owner, found.defining, found.mro, found.kind) == (None, None, (), "function")


def test_an_override_wins_over_the_base(tmp_path: Path) -> None:
    source = package(
        tmp_path, {"base.py": BASE, "m.py": "from base import Base\nclass A(Base):\n    def run(self): pass\n"}
    )

    assert place(find_function(source, "m.py::A.run")) == "m.py:3"


def test_a_method_of_a_base_two_files_away_keeps_its_own_line_and_the_class_that_was_asked(tmp_path: Path) -> None:
    source = package(
        tmp_path,
        {
            "p/base.py": BASE,
            "p/middle.py": "from p.base import Base\nclass Middle(Base):\n    pass\n",
            "p/m.py": "from p.middle import Middle\nclass A(Middle):\n    pass\n",
        },
    )

    found = find_function(source, "p/m.py::A.run")

    assert place(found) == "p/base.py:2"
    assert found.owner is not None
    assert found.defining is not None
    assert (found.owner.name, found.defining.name) == ("A", "Base")
    assert [one.name for one in found.mro] == ["A", "Middle", "Base"]


@pytest.mark.parametrize(
    "imports",
    [
        ("from p.base import Base", "Base"),
        ("from p.base import Base as B", "B"),
        ("from .base import Base", "Base"),
        ("from . import base", "base.Base"),
        ("from . import base as b", "b.Base"),
        ("from p import base", "base.Base"),
        ("import p.base", "p.base.Base"),
        ("import p.base as b", "b.Base"),
        ("from p.base import *", "Base"),
        ("from .hub import Base", "Base"),
        ("from .hub import Renamed", "Renamed"),
        ("from p import Exported", "Exported"),
        ("import p", "p.Exported"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.base import Base", "Base"),
        ("import typing as t\nif not t.TYPE_CHECKING:\n    from p.base import Base", "Base"),
        ("try:\n    from p.base import Base\nexcept ImportError:\n    Base = object", "Base"),
        ("try:\n    from p.base import Base\nexcept ImportError:\n    pass", "Base"),
        ("try:\n    from p.base import Base\nexcept ImportError:\n    raise RuntimeError", "Base"),
        ("from contextlib import suppress\nwith suppress(ImportError):\n    from p.base import Base", "Base"),
        ("try:\n    from fast import Base\nexcept ImportError:\n    raise\nfrom p.base import Base", "Base"),
        ("from p.base import Base\nRenamed = Base\nBase = None", "Renamed"),
        ("from p import base\nBase = base.Base", "Base"),
        ("from p.base import Base\nfrom typing import Generic, TypeVar\nT = TypeVar('T')", "Base[T], Generic[T]"),
        ("from p.base import Base", "Base, object"),
    ],
)
def test_a_base_is_followed_through_every_way_to_import_it(tmp_path: Path, imports: tuple[str, str]) -> None:
    statements, bases = imports
    files = {
        "p/__init__.py": "from .hub import Base as Exported\n",
        "p/base.py": BASE,
        "p/hub.py": "from .base import Base\nfrom p.base import Base as Renamed\n",
        "p/m.py": f"{statements}\nclass A({bases}):\n    pass\n",
    }

    assert place(find_function(package(tmp_path, files), "p/m.py::A.run")) == "p/base.py:2"


def test_a_relative_import_may_climb_and_a_folder_may_lack_an_init_file(tmp_path: Path) -> None:
    code = "from ..base.conn import Base\nclass A(Base): pass\n"
    source = package(tmp_path, {"p/base/conn.py": BASE, "p/nixl/conn.py": code})

    assert place(find_function(source, "p/nixl/conn.py::A.run")) == "p/base/conn.py:2"


def test_a_class_may_be_named_by_the_file_that_exports_it(tmp_path: Path) -> None:
    source = package(tmp_path, {"p/__init__.py": "from .base import Base as Public\n", "p/base.py": BASE})

    found = find_function(source, "p/__init__.py::Public.run")

    assert place(found) == "p/base.py:2"
    assert found.reference == "p/__init__.py::Public.run"


def test_a_package_wins_over_a_module_of_its_name_and_its_own_name_over_its_submodule(tmp_path: Path) -> None:
    files = {
        "p.py": "class Base:\n    pass\n",
        "p/__init__.py": "from .base import Base as part\n",
        "p/part.py": "def run(): pass\n",
        "p/base.py": BASE,
        "m.py": "from p import part\nclass A(part): pass\n",
    }

    assert place(find_function(package(tmp_path, files), "m.py::A.run")) == "p/base.py:2"


def test_two_modules_that_import_each_other_are_no_problem(tmp_path: Path) -> None:
    files = {
        "a.py": "class Base:\n    def run(self): pass\nfrom b import B\nclass A(B): pass\n",
        "b.py": "from a import Base\nclass B(Base): pass\n",
    }

    assert place(find_function(package(tmp_path, files), "a.py::A.run")) == "a.py:2"


def test_a_name_that_two_modules_import_from_each_other_is_defined_by_neither(tmp_path: Path) -> None:
    source = package(tmp_path, {"a.py": "from b import X\n", "b.py": "from a import X\n"})

    error = refusal(source, "a.py::X.run")

    assert error.code == "PD402"
    assert "defines no 'X'" in error.message


def test_the_first_mixin_wins(tmp_path: Path) -> None:
    code = """\
        class Left:
            def run(self): pass
        class Right:
            def run(self): pass
        class A(Left, Right): pass
        class B(Right, Left): pass
    """
    source = one_file(tmp_path, code)

    assert place(find_function(source, "m.py::A.run")) == "m.py:2"
    assert place(find_function(source, "m.py::B.run")) == "m.py:4"


def test_in_a_diamond_a_side_wins_over_the_top_that_comes_first_in_depth(tmp_path: Path) -> None:
    code = """\
        class Top:
            def run(self): pass
        class Left(Top): pass
        class Right(Top):
            def run(self): pass
        class Bottom(Left, Right): pass
    """

    found = find_function(one_file(tmp_path, code), "m.py::Bottom.run")

    assert place(found) == "m.py:5"
    assert [one.name for one in found.mro] == ["Bottom", "Left", "Right", "Top"]


def test_a_method_of_a_nested_class_is_found_and_its_base_is_looked_up_in_the_class_around_it(tmp_path: Path) -> None:
    code = """\
        class Base:
            def run(self): pass
        class Outer:
            class Base:
                def run(self): pass
            class Inner(Base): pass
    """

    assert place(find_function(one_file(tmp_path, code), "m.py::Outer.Inner.run")) == "m.py:5"


def test_a_nested_class_is_inherited_like_a_method(tmp_path: Path) -> None:
    code = """\
        class Base:
            class Inner:
                def run(self): pass
        class A(Base): pass
    """

    assert place(find_function(one_file(tmp_path, code), "m.py::A.Inner.run")) == "m.py:3"


# Further methods of the same object.


TOWER = """\
    class Top:
        def run(self): pass
        def helper(self): pass
    class Mixin:
        def helper(self): pass
    class Middle(Top):
        def run(self): super().run()
    class A(Mixin, Middle):
        pass
"""


def test_a_method_called_on_self_is_looked_up_from_the_class_that_was_asked(tmp_path: Path) -> None:
    found = find_function(one_file(tmp_path, TOWER), "m.py::A.run")
    assert found.owner is not None

    helper = find_method(found.owner, "helper")

    assert place(found) == "m.py:7"
    assert place(helper) == "m.py:5"
    assert helper.reference == "m.py::A.helper"


def test_super_goes_on_behind_the_defining_class_in_the_order_of_the_class_that_was_asked(tmp_path: Path) -> None:
    code = """\
        class Top:
            def run(self): pass
        class Left(Top):
            def run(self): super().run()
        class Right(Top):
            def run(self): super().run()
        class Bottom(Left, Right): pass
    """
    source = one_file(tmp_path, code)
    left = find_function(source, "m.py::Bottom.run")

    right = find_super(left, "run")
    top = find_super(right, "run")

    assert [place(one) for one in (left, right, top)] == ["m.py:4", "m.py:6", "m.py:2"]
    assert place(find_super(find_function(source, "m.py::Left.run"), "run")) == "m.py:2"
    with pytest.raises(SpecError, match="class Bottom has no method 'run' after Top"):
        find_super(top, "run")


def test_super_outside_a_class_is_refused(tmp_path: Path) -> None:
    found = find_function(one_file(tmp_path, "def run(): pass\n"), "m.py::run")

    with pytest.raises(SpecError, match="which is not a method"):
        find_super(found, "run")


def test_a_private_method_belongs_to_the_class_that_spells_it(tmp_path: Path) -> None:
    code = """\
        class _Base:
            def __run(self): pass
        class A(_Base):
            def __run(self): pass
        class B(A): pass
    """
    found = find_function(one_file(tmp_path, code), "m.py::A.__run")
    assert found.owner is not None
    base = found.mro[1]
    assert isinstance(base, ClassRef)

    inherited = find_method(found.owner, private_name(base, "__run"))

    assert place(found) == "m.py:4"
    assert place(inherited) == "m.py:2"
    assert refusal(found.tree.root, "m.py::B.__run").code == "PD402"
    assert private_name(base, "__init__") == "__init__"
