"""The commands: what they ask and their exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pdspec
import pdspec.cli.check
from pdspec.cli import run
from tests.releases import release_folder

CHECKOUT = Path(__file__).resolve().parent.parent
LOCK = "tests/golden/lock.py"
WEDGE = "tests/golden/wedge.py"

TWO_SPECS = """
from pdspec import Process, Scenario, Spec, invariant, reachable

p = Process("p")


class One(Spec):
    def state(self):
        self.x = False

    @p.action
    def go(self):
        self.x = True

    @invariant
    def never(self):
        return not self.x


class Two(Spec):
    def state(self):
        self.y = False

    @p.action
    def go(self):
        self.y = True

    @reachable
    def once(self):
        return self.y


A = Scenario("one", One(), expect={"never": "violated"})
B = Scenario("two", Two())
"""


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


def test_scenarios_are_asked_in_the_order_of_the_file_and_slow_ones_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["check", WEDGE])

    out = capsys.readouterr().out
    names = ["as shipped", "sticky", "two rooms", "polled without looking", "too small a queue", "retried"]
    heads = [line for line in out.splitlines() if line.startswith(tuple(names))]
    assert [next(name for name in names if line.startswith(name)) for line in heads] == names
    assert "not run (slow: give --all)" in heads[2]
    assert code == 1


@pytest.mark.parametrize("arguments", [["--all"], ["--scenario", "two rooms"]])
def test_a_slow_scenario_is_asked_with_all_or_by_its_name(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(["check", WEDGE, *arguments])

    out = capsys.readouterr().out
    assert "Transfer(rooms=2, chunks=1" in out
    assert "not run" not in out


def test_expected_verdicts_are_a_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", LOCK]) == 0
    assert "2 scenarios as expected (1 of them with a violation)." in capsys.readouterr().out


def test_a_changed_parameter_is_asked_without_expectations(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["check", LOCK, "--scenario", "without", "--set", "workers=1"])

    out = capsys.readouterr().out
    assert code == 0
    assert "without, workers=1" in out
    assert "Expectations: none, every property must hold" in out


def test_a_violation_that_is_expected_of_the_scenario_is_none_of_a_changed_one() -> None:
    assert run(["check", LOCK, "--scenario", "without", "--set", "workers=2"]) == 1


def test_a_limit_is_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["check", LOCK, "--scenario", "with the lock", "--states-max", "1"])

    assert code == 3
    assert "inconclusive: stopped by the limit of 1 state" in capsys.readouterr().out


def test_the_first_violation_ends_a_run_and_no_count_is_final(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", LOCK, "--set", "kind=none", "--set", "workers=4", "--first"])

    assert "at least " in capsys.readouterr().out


def test_the_self_check_says_on_how_many_valuations_it_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["check", LOCK, "--self-check"])

    assert code == 0
    assert "self-check: the Model does what the methods do on 27 valuations" in capsys.readouterr().out


def test_a_property_is_asked_of_the_specs_that_have_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = written(tmp_path, TWO_SPECS)

    code = run(["check", spec, "--property", "once"])

    out = capsys.readouterr().out
    assert code == 0
    assert "not run (One has no such property)" in out
    assert "once is true here" in out


def test_a_problem_of_one_scenario_does_not_lose_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = written(tmp_path, TWO_SPECS.replace("return not self.x", "return not self.z"))

    code = run(["check", spec])

    out = capsys.readouterr().out
    assert code == 2
    assert "PD102" in out
    assert "1 scenario as expected, 1 with an error." in out


def test_an_error_is_worse_than_an_expectation_that_is_not_met(tmp_path: Path) -> None:
    unmet = TWO_SPECS.replace("Two())", 'Two(), expect={"once": "violated"})')
    wrong_too = unmet.replace("return not self.x", "return not self.z")

    codes = [run(["check", written(tmp_path, source)]) for source in (unmet, wrong_too)]

    assert codes == [1, 2]


def test_the_command_for_more_asks_what_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", WEDGE, "--set", "chunks=1", "--set", "retries=true", "--states-max", "5000"])

    out = capsys.readouterr().out
    wanted = f"pdspec check {WEDGE} --set chunks=1 --set retries=true --states-max 5000 --property "
    assert wanted in out


def test_a_model_is_outlined(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["model", LOCK, "--scenario", "without"])

    out = capsys.readouterr().out
    assert code == 0
    assert "workers=2, kind=none" in out
    assert "phase[0]  3     idle, trying, critical" in out
    assert "acquire(i=0)  worker   1" in out


def test_the_table_of_a_lifted_function_has_every_status(capsys: pytest.CaptureFixture[str]) -> None:
    source = release_folder("0.5.15")

    code = run(["table", "specs/nixl.py", "--source", str(source)])

    out = capsys.readouterr().out
    assert code == 0
    assert "NixlKVManager.update_status" in out
    assert "Failed           Failed  Bootstrapping    WaitingForInput  Transferring  Success" in out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"pdspec {pdspec.__version__}\n"


@pytest.mark.parametrize("command", [[], ["check"], ["model"], ["table"]])
def test_help_is_told(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "--help"]) == 0
    assert "Usage: pdspec" in capsys.readouterr().out


def test_help_loads_no_engine_and_a_small_check_nothing_heavy() -> None:
    code = "import sys\nfrom pdspec.cli import run\n{}\nfor name in sys.modules: print('loaded', name)"

    of_help = output(sys.executable, "-c", code.format("run(['--help'])"))
    of_check = output(sys.executable, "-c", code.format(f"run(['check', {LOCK!r}])"))

    assert not any(f"loaded pdspec.{unit}" in of_help for unit in ("explicit", "check", "semantics", "symbolic"))
    heavy = ("z3", "networkx", "jinja2", "jsonschema", "hypothesis", "pdspec.semantics", "pdspec.conform")
    assert not any(f"loaded {package}\n" in of_check for package in heavy)
    assert "loaded pdspec.explicit.explore" in of_check


def test_our_own_fault_is_said_as_such(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the sky fell")

    monkeypatch.setattr(pdspec.cli.check, "ask", broken)
    monkeypatch.delenv("PDSPEC_TRACEBACK", raising=False)

    code = run(["check", LOCK])

    said = capsys.readouterr().err
    assert code == 70
    assert "pdspec failed: RuntimeError: the sky fell" in said
    assert "Please report it" in said
    assert "Traceback" not in said


def test_the_traceback_of_our_own_fault_is_there_for_who_asks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the sky fell")

    monkeypatch.setattr(pdspec.cli.check, "ask", broken)
    monkeypatch.setenv("PDSPEC_TRACEBACK", "1")

    run(["check", LOCK])

    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "in broken" in said


def test_a_lack_of_memory_is_inconclusive(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("pdspec.check.scenario.check_model", exhausted)

    code = run(["check", LOCK])

    assert code == 3
    assert "out of memory while answering" in capsys.readouterr().out


def written(folder: Path, source: str) -> str:
    file = folder / "spec.py"
    file.write_text(source, encoding="utf-8")
    return str(file)


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
