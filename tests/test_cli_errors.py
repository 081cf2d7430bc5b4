"""Bad input gets one clear message that says what to write instead, exit code 2, and never a traceback."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pdspec.cli import run

HEAD = """
from enum import Enum
from typing import Literal
from pdspec import *

p = Process("p")
"""
GOOD = (
    HEAD
    + """
class Counter(Spec):
    most: int = parameter(2, at_least=1, at_most=5)
    kind: Literal["max", "sticky"] = "max"
    eager: bool = False

    def state(self):
        self.count = Range(0, self.most)

    @p.action
    def up(self):
        require(self.count < self.most)
        self.count += 1

    @final
    def full(self):
        return self.count == self.most

    @invariant
    def small(self):
        return self.count <= self.most

SCENARIOS = [Scenario("plain", Counter()), Scenario("larger", Counter(most=3))]
"""
)
FLAG = (
    HEAD
    + """
class Flag(Spec):
    def state(self):
        self.flag = False

    @p.action
    def raise_it(self):
        self.flag = True

    @invariant
    def fine(self):
        return True
"""
)


@dataclass(frozen=True)
class Refused:
    """A spec file, the options it is checked with, and what the message has to say."""

    name: str
    source: str
    options: tuple[str, ...]
    says: tuple[str, ...]


COMMAND_LINES = [
    Refused(
        "unknown scenario",
        GOOD,
        ("--scenario", "plane"),
        ("PD201", "'plane'", "'plain', 'larger'", "did you mean 'plain'?"),
    ),
    Refused("unknown property", GOOD, ("--property", "smal"), ("PD201", "small, deadlock", "did you mean 'small'?")),
    Refused("unknown parameter", GOOD, ("--set", "mots=3"), ("PD203", "most, kind, eager", "did you mean 'most'?")),
    Refused("parameter of a wrong type", GOOD, ("--set", "most=many"), ("PD203", "'many'", "ints from 1 up to 5")),
    Refused("parameter out of range", GOOD, ("--set", "most=9"), ("PD203", "is 9", "ints from 1 up to 5")),
    Refused("no such choice", GOOD, ("--set", "kind=stickey"), ("PD203", "'max', 'sticky'", "did you mean 'sticky'?")),
    Refused("no truth value", GOOD, ("--set", "eager=maybe"), ("PD203", "'eager'", "'maybe'")),
    Refused("setting without =", GOOD, ("--set", "most"), ("'most' is not NAME=VALUE", "--set rooms=2")),
    Refused("setting without a name", GOOD, ("--set", "=3"), ("'=3' is not NAME=VALUE",)),
    Refused("the same setting twice", GOOD, ("--set", "most=1", "--set", "most=2"), ("'most' is set twice",)),
    Refused(
        "a setting of two scenarios",
        GOOD,
        ("--set", "most=3", "--scenario", "plain", "--scenario", "larger"),
        ("PD204", "--set changes one scenario"),
    ),
    Refused(
        "missing source folder", GOOD, ("--source", "0.5.16"), ("PD401", "0.5.16 does not exist", "holds the package")
    ),
    Refused("source that is a file", GOOD, ("--source", "spec.py"), ("PD401", "spec.py is a file, not a folder")),
    Refused("negative limit of states", GOOD, ("--states-max", "-1"), ("--states-max", "-1 is not in the range x>=1")),
    Refused("limit of no states", GOOD, ("--states-max", "0"), ("0 is not in the range x>=1",)),
    Refused("negative limit of time", GOOD, ("--seconds-max", "-1"), ("-1 is not a number of seconds above 0",)),
    Refused("limit of time that is no number", GOOD, ("--seconds-max", "nan"), ("nan is not a number of seconds",)),
    Refused("negative limit of paths", GOOD, ("--paths-max", "-5"), ("-5 is not in the range x>=1",)),
    Refused("limit that is no number", GOOD, ("--states-max", "many"), ("'many' is not a valid integer",)),
    Refused("unknown option", GOOD, ("--frmat", "json"), ("--frmat", "--format")),
    Refused("unknown format", GOOD, ("--format", "yaml"), ("'yaml'", "'text'", "'json'")),
]

SPECS = [
    Refused("syntax error", HEAD + "def f(:\n", (), ("spec.py:7", "PD101", "not Python", "invalid syntax")),
    Refused("null byte", "x = '\0'\n", (), ("PD101", "not Python")),
    Refused("not UTF-8", "x = '\udce4'\n", (), ("PD101", "not Python")),
    Refused("raising at import", HEAD + "x = 1 / 0\n", (), ("spec.py:7", "does not run", "ZeroDivisionError")),
    Refused("leaving at import", HEAD + "raise SystemExit\n", (), ("spec.py:7", "does not run", "SystemExit")),
    Refused("missing import", "import no_such_module\n", (), ("spec.py:1", "does not run", "'no_such_module'")),
    Refused("empty file", "", (), ("PD201", "defines no Spec", "class MySpec(Spec)")),
    Refused("file without a spec", HEAD, (), ("PD201", "defines no Spec", "class MySpec(Spec)")),
    Refused(
        "two scenarios of the same name",
        FLAG + "A = Scenario('a', Flag())\nB = Scenario('a', Flag())\n",
        (),
        ("spec.py:20", "PD201", "two scenarios are called 'a'"),
    ),
    Refused(
        "expectation that is no verdict",
        FLAG + "A = Scenario('a', Flag(), expect={'fine': 'hold'})\n",
        (),
        ("PD202", "'hold'", "'holds', 'violated', 'proved'"),
    ),
    Refused(
        "expectation for an unknown property",
        FLAG + "A = Scenario('a', Flag(), expect={'fien': 'holds'})\n",
        (),
        ("spec.py:19", "PD202", "'fien'", "did you mean 'fine'?"),
    ),
    Refused("missing state()", FLAG.replace("def state", "def stat"), (), ("spec.py", "PD103", "has no state()")),
    Refused(
        "state() that declares nothing",
        FLAG.replace("self.flag = False", "pass"),
        (),
        ("spec.py:9", "PD103", "declares no variable"),
    ),
    Refused(
        "state() that raises",
        FLAG.replace("self.flag = False", "self.flag = {}['x']"),
        (),
        ("spec.py:10", "PD101", "state raises KeyError: 'x'"),
    ),
    Refused("infinite type", FLAG.replace("= False", "= 0"), (), ("spec.py:10", "PD103", "bounds", "Range(lo, hi")),
    Refused("undeclared variable read", FLAG.replace("= True", "= self.flga"), (), ("PD102", "did you mean 'flag'?")),
    Refused(
        "undeclared variable written", FLAG.replace("self.flag = True", "self.flga = True"), (), ("PD102", "'flga'")
    ),
    Refused(
        "action without a domain",
        FLAG.replace("raise_it(self)", "raise_it(self, room)"),
        (),
        ("PD103", "(room)", "in the decorator: (room=rooms)"),
    ),
    Refused(
        "domain that raises",
        FLAG.replace("@p.action", "@p.action(i=lambda spec: spec.no)").replace("raise_it(self)", "raise_it(self, i)"),
        (),
        ("spec.py:12", "PD101", "raises AttributeError"),
    ),
    Refused("no action", FLAG.replace("    @p.action\n", ""), (), ("PD103", "has no action", "@process.action")),
    Refused(
        "parameter without a default",
        FLAG.replace("    def state", "    rooms: int\n\n    def state"),
        (),
        ("PD203", "'rooms' has no default", "rooms: T = value"),
    ),
    Refused(
        "parameter of a type that has no end",
        FLAG.replace("    def state", "    speed: float = 1.0\n\n    def state"),
        (),
        ("PD203", "'speed'", "allowed: bool, int, str, an Enum, Literal"),
    ),
    Refused(
        "property that assigns",
        FLAG.replace("return True", "self.flag = True\n        return True"),
        (),
        ("PD108", "property fine"),
    ),
    Refused(
        "too many paths",
        FLAG.replace("self.flag = True", "self.flag = choose(range(3)) == choose(range(3))"),
        ("--paths-max", "2"),
        ("PD106", "more than 2 paths", "--paths-max"),
    ),
    Refused(
        "property that raises",
        FLAG.replace("return True", "assert not self.flag\n        return True"),
        (),
        ("error: AssertionError", "spec.py:18"),
    ),
]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PDSPEC_TRACEBACK", "1")


@pytest.mark.parametrize("refused", COMMAND_LINES, ids=lambda refused: refused.name)
def test_a_wrong_command_line_is_said_on_standard_error_and_nothing_is_asked(
    refused: Refused, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("spec.py").write_text(refused.source, encoding="utf-8")

    code = run(["check", "spec.py", *refused.options])

    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    assert "Traceback" not in said.err
    assert [part for part in refused.says if part not in said.err] == []


@pytest.mark.parametrize("refused", SPECS, ids=lambda refused: refused.name)
def test_a_wrong_spec_is_told_with_its_place_and_what_to_write_instead(
    refused: Refused, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("spec.py").write_text(refused.source, encoding="utf-8", errors="surrogateescape")

    code = run(["check", "spec.py", *refused.options])

    said = capsys.readouterr()
    text = " ".join((said.out + said.err).split())
    assert code == 2
    assert "Traceback" not in text
    assert [part for part in refused.says if part not in text] == []


@pytest.mark.parametrize("command", ["check", "model"])
def test_a_file_that_is_not_there_is_named_with_those_that_are(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("spec.py").write_text(GOOD, encoding="utf-8")

    code = run([command, "spce.py"])

    said = capsys.readouterr().err
    assert code == 2
    assert "no such spec file: spce.py" in said
    assert "spec.py" in said


def test_a_folder_is_no_spec_file_and_its_files_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("specs").mkdir()
    Path("specs/lock.py").write_text(GOOD, encoding="utf-8")

    code = run(["check", "specs"])

    said = capsys.readouterr().err
    assert code == 2
    assert "specs is a folder, not a spec file" in said
    assert "specs/lock.py" in said


def test_a_file_that_cannot_be_read_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("spec.py").write_text(GOOD, encoding="utf-8")
    read = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        # Permissions do not bind every user who runs the tests.
        if path.name == "spec.py":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)

    code = run(["check", "spec.py"])

    assert code == 2
    assert "cannot read spec.py: Permission denied" in capsys.readouterr().err


def test_a_setting_needs_to_know_which_of_several_specs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("spec.py").write_text(GOOD + FLAG.removeprefix(HEAD), encoding="utf-8")

    code = run(["check", "spec.py", "--set", "most=3"])

    said = capsys.readouterr().err
    assert code == 2
    assert "Counter, Flag" in said
    assert "--scenario NAME" in said


LIFTING = (
    HEAD
    + """
