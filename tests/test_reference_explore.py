"""The verdicts of the reference, rule by rule, on a counter."""

from __future__ import annotations

import contextlib
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
    derived,
    final,
    invariant,
    parameter,
    reachable,
    require,
    step_invariant,
)
from pdspec.semantics import explore
from pdspec.verdict import Limits

anyone = Process("anyone")
operator = Process("operator")


class Counter(Spec):
    """Counts up to `last`, where it may go round, and says what properties are asked to say."""

    last: int = 3
    round: bool = False

    def state(self) -> None:
        self.n = Range(0, 9)

    @anyone.action
    def count(self) -> None:
        require(self.n < self.last)
        self.n += 1

    @operator.action
    def reset(self) -> None:
        require(self.round and self.n == self.last)
        self.n = 0


def test_a_state_that_nothing_leaves_is_a_deadlock_unless_it_is_final() -> None:
    class Ends(Counter):
        @final
        def done(self) -> bool:
            return self.n == 2

    assert explore(Counter()).verdicts["deadlock"] == "violated"
    assert explore(Counter()).lengths["deadlock"] == 3
    assert explore(Counter(round=True)).verdicts["deadlock"] == "holds"
    assert explore(Ends()).verdicts["deadlock"] == "violated"
    assert explore(Ends(last=2)).verdicts["deadlock"] == "holds"


def test_a_final_that_raises_is_an_error_of_deadlock() -> None:
    class Fails(Counter):
        @final
        def done(self) -> bool:
            return 1 // (self.n - 3) == 0

    found = explore(Fails())

    assert found.verdicts["deadlock"] == "error"
    assert found.lengths["deadlock"] == 3


def test_two_methods_that_say_which_states_are_final_are_refused() -> None:
    class Two(Counter):
        @final
        def done(self) -> bool:
            return self.n == 2

        @final
        def finished(self) -> bool:
            return self.n == 3

    with pytest.raises(SpecError, match="done and finished are both @final"):
        explore(Two())


def test_a_step_that_changes_nothing_is_a_transition_and_no_deadlock() -> None:
    class Waits(Counter):
        @operator.action
        def wait(self) -> None: ...

    found = explore(Waits())

    assert found.verdicts["deadlock"] == "holds"
    assert (found.evidence.states, found.evidence.transitions, found.evidence.terminal) == (4, 7, 0)


class Raising(Counter):
    @operator.action
    def look(self) -> None:
        require(self.n == self.last)
        raise LookupError(self.n)


def test_a_step_that_raises_is_a_violation_without_successor_and_no_deadlock() -> None:
    found = explore(Raising())

    assert found.verdicts == {"deadlock": "holds", "exceptions": "violated", "bounds": "holds"}
    assert found.lengths == {"exceptions": 4}
    assert (found.evidence.states, found.evidence.transitions, found.evidence.terminal) == (4, 3, 1)
    assert [(failure.source, failure.outcome.message) for failure in found.graph.failures] == [(3, "3")]


def test_a_bound_makes_inconclusive_whatever_else_would_hold() -> None:
    class Small(Counter):
        @invariant
        def small(self) -> bool:
            return self.n < 20

        @invariant
        def smaller(self) -> bool:
            return self.n < 5

        @reachable
        def five(self) -> bool:
            return self.n == 5

        @invariant
        def works(self) -> bool:
            return 10 // (self.n - 6) != 0

    found = explore(Small(last=10))

    assert found.verdicts == {
        "deadlock": "inconclusive",
        "exceptions": "inconclusive",
        "bounds": "violated",
        "small": "inconclusive",
        "smaller": "violated",
        "five": "inconclusive",
        "works": "error",
    }
    assert found.lengths == {"bounds": 10, "smaller": 5, "works": 6}


def test_choices_tell_transitions_apart_and_equal_ones_count_once() -> None:
    class Chooses(Spec):
        def state(self) -> None:
            self.n = Range(0, 1)

        @anyone.action
        def pick(self) -> None:
            choose(("a", "b"))
            self.n = 1

        @anyone.action(x=(1, 1, 2))
        def set(self, x: int) -> None:
            self.n = 1

    assert explore(Chooses()).evidence.transitions == 2 * (2 + 2)


def test_several_initial_states_are_at_depth_0() -> None:
    class Starts(Spec):
        def state(self) -> None:
            self.n = Range(0, 9, start=any_of((2, 7)))

        @anyone.action
        def count(self) -> None:
            require(self.n < 8)
            self.n += 1

        @invariant
        def not_eight(self) -> bool:
            return self.n != 8

    found = explore(Starts())

    assert (found.evidence.states, found.evidence.depth) == (7, 4)
    assert found.lengths["not_eight"] == 1


