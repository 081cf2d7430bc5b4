"""The text of a run, compared with golden files (tests/golden/README.md says how they are updated), and its rules."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pdspec.cli.check import Request, asked
from pdspec.report.formats import FORMATS
from pdspec.report.interleaving import place_text
from pdspec.report.look import Look
from pdspec.report.run import ScenarioResult, SelfCheckResult, worst
from pdspec.report.scope import scope_of, sentence
from pdspec.source import SourceSpan
from pdspec.verdict import Violation

CHECKOUT = Path(__file__).resolve().parent.parent
GOLDEN = CHECKOUT / "tests" / "golden"
LOCK, WEDGE = Path("tests/golden/lock.py"), Path("tests/golden/wedge.py")


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


@pytest.mark.parametrize(
    ("name", "request_", "look"),
    [
        ("lock-80", Request(spec=LOCK), Look(80)),
        ("lock-140", Request(spec=LOCK), Look(140)),
        ("lock-ascii", Request(spec=LOCK), Look(100, unicode=False)),
        ("lock-limit", Request(spec=LOCK, scenarios=("without",), states_max=1), Look(100)),
        ("lock-set", Request(spec=LOCK, settings={"workers": "3", "kind": "none"}), Look(100)),
        ("wedge-80", Request(spec=WEDGE), Look(80)),
        ("wedge-140", Request(spec=WEDGE), Look(140)),
        ("wedge-colour", Request(spec=WEDGE, scenarios=("as shipped",)), Look(100, colour=True)),
        ("wedge-property", Request(spec=WEDGE, properties=("succeeds", "bounds")), Look(100)),
    ],
)
def test_the_text_is_the_one_of_the_golden_file(name: str, request_: Request, look: Look) -> None:
    said = text(request_, look)

    file = GOLDEN / f"{name}.txt"
    if os.environ.get("PDSPEC_UPDATE_GOLDEN") == "1":
        file.write_text(said, encoding="utf-8")
    assert said == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_no_line_is_wider_than_the_terminal_but_a_command_to_copy(width: int) -> None:
    said = text(Request(spec=WEDGE), Look(width))

    wide = [line for line in said.splitlines() if len(line) > width]
    assert all(line.startswith("    pdspec check ") for line in wide)


def test_without_unicode_only_ascii_is_written() -> None:
    said = text(Request(spec=WEDGE), Look(unicode=False))

    assert said.isascii()


def test_colours_change_nothing_but_escapes() -> None:
    plain, coloured = (text(Request(spec=WEDGE), Look(80, colour=colour)) for colour in (False, True))

    assert coloured != plain
    assert without_escapes(coloured) == plain


def test_every_scenario_is_said_before_the_next_one_is_asked() -> None:
    question, answers = asked(Request(spec=LOCK))
    taken: list[str] = []

    def watched() -> Iterator[ScenarioResult]:
        for result in answers:
            taken.append(result.name)
            yield result

    parts = FORMATS["text"](question, watched(), Look())
    first, second = next(parts), next(parts)

    assert "lock.py" in first
    assert "with the lock" in second
    assert taken == ["with the lock"]


def test_an_unexpected_violation_is_shown_step_by_step_however_many_were_shown_before() -> None:
    expected, *_ = results(Request(spec=LOCK, scenarios=("without",)))
    unexpected, *_ = results(Request(spec=LOCK, settings={"kind": "none"}))

    said = text_of([expected] * 5 + [unexpected])

    _, last = said.split("kind=none" + " " * 72)
    assert "NOT AS EXPECTED" in last
    assert "a shortest interleaving" in last


def test_of_many_expected_violations_the_first_three_are_shown_and_the_others_have_a_command() -> None:
    expected, *_ = results(Request(spec=LOCK, scenarios=("without",)))

    said = text_of([expected] * 5)

    assert said.count("a shortest interleaving") == 3
    assert said.count("pdspec check tests/golden/lock.py --scenario without --property mutual_exclusion") == 2


def test_a_bound_that_is_unexpectedly_too_small_is_shown_before_other_violations() -> None:
    result, *_ = results(Request(spec=WEDGE, settings={"queue_for": "1"}))

    said = text_of([result])

    unmet = [report.name for report in result.properties if not report.met and report.trace()]
    assert unmet[0] == "drains"
    assert "  bounds: a shortest interleaving" in said
    assert "leaves the bounds of the model: queue has room for 1, one more is added" in said


def test_a_model_that_differs_from_the_methods_is_told_as_our_bug() -> None:
    result, *_ = results(Request(spec=LOCK))
    checked = SelfCheckResult(27, ("acquire(i=0) in phase=[idle, idle]: expected disabled; the Model says updates",))

    said = text_of([replace(result, self_check=checked, exit_code=70)])

    assert "this is a bug of pdspec" in said
    assert "acquire(i=0) in phase=[idle, idle]" in said
    assert "Exit code 70: pdspec itself failed." in said


@pytest.mark.parametrize(
    ("file", "roots", "shown"),
    [
        ("/release/sglang/conn.py", ("/release", "/"), "sglang/conn.py:7"),
        ("/other/conn.py", ("/release",), "/other/conn.py:7"),
        ("specs/nixl.py", ("/release",), "specs/nixl.py:7"),
    ],
)
def test_a_place_is_told_without_the_folder_that_is_known(file: str, roots: tuple[str, ...], shown: str) -> None:
    assert place_text(SourceSpan(file, 7), roots) == shown


def test_the_steps_of_a_lasso_say_where_it_goes_on() -> None:
    result, *_ = results(Request(spec=LOCK, scenarios=("without",)))
    verdict = result.properties[0].verdict
    assert isinstance(verdict, Violation)
    assert verdict.trace is not None
    lasso = replace(verdict, trace=replace(verdict.trace, loop_start=1))

    said = text_of([replace(result, properties=(replace(result.properties[0], verdict=lasso),))])

    assert "and so on from step 1, for ever" in said


def test_what_a_terminal_would_obey_is_written_as_an_escape() -> None:
    result, *_ = results(Request(spec=LOCK, scenarios=("with the lock",)))

    said = text_of([replace(result, name="red\x1b[31m", why="line\x07")])

    assert "\x1b" not in said
    assert "red\\x1b[31m" in said


def test_a_wide_character_takes_two_columns() -> None:
    result, *_ = results(Request(spec=LOCK, scenarios=("with the lock",)))

    said = text_of([replace(result, name="锁锁")], Look(80))

    (line,) = [line for line in said.splitlines() if "锁锁" in line]
    assert len(line) == 78


def test_the_sentence_names_the_sizes_and_what_was_not_run() -> None:
    both = results(Request(spec=WEDGE))

    said = sentence(scope_of(both))

    assert "at most rooms=1, chunks=2, queue_for=4, and say nothing about larger values" in said
    assert "decode peer may act and need not" in said
    assert "'two rooms' (slow: give --all)" in said


def test_the_sentence_says_when_not_every_state_was_visited() -> None:
    limited = results(Request(spec=LOCK, states_max=1))

    said = sentence(scope_of(limited))

    assert "Not every state was visited in 'with the lock' (stopped by the limit of 1 state)" in said


def test_the_sentence_names_what_lifted_code_was_not_followed_into() -> None:
    result, *_ = results(Request(spec=LOCK))

    said = sentence(scope_of([replace(result, ignored=("logger", "time (taken as 0)"))]))

    assert "The lifted code was not followed into logger and time (taken as 0)." in said


def test_a_run_that_answered_nothing_is_inconclusive_and_says_that_nothing_is_shown() -> None:
    result, *_ = results(Request(spec=LOCK))
    nothing = [replace(result, not_run="slow: give --all", exit_code=0)]

    said = text_of(nothing)

    assert worst(nothing) == 3
    assert "Nothing is shown" in said
    assert "Exit code 3" in said


def results(request: Request) -> list[ScenarioResult]:
    """What comes out of a request, in no time."""
    _, answers = asked(request)
    return [timeless(result) for result in answers]


def timeless(result: ScenarioResult) -> ScenarioResult:
    evidence = None if result.evidence is None else replace(result.evidence, seconds=0.0)
    return replace(result, evidence=evidence, trace_seconds=0.0)


def text(request: Request, look: Look) -> str:
    question, answers = asked(request)
    return "".join(FORMATS["text"](question, map(timeless, answers), look))


def text_of(said: list[ScenarioResult], look: Look | None = None) -> str:
    question, _ = asked(Request(spec=LOCK))
    return "".join(FORMATS["text"](replace(question, scenarios=len(said)), said, look or Look()))


def without_escapes(said: str) -> str:
    first, *others = said.split("\x1b[")
    return first + "".join(other.partition("m")[2] for other in others)
