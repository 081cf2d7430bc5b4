"""The founding case: specs/nixl.py says what its scenarios promise, in the engine and in the reference."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from pdspec.check.scenario import Options, ScenarioReport, ask, exit_code, needs_source
from pdspec.lang.ground import ground
from pdspec.lang.load import load_file
from pdspec.lang.scenario import Violated
from pdspec.model.model import Model
from pdspec.model.tree import Shown, outcomes
from pdspec.semantics import confirms, explore, replay
from pdspec.semantics.oracle import self_check
from pdspec.trace import Trace
from pdspec.verdict import Holds, Violation

FILE = load_file(Path(__file__).parent.parent / "specs" / "nixl.py")
SCENARIOS = {scenario.name: scenario for scenario in FILE.scenarios if not needs_source(scenario)}
ENUMERABLE = [name for name in SCENARIOS if name != "three rooms"]
VERDICTS = {Holds: "holds", Violation: "violated"}


@cache
def report_of(name: str) -> ScenarioReport:
    return ask(SCENARIOS[name], Options())


def violation(name: str, prop: str) -> Violation:
    verdict = next(each.verdict for each in report_of(name).properties if each.name == prop)
    assert isinstance(verdict, Violation)
    return verdict


def holds(name: str, prop: str) -> bool:
    return isinstance(next(each.verdict for each in report_of(name).properties if each.name == prop), Holds)


def derived(model: Model, trace: Trace, name: str) -> list[str]:
    """A derived value in each state of a trace."""
    tree = next(value.tree for value in model.derived if value.name == name)
    texts = []
    for state in trace.states():
        ((_, leaf),) = outcomes(tree, state)
        assert isinstance(leaf, Shown)
        texts.append(leaf.text)
    return texts


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] if SCENARIOS[each].slow else []) for each in SCENARIOS]
)
def test_every_scenario_is_as_expected(name: str) -> None:
    report = report_of(name)

    assert exit_code([report]) == 0, [(each.name, each.verdict) for each in report.properties if not each.met]
    assert report.scenario.why


def test_every_violation_that_is_expected_pins_its_last_action() -> None:
    for scenario in SCENARIOS.values():
        for name, expectation in scenario.expect.items():
            assert isinstance(expectation, Violated), (scenario.name, name)
            assert expectation.last is not None


def test_the_wedge_is_the_interleaving_of_the_incident() -> None:
    report = report_of("as shipped")
    wedge = violation("as shipped", "inflight_drains")

    assert wedge.trace is not None
    assert [step.action for step in wedge.trace.steps] == [
        "start",
        "receive_metadata",
        "send_chunk",
        "take_chunk",
        "skip_guard",
        "abort",
        "mark",
    ]
    assert report.model is not None
    assert derived(report.model, wedge.trace, "num_prefill_inflight") == ["0", *["1"] * 7]


def test_with_unlimited_aborts_only_not_counting_on_them_shows_the_wedge() -> None:
    assert holds("aborts without limit", "inflight_drains_somehow")
    assert violation("aborts without limit", "inflight_drains").trace is not None


def test_the_age_limit_hides_the_wedge_from_who_counts_on_it() -> None:
    assert holds("age limit", "inflight_drains_somehow")
    assert violation("age limit", "inflight_drains").trace is not None


@pytest.mark.parametrize("name", ["fix A", "fix B", "both fixes", "both fixes, opening writes only"])
def test_each_fix_ends_the_wedge(name: str) -> None:
    assert holds(name, "inflight_drains")


def test_only_opening_writes_leave_nothing_behind() -> None:
    assert violation("both fixes", "nothing_left").trace is not None
    assert holds("both fixes, opening writes only", "nothing_left")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] if SCENARIOS[each].slow else []) for each in ENUMERABLE]
)
def test_the_reference_agrees_on_counts_verdicts_and_traces(name: str) -> None:
    spec = SCENARIOS[name].spec
    _, layout = ground(spec)
    report = report_of(name)
    assert report.evidence is not None

    found = explore(spec)

    evidence = found.evidence
    assert (evidence.states, evidence.transitions, evidence.depth, evidence.terminal) == (
        report.evidence.states,
        report.evidence.transitions,
        report.evidence.depth,
        report.evidence.terminal,
    )
    for each in report.properties:
        assert found.verdicts[each.name] == VERDICTS[type(each.verdict)]
        trace = each.verdict.witness if isinstance(each.verdict, Holds) else getattr(each.verdict, "trace", None)
        if trace is None:
            continue
        assert replay(spec, trace, layout.decode) is None
        assert found.lengths[each.name] == trace.length()
        if isinstance(each.verdict, Violation):
            assert confirms(spec, each.verdict.instance, trace, layout.decode)


@pytest.mark.parametrize("name", ["as shipped", "both fixes, opening writes only", "Failed highest, two ranks"])
def test_the_traced_steps_do_what_the_methods_do(name: str) -> None:
    spec = SCENARIOS[name].spec
    model, layout = ground(spec)

    checked = self_check(spec, model, layout, limit=150)

    assert checked.mismatches == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ENUMERABLE)
def test_the_traced_steps_do_what_the_methods_do_in_more_states(name: str) -> None:
    spec = SCENARIOS[name].spec
    model, layout = ground(spec)

    checked = self_check(spec, model, layout, limit=1_000)

    assert checked.mismatches == ()