class Asked(Counter):
    round: bool = True

    @invariant(most=(2, 3, 1))
    def up_to(self, most: int) -> bool:
        return self.n <= most

    @reachable(n=(0, 3, 4))
    def seen(self, n: int) -> bool:
        return self.n == n

    @step_invariant
    def never_down(self, before: Asked, step: Step) -> bool:
        return self.n >= before.n or step.process == "operator"

    @step_invariant
    def never_two(self, before: Asked) -> bool:
        return (before.n, self.n) != (1, 2)

    @step_invariant(n=(0, 5))
    def never_back_to(self, n: int) -> bool:
        return self.n != n

    @always_possible
    def back_at_0(self) -> bool:
        return self.n == 0

    @always_possible(without=[operator])
    def back_without_operator(self) -> bool:
        return self.n == 0

    @always_possible(without=["count"])
    def back_without_count(self) -> bool:
        return self.n == 0

    @always_possible(without=[Counter.reset])
    def up_without_reset(self) -> bool:
        return self.n == 3

    @invariant(i=())
    def nobody(self, i: int) -> bool:
        return False

    @derived
    def half(self) -> int:
        return self.n // 2

    @invariant
    def half_is_less(self) -> bool:
        return self.half <= self.n


def test_every_kind_of_property_is_answered_for_each_instance_with_its_shortest_length() -> None:
    found = explore(Asked())

    assert found.instances == {
        "deadlock": "holds",
        "exceptions": "holds",
        "bounds": "holds",
        "up_to(most=2)": "violated",
        "up_to(most=3)": "holds",
        "up_to(most=1)": "violated",
        "seen(n=0)": "holds",
        "seen(n=3)": "holds",
        "seen(n=4)": "violated",
        "never_down": "holds",
        "never_two": "violated",
        "never_back_to(n=0)": "violated",
        "never_back_to(n=5)": "holds",
        "back_at_0": "holds",
        "back_without_operator": "violated",
        "back_without_count": "violated",
        "up_without_reset": "holds",
        "half_is_less": "holds",
    }
    assert found.lengths == {
        "up_to": 2,
        "up_to(most=2)": 3,
        "up_to(most=1)": 2,
        "seen(n=0)": 0,
        "seen(n=3)": 3,
        "never_two": 2,
        "never_back_to": 4,
        "never_back_to(n=0)": 4,
        "back_without_operator": 1,
        "back_without_count": 1,
    }
    assert found.verdicts["up_to"] == "violated"
    assert found.verdicts["seen"] == "violated"
    assert found.verdicts["nobody"] == "holds"


def test_a_step_invariant_is_asked_of_steps_that_change_nothing_with_the_values_of_arguments() -> None:
    class Waits(Spec):
        def state(self) -> None:
            self.n = Range(0, 1)

        @operator.action(times=(1, 2))
        def wait(self, times: int) -> None: ...

        @step_invariant
        def short(self, step: Step) -> bool:
            return step.action == "wait" and step.args["times"] == 1

    found = explore(Waits())

    assert found.verdicts["short"] == "violated"
    assert found.lengths["short"] == 1


@pytest.mark.parametrize("kind", [invariant, reachable, always_possible])
def test_a_property_that_raises_in_a_reachable_state_is_an_error_whatever_else_it_says(kind: Any) -> None:
    class Divides(Counter):
        @kind  # type: ignore[untyped-decorator]
        def divides(self) -> bool:
            return 6 // (2 - self.n) == 6

    found = explore(Divides())

    assert found.verdicts["divides"] == "error"
    assert found.lengths["divides"] == 2


def test_a_step_invariant_that_raises_is_an_error() -> None:
    class Divides(Counter):
        @step_invariant
        def divides(self, before: Divides) -> bool:
            return 6 // (2 - before.n) < 0

    found = explore(Divides())

    assert found.verdicts["divides"] == "error"
    assert found.lengths["divides"] == 3


def test_an_unknown_name_in_without_is_an_error_that_names_a_near_one() -> None:
    class Misspelt(Counter):
        @always_possible(without=["rest"])
        def zero(self) -> bool:
            return self.n == 0

    with pytest.raises(SpecError, match="'rest' is no action and no process of Misspelt; did you mean 'reset'"):
        explore(Misspelt())


def assigns(self: Any) -> bool:
    try:
        self.n = 1
    except Exception:
        return True
    return True


def adds(self: Any) -> bool:
    self.members.add(1)
    return True


def discards(self: Any) -> bool:
    self.members.discard(1)
    return True


def requires(self: Any) -> bool:
    require(self.n == 1)
    return True


def chooses(self: Any) -> bool:
    return bool(choose((True, False)))


def pops(self: Any) -> bool:
    return bool(self.members.pop())


def iterates(self: Any) -> bool:
    return bool(next(self.members._pdspec_iter()))


@pytest.mark.parametrize("look", [assigns, adds, discards, requires, chooses, pops, iterates])
def test_a_property_that_does_more_than_look_is_refused(look: Any) -> None:
    class Looks(Spec):
        def state(self) -> None:
            self.n = Range(0, 3)
            self.members = Set(range(3), start={1})

        @anyone.action
        def rest(self) -> None: ...

        @invariant
        def looks(self) -> bool:
            return bool(look(self))

    with pytest.raises(SpecError) as caught:
        explore(Looks())

    assert caught.value.code == "PD108"
    assert caught.value.span is not None
    assert caught.value.span.file == __file__


