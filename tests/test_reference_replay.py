"""Traces that the reference replays, and what it says of those that are not behaviours or settle nothing."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pdspec.errors import SpecError
from pdspec.lang import (
    Process,
    Range,
    Set,
    Spec,
    Step,
    always_possible,
    any_of,
    choose,
    final,
    invariant,
    reachable,
    require,
    step_invariant,
)
from pdspec.semantics import confirms, objection, replay
from pdspec.trace import Failure, Trace
from pdspec.trace import Step as TraceStep

anyone = Process("anyone")
operator = Process("operator")


class Lift(Spec):
    """A lift that starts at floor 0 or 1, stops at 3, and may fall below where `unsafe`."""

    unsafe: bool = True

    def state(self) -> None:
        self.floor = Range(0, 3, start=any_of((0, 1), name="start"))
        self.visited = Set(range(4))

    @anyone.action(by=(1, 2))
    def up(self, by: int) -> None:
        require(self.floor + by <= 3)
        self.floor += by
        self.visited.add(self.floor)

    @anyone.action
    def leap(self) -> None:
        require(self.unsafe)
        self.floor = choose((0, 4), name="target")

    @anyone.action
    def fall(self) -> None:
        require(self.unsafe)
        self.visited.remove(self.floor)

    @operator.action
    def reset(self) -> None:
        require(self.floor == 3 and 3 in self.visited)
        self.floor = 0
        self.visited.clear()

    @invariant
    def below_three(self) -> bool:
        return self.floor < 3

    @invariant(floor=range(4))
    def not_at(self, floor: int) -> bool:
        return self.floor != floor

    @invariant
    def divides(self) -> bool:
        return 6 // (2 - self.floor) > 0

    @reachable
    def top(self) -> bool:
        return self.floor == 3

    @step_invariant
    def one_floor(self, before: Lift, step: Step) -> bool:
        return self.floor - before.floor <= 1 or step.action != "up"

    @step_invariant
    def ratio(self, before: Lift) -> bool:
        return self.floor // before.floor > 0

    @always_possible
    def bottom(self) -> bool:
        return self.floor == 0

    @always_possible(without=[operator, "leap"])
    def bottom_by_itself(self) -> bool:
        return self.floor == 0


def decode(codes: tuple[int, ...]) -> dict[str, Any]:
    """The floor, then the bits of the visited floors."""
    return {"floor": codes[0], "visited": {floor for floor in range(4) if codes[1] >> floor & 1}}


def up(by: int, *state: int) -> TraceStep:
    return TraceStep("up", "anyone", (("by", str(by)),), (), state)


RESET = TraceStep("reset", "operator", (), (), (0, 0))
CLIMB = Trace((1, 0), (("start", "1"),), (up(1, 2, 0b100), up(1, 3, 0b1100)))
SAFE = Lift(unsafe=False)
UNSAFE = Lift()


def ending(kind: str, message: str, action: str = "fall", choices: Any = ()) -> Trace:
    """The climb and a step that fails."""
    return dataclasses.replace(CLIMB, failure=Failure(action, "anyone", (), choices, kind, message))


def test_a_behaviour_is_replayed_step_by_step() -> None:
    assert replay(SAFE, CLIMB, decode) is None
    assert replay(SAFE, Trace((0, 0), (("start", "0"),)), decode) is None
    assert replay(SAFE, dataclasses.replace(CLIMB, steps=(*CLIMB.steps, RESET)), decode) is None


def test_a_chosen_step_is_replayed_by_its_choices() -> None:
    step = TraceStep("leap", "anyone", (), (("target", "0"),), (0, 0))

    assert replay(UNSAFE, Trace((1, 0), (("start", "1"),), (step,)), decode) is None


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        (dataclasses.replace(CLIMB, initial=(2, 0)), "step 0: no initial state with start=1 is {'floor': 2"),
        (dataclasses.replace(CLIMB, initial_choices=()), "step 0: no initial state is {'floor': 1"),
        (
            dataclasses.replace(CLIMB, steps=(up(1, 2, 0b100), up(1, 3, 0b1000))),
            "step 2, up(by=1): it leads to {'floor': 3, 'visited': {2, 3}}; the trace goes on with {'floor': 3",
        ),
        (
            dataclasses.replace(CLIMB, steps=(up(3, 3, 0b1000),)),
            "step 1, up(by=3): no such action, arguments and choices",
        ),
        (dataclasses.replace(CLIMB, steps=(RESET,)), "step 1, reset(): it is not enabled; the trace"),
        (
            dataclasses.replace(CLIMB, steps=(dataclasses.replace(up(1, 2, 0b100), process="operator"),)),
            "step 1, up(by=1): no such action",
        ),
        (
            dataclasses.replace(CLIMB, steps=(dataclasses.replace(up(1, 2, 0b100), choices=(("x", "1"),)),)),
            "step 1, up(by=1) with x=1: no such action, arguments and choices",
        ),
        (ending("exception", "KeyError: 2"), "step 3, fall(): it is not enabled; the trace ends with: KeyError: 2"),
        (dataclasses.replace(CLIMB, loop_start=0), "no step leads from the last state back to state 0"),
        (dataclasses.replace(CLIMB, loop_start=3), "the loop starts at 3, the trace has the states 0 to 2"),
    ],
)
def test_the_first_mismatch_of_a_trace_is_named(trace: Trace, message: str) -> None:
    said = replay(SAFE, trace, decode)

    assert said is not None
    assert said.startswith(message)


def test_a_failing_last_step_is_replayed_by_its_kind_and_type() -> None:
    start = Trace((1, 0), (("start", "1"),))
    raising = Failure("fall", "anyone", (), (), "exception", "KeyError: 1")
    leaping = Failure("leap", "anyone", (), (("target", "4"),), "bound", "floor cannot hold 4")

    def said(failure: Failure) -> str | None:
        return replay(UNSAFE, dataclasses.replace(start, failure=failure), decode)

    assert said(raising) is None
    assert said(leaping) is None
    assert said(dataclasses.replace(raising, message="ValueError: 1")) is not None
    assert said(dataclasses.replace(raising, kind="bound")) is not None
    assert said(dataclasses.replace(leaping, kind="exception")) is not None
    assert said(dataclasses.replace(leaping, choices=(("target", "0"),))) is not None


def test_a_lasso_closes_at_the_state_of_its_start_or_by_one_more_step() -> None:
    around = Trace((0, 0), (("start", "0"),), (up(2, 2, 0b100), up(1, 3, 0b1100), RESET), loop_start=0)
    open_ended = dataclasses.replace(around, steps=around.steps[:-1])

    assert replay(SAFE, around, decode) is None
    assert replay(SAFE, open_ended, decode) is None
    assert replay(SAFE, dataclasses.replace(open_ended, loop_start=1), decode) is not None
    assert replay(SAFE, dataclasses.replace(open_ended, loop_start=2), decode) is None


def test_an_invariant_is_violated_by_a_trace_to_a_state_where_it_is_false() -> None:
    short = dataclasses.replace(CLIMB, steps=CLIMB.steps[:1])

    assert confirms(SAFE, "below_three", CLIMB, decode)
    assert confirms(SAFE, "not_at(floor=3)", CLIMB, decode)
    assert objection(SAFE, "below_three", short, decode) is not None
    assert not confirms(SAFE, "not_at(floor=2)", CLIMB, decode)
    assert confirms(SAFE, "not_at(floor=2)", short, decode)


def test_a_trace_that_is_no_behaviour_settles_nothing() -> None:
    made_up = Trace((1, 0), (("start", "1"),), (up(2, 3, 0),))

    assert not confirms(SAFE, "below_three", made_up, decode)


def test_a_reachable_is_settled_by_a_witness() -> None:
    assert confirms(SAFE, "top", CLIMB, decode)
    assert objection(SAFE, "top", Trace((0, 0), (("start", "0"),)), decode) == (
        "top is false in the last state, {'floor': 0, 'visited': set()}; this does not show 'holds'"
    )


def test_an_error_is_settled_by_a_state_where_the_property_raises() -> None:
    there = dataclasses.replace(CLIMB, steps=CLIMB.steps[:1])

    assert confirms(SAFE, "divides", there, decode, "error")
    assert not confirms(SAFE, "divides", there, decode)
    assert not confirms(SAFE, "divides", CLIMB, decode, "error")


def test_a_step_invariant_is_settled_by_the_last_step() -> None:
    by_two = Trace((1, 0), (("start", "1"),), (up(2, 3, 0b1000),))
    from_zero = Trace((0, 0), (("start", "0"),), (up(1, 1, 0b10),))

    assert confirms(SAFE, "one_floor", by_two, decode)
    assert not confirms(SAFE, "one_floor", CLIMB, decode)
    assert confirms(SAFE, "ratio", from_zero, decode, "error")
    assert (
        objection(SAFE, "ratio", CLIMB, decode, "error") == "ratio is true of the last step; this does not show 'error'"
    )
    assert objection(SAFE, "one_floor", Trace((0, 0), (("start", "0"),)), decode) == (
        "one_floor is asked of steps, and the trace has none"
    )


def test_exceptions_and_bounds_are_settled_by_a_failing_last_step_of_that_kind() -> None:
    start = Trace((1, 0), (("start", "1"),))
    raising = dataclasses.replace(start, failure=Failure("fall", "anyone", (), (), "exception", "KeyError: 1"))
    leap = Failure("leap", "anyone", (), (("target", "4"),), "bound", "floor cannot hold 4")
    leaping = dataclasses.replace(start, failure=leap)

    assert confirms(UNSAFE, "exceptions", raising, decode)
    assert confirms(UNSAFE, "bounds", leaping, decode)
    assert not confirms(UNSAFE, "bounds", raising, decode)
    assert not confirms(UNSAFE, "exceptions", leaping, decode)
    assert not confirms(UNSAFE, "exceptions", start, decode)
    assert not confirms(UNSAFE, "not_at(floor=1)", raising, decode)


def test_an_always_possible_is_violated_where_nothing_that_follows_makes_it_true() -> None:
    assert confirms(SAFE, "bottom_by_itself", CLIMB, decode)
    assert confirms(SAFE, "bottom_by_itself", Trace((1, 0), (("start", "1"),)), decode)
    assert not confirms(SAFE, "bottom_by_itself", Trace((0, 0), (("start", "0"),)), decode)

    said = objection(SAFE, "bottom", CLIMB, decode)

    assert said == "bottom is true in {'floor': 0, 'visited': set()}, which can be reached from the last state"


def test_an_always_possible_is_not_settled_beyond_the_limit_of_states() -> None:
    start = Trace((1, 0), (("start", "1"),))

    assert objection(SAFE, "bottom_by_itself", start, decode, states_max=2) == (
        "not settled: more than 2 states can be reached from the last one"
    )
    assert objection(SAFE, "bottom_by_itself", start, decode, states_max=4) is None


def test_a_deadlock_is_settled_where_no_step_is_enabled_and_the_state_is_not_final() -> None:
    class Ends(Spec):
        last: int = 1

        def state(self) -> None:
            self.n = Range(0, 1)

        @anyone.action
        def count(self) -> None:
            require(self.n < self.last)
            self.n += 1

        @final
        def done(self) -> bool:
            return 1 // self.n == 1

    def state(codes: tuple[int, ...]) -> dict[str, Any]:
        return {"n": codes[0]}

    start = Trace((0,))
    end = Trace((0,), (), (TraceStep("count", "anyone", (), (), (1,)),))

    assert objection(Ends(), "deadlock", start, state) == "count is enabled in the last state"
    assert objection(Ends(), "deadlock", end, state) == "nothing is enabled in the last state, but @final is true"
    assert confirms(Ends(last=0), "deadlock", start, state, "error")
    assert not confirms(Ends(last=0), "deadlock", start, state)


def test_a_step_that_raises_is_enabled_so_its_state_is_no_deadlock() -> None:
    class Raises(Spec):
        def state(self) -> None:
            self.n = Range(0, 1)

        @anyone.action
        def fail(self) -> None:
            raise LookupError

    assert objection(Raises(), "deadlock", Trace((0,)), lambda codes: {"n": codes[0]}) == (
        "fail is enabled in the last state"
    )


def test_an_unknown_property_is_an_error_that_names_a_near_one() -> None:
    with pytest.raises(SpecError, match=r"no property 'not_at\(floor=4\)'.*did you mean 'not_at\(floor=3\)'") as caught:
        confirms(SAFE, "not_at(floor=4)", CLIMB, decode)

    assert caught.value.code == "PD201"
