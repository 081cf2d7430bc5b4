"""Where the status cell of each connector lives in the published releases, and what it leads to."""

from __future__ import annotations

import ast
import functools

import pytest

from pdspec.errors import SpecError
from pdspec.lift.find import FoundFunction, find_function, find_method, find_super
from pdspec.lift.meaning import ClassRef, ConstantRef, SourceTree
from tests.releases import RELEASES, release_folder

PACKAGE = "sglang/srt/disaggregation"
CONNECTORS = {"nixl": "NixlKVManager", "mooncake": "MooncakeKVManager", "mori": "MoriKVManager"}

# For each release the `def` that NIXL, Mooncake and Mori call; Mori came after 0.5.5.
CELLS = {
    "0.5.5": ("nixl/conn.py:266", "mooncake/conn.py:1029", None),
    "0.5.9": ("nixl/conn.py:312", "mooncake/conn.py:1101", "mori/conn.py:299"),
    "0.5.10": ("common/conn.py:181", "common/conn.py:181", "common/conn.py:181"),
    "0.5.11": ("common/conn.py:182", "common/conn.py:182", "common/conn.py:182"),
    "0.5.12": ("common/conn.py:193", "common/conn.py:193", "mori/conn.py:367"),
    "0.5.15": ("common/conn.py:215", "common/conn.py:215", "mori/conn.py:418"),
    "0.5.16": ("nixl/conn.py:637", "common/conn.py:250", "mori/conn.py:419"),
    "0.5.18": ("nixl/conn.py:688", "common/conn.py:317", "mori/conn.py:419"),
    "0.5.19": ("nixl/conn.py:658", "common/conn.py:365", "mori/conn.py:413"),
    "0.5.20": ("common/conn.py:395", "common/conn.py:395", "common/conn.py:395"),
    "0.5.23": ("common/conn.py:653", "common/conn.py:653", "common/conn.py:653"),
}
OVERRIDDEN = {
    "0.5.12": "common/conn.py:193",
    "0.5.15": "common/conn.py:215",
    "0.5.16": "common/conn.py:250",
    "0.5.18": "common/conn.py:317",
    "0.5.19": "common/conn.py:365",
}


@functools.cache
def source(version: str) -> SourceTree:
    return SourceTree(release_folder(version))


def cell(version: str, connector: str, file: str = "conn.py") -> FoundFunction:
    reference = f"{PACKAGE}/{connector}/{file}::{CONNECTORS[connector]}.update_status"
    return find_function(source(version), reference)


def place(found: FoundFunction) -> str:
    return f"{found.file.removeprefix(PACKAGE + '/')}:{found.node.lineno}"


def test_every_release_that_can_be_fetched_is_in_the_table() -> None:
    assert list(CELLS) == list(RELEASES)


@pytest.mark.parametrize("version", CELLS)
def test_one_reference_finds_the_status_cell_of_every_connector(version: str) -> None:
    nixl, mooncake, mori = CELLS[version]

    assert place(cell(version, "nixl")) == nixl
    assert place(cell(version, "mooncake")) == mooncake
    assert place(cell(version, "nixl", "__init__.py")) == nixl
    if mori is not None:
        assert place(cell(version, "mori")) == mori


def test_a_connector_that_a_release_does_not_have_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        cell("0.5.5", "mori")

    assert caught.value.code == "PD401"
    assert "has no 'mori'" in caught.value.message


@pytest.mark.parametrize("version", OVERRIDDEN)
def test_an_override_leads_to_the_shared_cell_by_super(version: str) -> None:
    mori = cell(version, "mori")

    assert place(find_super(mori, "update_status")) == OVERRIDDEN[version]


@pytest.mark.parametrize("version", ["0.5.16", "0.5.18", "0.5.19"])
def test_super_passes_a_mixin_that_does_not_define_the_method(version: str) -> None:
    nixl = cell(version, "nixl")
    mixin = ["StagingManagerMixin"] if version == "0.5.19" else []

    assert [one.name for one in nixl.mro] == ["NixlKVManager", *mixin, "CommonKVManager", "BaseKVManager", "abc.ABC"]
    assert place(find_super(nixl, "update_status")) == OVERRIDDEN[version]


@pytest.mark.parametrize("version", CELLS)
def test_the_status_values_are_those_of_the_protocol(version: str) -> None:
    found = cell(version, "nixl")

    values = {}
    for name in ("Failed", "Bootstrapping", "WaitingForInput", "Transferring", "Success"):
        meaning = found.meaning(f"KVPoll.{name}")
        assert isinstance(meaning, ConstantRef)
        values[name] = ast.literal_eval(meaning.value)

    assert isinstance(found.meaning("KVPoll"), ClassRef)
    assert list(values.values()) == [0, 1, 2, 3, 4]


def test_a_method_that_the_cell_calls_is_found_from_the_same_class() -> None:
    found = cell("0.5.23", "nixl")
    assert found.owner is not None

    notify = find_method(found.owner, "_notify_bootstrap")

    assert place(notify) == "common/conn.py:682"


@pytest.mark.parametrize("version", [version for version, release in RELEASES.items() if not release.optional])
def test_every_method_of_a_release_is_found_in_the_class_that_defines_it(version: str) -> None:
    tree = source(version)
    files = [path.relative_to(tree.root).as_posix() for path in sorted(tree.root.rglob("*.py"))]
    classes = [(file, one) for file in files for one in tree.module(file).tree.body if isinstance(one, ast.ClassDef)]
    methods = [(file, cls, one) for file, cls in classes for one in cls.body if isinstance(one, ast.FunctionDef)]

    found = [find_function(tree, f"{file}::{cls.name}.{one.name}", decorators=None) for file, cls, one in methods]

    assert len(found) > 200
    assert [one.node for one in found] == [one for _, _, one in methods]