def test_a_step_invariant_may_not_change_the_state_before() -> None:
    class Looks(Counter):
        @step_invariant
        def looks(self, before: Looks) -> bool:
            before.n = 0
            return True

    with pytest.raises(SpecError) as caught:
        explore(Looks())

    assert caught.value.code == "PD108"


def test_a_step_invariant_may_not_swallow_that_it_changes_the_state_before() -> None:
    class Looks(Counter):
        @step_invariant
        def looks(self, before: Looks) -> bool:
            with contextlib.suppress(Exception):
                before.n = 0
            return True

    with pytest.raises(SpecError) as caught:
        explore(Looks())

    assert caught.value.code == "PD108"


def test_a_process_in_without_does_not_stand_for_an_action_of_its_name() -> None:
    count = Process("count")

    class Named(Counter):
        round: bool = True

        @count.action
        def hold(self) -> None: ...

        @always_possible(without=[count])
        def top(self) -> bool:
            return self.n == 3

        @always_possible(without=["count"])
        def top_without_both(self) -> bool:
            return self.n == 3

    found = explore(Named())

    assert found.verdicts["top"] == "holds"
    assert found.verdicts["top_without_both"] == "violated"


def test_a_property_that_reads_an_undeclared_name_is_refused() -> None:
    class Looks(Counter):
        @invariant
        def looks(self) -> bool:
            return hasattr(self, "nn") or True

    with pytest.raises(SpecError, match="did you mean 'n'") as caught:
        explore(Looks())

    assert caught.value.code == "PD102"


def test_a_property_that_calls_itself_without_end_is_refused() -> None:
    class Looks(Counter):
        @invariant
        def looks(self) -> bool:
            return bool(self.looks())

    with pytest.raises(SpecError, match="looks calls itself without end") as caught:
        explore(Looks())

    assert caught.value.code == "PD106"


def test_a_limit_below_the_number_of_initial_states_stops_at_once() -> None:
    class Starts(Spec):
        def state(self) -> None:
            self.n = Range(0, 9, start=any_of(range(5)))

        @anyone.action
        def rest(self) -> None: ...

    evidence = explore(Starts(), Limits(states_max=3)).evidence

    assert (evidence.states, evidence.transitions, evidence.complete) == (3, 0, False)


def test_a_property_may_change_a_copy() -> None:
    class Looks(Spec):
        def state(self) -> None:
            self.members = Set(range(3), start={1})

        @anyone.action
        def rest(self) -> None: ...

        @invariant
        def looks(self) -> bool:
            members = self.members.copy()
            members.add(2)
            return 2 not in self.members

    assert explore(Looks()).verdicts["looks"] == "holds"


def test_after_a_limit_what_was_found_stands_and_all_else_is_inconclusive() -> None:
    class Long(Counter):
        last: int = 9

        @invariant
        def below_three(self) -> bool:
            return self.n < 3

        @invariant
        def below_ten(self) -> bool:
            return self.n < 10

        @reachable
        def two(self) -> bool:
            return self.n == 2

        @reachable
        def eight(self) -> bool:
            return self.n == 8

        @always_possible
        def zero(self) -> bool:
            return self.n == 0

    found = explore(Long(), Limits(states_max=5))

    assert (found.evidence.states, found.evidence.complete, found.evidence.stopped_by) == (5, False, "5 states")
    assert found.verdicts == {
        "deadlock": "inconclusive",
        "exceptions": "inconclusive",
        "bounds": "inconclusive",
        "below_three": "violated",
        "below_ten": "inconclusive",
        "two": "holds",
        "eight": "inconclusive",
        "zero": "inconclusive",
    }


def test_after_a_limit_a_wedge_is_reported_where_everything_that_follows_was_expanded() -> None:
    class Trap(Counter):
        last: int = 9

        def state(self) -> None:
            self.n = Range(0, 9)
            self.trapped = False

        @operator.action
        def fall(self) -> None:
            require(self.n == 0)
            self.trapped = True
            self.n = 9

        @always_possible
        def free(self) -> bool:
            return not self.trapped

    found = explore(Trap(), Limits(states_max=6))

    assert not found.evidence.complete
    assert found.verdicts["free"] == "violated"
    assert found.lengths["free"] == 1


def test_a_limit_of_seconds_ends_the_visit() -> None:
    found = explore(Counter(), Limits(seconds_max=0.0))

    assert found.evidence.stopped_by == "0 seconds"
    assert found.verdicts["deadlock"] == "inconclusive"


def test_a_limit_that_is_not_met_is_no_limit() -> None:
    found = explore(Counter(round=True), Limits(states_max=4))

    assert found.evidence.complete
    assert found.verdicts["deadlock"] == "holds"


def test_parameters_are_seen_by_state_actions_and_domains() -> None:
    class Sized(Spec):
        size: int = parameter(2, at_least=1)

        def state(self) -> None:
            self.n = Range(0, self.size)

        @anyone.action(to=lambda spec: range(spec.size + 1))
        def go(self, to: int) -> None:
            self.n = to

    assert explore(Sized(size=3)).evidence.states == 4
    assert explore(Sized(size=3)).evidence.transitions == 16
