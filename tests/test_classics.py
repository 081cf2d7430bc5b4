"""The specs in specs/classics: every scenario has the verdicts that it promises, and traces say what its `why` says."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from pdspec.check.scenario import Options, ScenarioReport, ask
from pdspec.lang.decorate import Property
from pdspec.lang.load import load_file
from pdspec.lang.scenario import Scenario, Violated
from pdspec.lang.spec import members
from pdspec.model.model import variable_texts
from pdspec.semantics.explore import explore
from pdspec.trace import Failure, Step, Trace
from pdspec.verdict import Evidence, Violation

CLASSICS = Path(__file__).parent.parent / "specs" / "classics"
FILES = {path.stem: load_file(path) for path in sorted(CLASSICS.glob("*.py"))}
SCENARIOS = {f"{stem}: {scenario.name}": scenario for stem, file in FILES.items() for scenario in file.scenarios}
SLOW = {name for name, scenario in SCENARIOS.items() if scenario.slow}
THOUSANDS_OF_STATES = {
    "filter_lock: four threads",
    "philosophers: seven, one right first",
    "two_phase_commit: five managers",
    "wedge_counted: no fix, two rooms",
    "wedge_counted: sticky",
    "wedge_counted: both",
}


def for_each_scenario(names: Collection[str], slow: Collection[str]) -> pytest.MarkDecorator:
    cases = [(name, [pytest.mark.slow] if name in slow else []) for name in SCENARIOS if name in names]
    return pytest.mark.parametrize("name", [pytest.param(name, marks=marks) for name, marks in cases])


for_each_file = pytest.mark.parametrize("file", FILES)


def asked(name: str) -> ScenarioReport:
    return ask(SCENARIOS[name], Options())


def counts(evidence: Evidence) -> tuple[int, int, int, int]:
    return evidence.states, evidence.transitions, evidence.terminal, evidence.depth


def violation(report: ScenarioReport, name: str) -> Violation:
    verdict = next(each.verdict for each in report.properties if each.name == name)
    assert isinstance(verdict, Violation)
    return verdict


def shown(trace: Trace | None) -> list[str]:
    """The steps of a trace, the failing one included, with their arguments and choices."""
    assert trace is not None
    steps: list[Step | Failure] = [*trace.steps]
    if trace.failure is not None:
        steps.append(trace.failure)
    pairs = [", ".join(f"{name}={value}" for name, value in (*step.args, *step.choices)) for step in steps]
    return [f"{step.action}({inside})" for step, inside in zip(steps, pairs, strict=True)]


def last_state(report: ScenarioReport, trace: Trace | None) -> dict[str, str]:
    assert trace is not None
    assert report.model is not None
    return variable_texts(report.model, trace.states()[-1])


# Every file.


@for_each_scenario(SCENARIOS, slow=SLOW)
def test_a_scenario_meets_its_expectations(name: str) -> None:
    report = asked(name)

    assert [(each.name, each.verdict, each.expected) for each in report.properties if not each.met] == []
    assert report.evidence is not None
    assert report.evidence.complete


@for_each_scenario(SCENARIOS.keys() - SLOW, slow=THOUSANDS_OF_STATES)
def test_the_methods_run_on_plain_values_give_the_same_answers(name: str) -> None:
    report = asked(name)

    reference = explore(SCENARIOS[name].spec)

    assert report.evidence is not None
    assert counts(report.evidence) == counts(reference.evidence)
    for each in report.properties:
        assert reference.verdicts[each.name] == ("violated" if isinstance(each.verdict, Violation) else "holds")
        if isinstance(each.verdict, Violation) and each.verdict.trace is not None:
            assert reference.lengths[each.name] == each.verdict.trace.length()


@for_each_file
def test_a_file_says_what_it_models_and_has_a_scenario_that_holds_and_a_broken_one(file: str) -> None:
    held = [scenario for scenario in FILES[file].scenarios if not scenario.expect]
    broken = [scenario for scenario in FILES[file].scenarios if scenario.expect]

    assert FILES[file].module.__doc__
    assert held
    assert broken


@for_each_file
def test_each_expected_violation_is_pinned_and_explained(file: str) -> None:
    for scenario in FILES[file].scenarios:
        kinds = {name: each.kind for name, each in members(type(scenario.spec)).items() if isinstance(each, Property)}
        for name, expected in scenario.expect.items():
            # That nothing is reached has no trace.
            pinned = isinstance(expected, Violated) and expected.steps is not None and expected.last is not None
            assert pinned or kinds.get(name) == "reachable"
        assert scenario.why.endswith(".") or not scenario.expect


@for_each_file
def test_every_property_but_the_reachable_ones_is_violated_in_some_scenario(file: str) -> None:
    found = [each for cls in FILES[file].specs for each in members(cls).values() if isinstance(each, Property)]
    properties = {each.name for each in found if each.kind != "reachable"}

    broken = {name for scenario in FILES[file].scenarios for name in scenario.expect}

    assert properties - broken == set()


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("alternating_bit: lossy channels", 138),
        ("peterson: Peterson", 20),
        ("philosophers: all left first", 3**5 - 1),
        ("philosophers: one right first", 3**5),
    ],
)
def test_the_number_of_states_is_the_one_that_the_file_tells(name: str, states: int) -> None:
    report = asked(name)

    assert report.evidence is not None
    assert report.evidence.states == states


def test_with_a_sticky_store_nothing_is_left_for_the_other_fix_to_do() -> None:
    sticky = asked("wedge_counted: sticky")
    both = ask(Scenario("both", SCENARIOS["wedge_counted: sticky"].spec.with_parameters(fix="both")), Options())

    assert sticky.evidence is not None
    assert both.evidence is not None
    assert counts(sticky.evidence) == counts(both.evidence)


# The traces.


def test_the_wedge_is_an_abort_between_the_mark_and_the_end_of_a_transfer() -> None:
    report = asked("wedge_counted: no fix")

    wedge = violation(report, "no_wedge")

    assert shown(wedge.trace) == [
        "bootstrap(room=0)",
        "register(room=0)",
        "enqueue(room=0)",
        "claim(room=0)",
        "send_abort(room=0)",
        "mark(room=0)",
        "handle_abort(room=0)",
        "transfer(room=0)",
        "finish(room=0)",
    ]
    state = last_state(report, wedge.trace)
    assert state["request_status"] == "{0: Transferring}"
    assert (state["phase"], state["queued"], state["worker"]) == ("[inflight]", "[0]", "idle")
    assert violation(report, "concludes").trace == wedge.trace


def test_among_two_rooms_the_wedge_is_a_deadlock_only_after_the_other_is_done() -> None:
    report = asked("wedge_counted: no fix, two rooms")

    deadlock = violation(report, "deadlock")

    assert shown(deadlock.trace)[:4] == [
        "bootstrap(room=0)",
        "send_abort(room=0)",
        "handle_abort(room=0)",
        "poll(room=0)",
    ]
    assert last_state(report, deadlock.trace)["phase"] == "[done, inflight]"


def test_philosophers_deadlock_when_each_holds_her_left_fork() -> None:
    report = asked("philosophers: all left first")

    deadlock = violation(report, "deadlock")

    assert sorted(shown(deadlock.trace)) == [f"take_first(i={i})" for i in range(5)]
    assert last_state(report, deadlock.trace)["taken"] == "{0, 1, 2, 3, 4}"
    assert violation(report, "eats_again").trace == deadlock.trace


def test_careless_neighbours_eat_together() -> None:
    report = asked("philosophers: careless")

    together = violation(report, "neighbours_do_not_eat_together")

    assert shown(together.trace) == ["take_first(i=1)", "take_first(i=0)", "take_second(i=1)", "take_second(i=0)"]


def test_peterson_with_the_turn_first_lets_the_second_in_before_the_first_raises_its_flag() -> None:
    report = asked("peterson: turn before flag")

    both = violation(report, "mutual_exclusion")

    assert shown(both.trace) == ["ask(i=0)", "ask(i=1)", "ask_on(i=1)", "enter(i=1)", "ask_on(i=0)", "enter(i=0)"]


def test_flags_alone_are_hopeless_two_steps_before_they_are_a_deadlock() -> None:
    report = asked("peterson: flags alone")

    assert shown(violation(report, "nobody_waits_in_vain").trace) == ["ask(i=1)", "ask(i=0)"]
    assert last_state(report, violation(report, "deadlock").trace)["phase"] == "[waiting, waiting]"


def test_a_filter_lock_with_a_level_missing_lets_two_of_three_past_the_only_victim() -> None:
    report = asked("filter_lock: a level missing")

    both = violation(report, "mutual_exclusion")

    state = last_state(report, both.trace)
    assert (state["phase"], state["victim"]) == ("[waiting, critical, critical]", "[0, 0, 0]")
    assert violation(report, "each_level_holds_one_back").instance == "each_level_holds_one_back(level=2)"


def test_a_hasty_commit_meets_a_manager_that_aborts_by_itself() -> None:
    report = asked("two_phase_commit: hasty")

    split = violation(report, "consistent")

    assert shown(split.trace) == [
        "prepare(m=1)",
        "receive_prepared(m=1)",
        "commit()",
        "choose_to_abort(m=2)",
        "receive_commit(m=1)",
    ]


def test_a_receiver_that_ignores_the_bit_delivers_a_repeat_again() -> None:
    report = asked("alternating_bit: the receiver ignores the bit")

    raised = violation(report, "exceptions")

    assert shown(raised.trace) == ["send()", "receive()", "time_out()", "send()", "receive()"]
    assert last_state(report, raised.trace)["packets"] == "[Packet(bit=False, body=0)]"


def test_a_repeat_that_is_overtaken_comes_when_its_bit_is_expected_again() -> None:
    report = asked("alternating_bit: packets overtake")

    raised = violation(report, "exceptions")

    assert shown(raised.trace) == [
        "send()",
        "receive(at=0)",
        "time_out()",
        "send()",
        "receive_acknowledgement()",
        "send()",
        "receive(at=1)",
        "receive(at=0)",
    ]
    assert (last_state(report, raised.trace)["delivered"], last_state(report, raised.trace)["expected"]) == (
        "2",
        "False",
    )
