"""The five status cells T1 to T5 of the published releases, through the lift: which release and backend has which."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from pdspec.check.scenario import Options, ask, exit_code, needs_source
from pdspec.conform.table import table
from pdspec.lang.load import load_file
from pdspec.lift.meaning import SourceTree
from tests.releases import release_folder

NIXL = Path(__file__).parent.parent / "specs" / "nixl.py"
VALUES = ("Failed", "Bootstrapping", "WaitingForInput", "Transferring", "Success")
BACKENDS = {
    "nixl": "sglang/srt/disaggregation/nixl/conn.py::NixlKVManager.update_status",
    "mooncake": "sglang/srt/disaggregation/mooncake/conn.py::MooncakeKVManager.update_status",
    "ascend": "sglang/srt/disaggregation/ascend/conn.py::AscendKVManager.update_status",
    "mori": "sglang/srt/disaggregation/mori/conn.py::MoriKVManager.update_status",
}
# Rows: absent, Failed, Bootstrapping, WaitingForInput, Transferring, Success; columns: what is written; - is absent.
REST = ("FBWTS", "FWWTS", "FTTTS", "FSSSS")
CELLS = {
    "T1": ("FBWTS", "FBWTS", "BBWTS", "WWWTS", "TTTTS", "SSSSS"),
    "T2": ("FBWTS", "FBWTS", *REST),
    "T3": ("-BWTS", "FBWTS", *REST),
    "T4": ("-BW--", "FFFFF", *REST),
    "T5": ("-BWTS", "FFFFF", *REST),
}
RELEASES = {
    "0.5.5": ("T1", "T2", None),
    "0.5.9": ("T2", "T2", "T2"),
    "0.5.10": ("T2", "T2", "T2"),
    "0.5.11": ("T2", "T2", "T2"),
    "0.5.12": ("T3", "T3", "T4"),
    "0.5.15": ("T3", "T3", "T4"),
    "0.5.16": ("T5", "T3", "T4"),
    "0.5.18": ("T5", "T3", "T4"),
    "0.5.19": ("T5", "T3", "T4"),
    "0.5.20": ("T4", "T4", "T4"),
    "0.5.23": ("T4", "T4", "T4"),
}


@functools.cache
def source_of(version: str) -> SourceTree:
    return SourceTree(release_folder(version))


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_each_release_has_the_cell_that_was_read_from_it(version: str, backend: str) -> None:
    nixl, mooncake, mori = RELEASES[version]
    expected = {"nixl": nixl, "mooncake": mooncake, "ascend": mooncake, "mori": mori}[backend]
    if expected is None:
        pytest.skip(f"sglang {version} has no {backend} backend")
    source = source_of(version)
    spec = load_file(NIXL).specs[0]()

    cell = table(spec, source, BACKENDS[backend])

    assert cell.written == VALUES
    assert [row.current for row in cell.rows] == ["absent", *VALUES]
    shown = tuple("".join("-" if after == "absent" else after[0] for after in row.after) for row in cell.rows)
    assert shown == CELLS[expected]


@pytest.mark.parametrize("version", RELEASES)
def test_the_spec_meets_its_expectations_with_the_store_of_each_release(version: str) -> None:
    source = release_folder(version)
    scenarios = [scenario for scenario in load_file(NIXL).scenarios if needs_source(scenario)]

    reports = [ask(scenario, Options(source=source)) for scenario in scenarios]

    assert len(reports) == 2
    assert all(report.expectations == f"those for {version}" for report in reports)
    assert exit_code(reports) == 0, [
        (report.name, report.verdict) for scenario in reports for report in scenario.properties
    ]