class Status(Enum):
    low = 0
    high = 1

class Store(Spec):
    store: Literal["ours", "source"] = "ours"

    def state(self):
        self.status = Dict(range(1), Status)

    update = lift("kv/store.py::Manager.update", cell="status")

    @p.action(status=Status)
    def write(self, status):
        if self.store == "source":
            self.update(0, status)
        else:
            self.status[0] = status

SCENARIOS = [Scenario("ours", Store()), Scenario("source", Store(store="source"))]
"""
)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (None, ("PD40", "kv/store.py")),
        ("x = 1\n", ("PD402", "Manager")),
        ("class Manager:\n    pass\n", ("PD402", "update")),
        ("class Manager(:\n", ("PD404", "kv/store.py:1")),
        (
            "class Manager:\n    def update(self, k, v):\n        self.log.push(k)\n",
            ("PD405", "self.log", "ignored=['log']"),
        ),
    ],
)
def test_a_source_without_what_is_lifted_is_the_problem_of_one_scenario(
    source: str | None, says: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("spec.py").write_text(LIFTING, encoding="utf-8")
    Path("release/kv").mkdir(parents=True)
    if source is not None:
        Path("release/kv/store.py").write_text(source, encoding="utf-8")

    code = run(["check", "spec.py", "--source", "release"])

    said = capsys.readouterr().out
    assert code == 2
    assert "Traceback" not in said
    assert [part for part in says if part not in said] == []
    assert "1 scenario as expected, 1 with an error." in said


def test_a_model_of_a_lifting_spec_needs_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    Path("spec.py").write_text(LIFTING, encoding="utf-8")

    code = run(["model", "spec.py", "--scenario", "source"])

    said = capsys.readouterr().err
    assert code == 2
    assert "--source DIR" in said


def test_the_table_of_a_spec_that_lifts_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    Path("spec.py").write_text(FLAG, encoding="utf-8")
    Path("release").mkdir()

    code = run(["table", "spec.py", "--source", "release"])

    said = capsys.readouterr().err
    assert code == 2
    assert "lifts no function with a cell" in said
