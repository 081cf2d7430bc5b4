"""One step of the reference: `require`, `choose`, exceptions, bounds, refusals, and what a step cannot swallow."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections import deque
from enum import Enum
from typing import Any

import pytest

from pdspec.errors import SpecError
from pdspec.lang import Array, Bag, Dict, Process, Queue, Range, Set, Spec, choose, require
from pdspec.semantics import Bound, Disabled, Next, Raised, initial_states, instances, outcomes
from pdspec.source import SourceSpan
from tests.one_step import after, bound, one_step, raised, result, results

anyone = Process("anyone")


class Color(Enum):
    red = 1
    green = 2


def line_of(method: Any, offset: int) -> SourceSpan:
    """A line of this file, counted from the first one of the method, its decorators included."""
    code = getattr(method, "function", method).__code__
    return SourceSpan(__file__, code.co_firstlineno + offset)


def numbers(spec: Any) -> None:
    spec.n = Range(0, 3)
    spec.m = Range(0, 3)


def sets(spec: Any) -> None:
    spec.a = Set(range(4), start={0})
    spec.b = Set(range(4))
    spec.rooms = Dict(range(2), Set(range(4)), start={0: {1}})


def test_an_assignment_leads_to_a_state_where_the_other_variables_stay() -> None:
    def step(self: Any) -> None:
        self.n = self.n + 2

    assert after(numbers, step) == {"n": 2, "m": 0}


def test_the_state_that_a_step_starts_from_is_left_as_it_is() -> None:
    class Adds(Spec):
        def state(self) -> None:
            self.rooms = Dict(range(2), Set(range(2)), start={0: set()})

        @anyone.action
        def add(self) -> None:
            self.rooms[0].add(1)

    spec = Adds()
    state = {"rooms": {0: set[int]()}}

    found = outcomes(spec, instances(spec)[0], state)

    assert found == [((), Next({"rooms": {0: {1}}}))]
    assert state == {"rooms": {0: set()}}


def test_a_require_that_fails_disables_the_step_whatever_stands_before_it() -> None:
    def step(self: Any) -> None:
        self.n = 3
        require(self.m == 1)

    assert isinstance(result(numbers, step), Disabled)


def test_a_require_that_holds_changes_nothing() -> None:
    def step(self: Any) -> None:
        require(self.m == 0)
        self.n = 3

    assert after(numbers, step) == {"n": 3, "m": 0}


def swallowed_by_except(self: Any) -> None:
    try:
        require(False)
    except:  # noqa: E722
        self.n = 1


def swallowed_by_suppress(self: Any) -> None:
    with contextlib.suppress(BaseException):
        require(False)
    self.n = 1


def swallowed_by_return(self: Any) -> None:
    try:
        require(False)
    finally:
        return  # noqa: B012


def followed_by_an_exception(self: Any) -> None:
    try:
        require(False)
    finally:
        raise ValueError("late")


@pytest.mark.parametrize(
    "step", [swallowed_by_except, swallowed_by_suppress, swallowed_by_return, followed_by_an_exception]
)
def test_a_failed_require_disables_the_step_although_the_method_swallows_it(step: Any) -> None:
    assert isinstance(result(numbers, step), Disabled)


def test_whatever_the_method_asks_after_a_failed_require_ends_it_again() -> None:
    reached: list[str] = []

    def step(self: Any) -> None:
        for ask in (lambda: self.n, lambda: setattr(self, "n", 1), lambda: require(True), lambda: choose((1, 2))):
            try:
                require(False)
                reached.append("after require")
            except BaseException:
                with contextlib.suppress(BaseException):
                    ask()
                    reached.append("after asking")

    assert isinstance(result(numbers, step), Disabled)
    assert reached == []


def test_a_bound_stands_although_the_method_swallows_it_and_goes_on() -> None:
    def step(self: Any) -> None:
        with contextlib.suppress(BaseException):
            self.n = 4
        with contextlib.suppress(BaseException):
            require(False)
        self.n = 1

    assert bound(numbers, step) == "n cannot hold 4: it is declared as Range(0, 3)"


def test_a_value_outside_its_type_is_a_bound_even_if_the_step_would_put_it_right() -> None:
    def step(self: Any) -> None:
        self.n = 4
        self.n = 2

    assert isinstance(result(numbers, step), Bound)


def test_a_bound_shows_the_line_that_stores_the_value() -> None:
    class Counts(Spec):
        def state(self) -> None:
            self.n = Range(0, 3)

        @anyone.action
        def count(self) -> None:
            self.n += 4

    spec = Counts()

    ((_, outcome),) = outcomes(spec, instances(spec)[0], {"n": 0})

    assert isinstance(outcome, Bound)
    assert outcome.span == line_of(Counts.count, 2)


def test_each_option_of_a_choice_is_an_outcome_of_its_own_in_order() -> None:
    def step(self: Any) -> None:
        self.n = choose((2, 0, 3), name="number")

    assert results(numbers, step) == [
        ((("number", "2"),), Next({"n": 2, "m": 0})),
        ((("number", "0"),), Next({"n": 0, "m": 0})),
        ((("number", "3"),), Next({"n": 3, "m": 0})),
    ]


def test_later_choices_are_resolved_first_and_may_depend_on_earlier_ones() -> None:
    def step(self: Any) -> None:
        self.n = choose((1, 2))
        self.m = choose(range(self.n))

    assert [(choices, outcome.state) for choices, outcome in results(numbers, step) if isinstance(outcome, Next)] == [
        ((("choice", "1"), ("choice", "0")), {"n": 1, "m": 0}),
        ((("choice", "2"), ("choice", "0")), {"n": 2, "m": 0}),
        ((("choice", "2"), ("choice", "1")), {"n": 2, "m": 1}),
    ]


def test_some_resolutions_can_be_disabled_others_raise() -> None:
    def step(self: Any) -> None:
        n = choose((0, 1, 2))
        require(n != 0)
        assert n != 1

    kinds = [type(outcome) for _, outcome in results(numbers, step)]

    assert kinds == [Disabled, Raised, Next]


def test_options_that_python_calls_equal_are_one_option_the_first() -> None:
    def step(self: Any) -> None:
        self.n = choose((1, True, 2, 1))

    assert [choices for choices, _ in results(numbers, step)] == [(("choice", "1"),), (("choice", "2"),)]


def test_an_enum_class_offers_its_members_by_name() -> None:
    def step(self: Any) -> None:
        self.n = choose(Color).value

    assert [choices for choices, _ in results(numbers, step)] == [(("choice", "red"),), (("choice", "green"),)]


def test_no_option_disables_the_step() -> None:
    def step(self: Any) -> None:
        self.n = 1
        self.n = choose(())

    assert isinstance(result(numbers, step), Disabled)


def test_an_exception_that_leaves_the_step_shows_the_innermost_line_of_the_spec() -> None:
    class Polls(Spec):
        def state(self) -> None:
            self.status = Dict(range(2), Range(0, 1))

        def lookup(self, room: int) -> int:
            return self.status[room]

        @anyone.action
        def poll(self) -> None:
            self.status[0] = self.lookup(1)

    spec = Polls()

    ((_, outcome),) = outcomes(spec, instances(spec)[0], initial_states(spec)[0][1])

    assert isinstance(outcome, Raised)
    assert isinstance(outcome.exception, KeyError)
    assert (outcome.type_name, outcome.message) == ("KeyError", "1")
    assert outcome.span == line_of(Polls.lookup, 1)


def test_an_exception_that_the_method_catches_is_no_outcome() -> None:
    def step(self: Any) -> None:
        try:
            self.n = [0][self.m + 1]
        except IndexError:
            self.n = 3

    assert after(numbers, step) == {"n": 3, "m": 0}


def test_leaving_the_interpreter_is_an_exception_of_the_step() -> None:
    def step(self: Any) -> None:
        sys.exit("done")

    assert raised(numbers, step) == ("SystemExit", "done")


def test_an_interrupt_by_the_user_is_not_an_outcome() -> None:
    def step(self: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        result(numbers, step)


def reads_unknown(self: Any) -> None:
    with contextlib.suppress(Exception):
        self.m = self.nn


def assigns_unknown(self: Any) -> None:
    try:
        self.nn = 1
    finally:
        return  # noqa: B012


def asks_for_unknown(self: Any) -> None:
    self.m = 1 if hasattr(self, "nn") else 2


@pytest.mark.parametrize("step", [reads_unknown, assigns_unknown, asks_for_unknown])
def test_an_undeclared_name_is_refused_although_the_method_swallows_it(step: Any) -> None:
    with pytest.raises(SpecError, match="'nn', which state\\(\\) does not declare; did you mean 'n'") as caught:
        result(numbers, step)

    assert caught.value.code == "PD102"


def test_a_parameter_cannot_be_assigned_in_a_step() -> None:
    class Grows(Spec):
        rooms: int = 1

        def state(self) -> None:
            self.n = Range(0, 3)

        @anyone.action
        def grow(self) -> None:
            self.rooms = 2

    spec = Grows()

    with pytest.raises(SpecError, match="'rooms'") as caught:
        outcomes(spec, instances(spec)[0], {"n": 0})

    assert caught.value.code == "PD102"
    assert caught.value.span == line_of(Grows.grow, 2)


def test_a_step_whose_options_differ_from_run_to_run_is_refused() -> None:
    counter = itertools.count()

    def step(self: Any) -> None:
        self.n = choose((0, 1))
        self.m = choose((0, 2 + next(counter)))

    with pytest.raises(SpecError, match="part at the choice") as caught:
        results(numbers, step)

    assert caught.value.code == "PD105"


def test_a_step_that_chooses_once_and_not_again_is_refused() -> None:
    runs = itertools.count()

    def step(self: Any) -> None:
        self.n = choose((0, 1)) if next(runs) == 0 else 0

    with pytest.raises(SpecError, match="two runs of the same path differ") as caught:
        results(numbers, step)

    assert caught.value.code == "PD105"


def test_a_step_that_chooses_without_end_is_refused() -> None:
    def step(self: Any) -> None:
        while choose((True, False)):
            pass

    with pytest.raises(SpecError, match="more than 100,000 events") as caught:
        results(numbers, step)

    assert caught.value.code == "PD106"


def test_a_step_that_calls_itself_without_end_is_refused() -> None:
    def step(self: Any) -> None:
        step(self)

    with pytest.raises(SpecError, match="calls itself without end"):
        result(numbers, step)


def changes_a_kept_container(kept: list[Any], self: Any) -> None:
    kept.append(self.a)
    with contextlib.suppress(Exception):
        kept[0].add(1)


def reads_through_a_kept_self(kept: list[Any], self: Any) -> None:
    kept.append(self)
    with contextlib.suppress(Exception):
        self.b = set(kept[0].a)


@pytest.mark.parametrize("step", [changes_a_kept_container, reads_through_a_kept_self])
def test_what_is_kept_from_an_earlier_run_is_refused_although_the_method_swallows_it(step: Any) -> None:
    kept: list[Any] = []
    spec = one_step(sets, lambda self: step(kept, self))
    (instance,) = instances(spec)
    ((_, state),) = initial_states(spec)

    outcomes(spec, instance, state)

    with pytest.raises(SpecError) as caught:
        outcomes(spec, instance, state)
    assert caught.value.code == "PD109"


def test_a_generator_is_no_action() -> None:
    class Yields(Spec):
        def state(self) -> None:
            self.n = Range(0, 3)

        @anyone.action
        def act(self) -> Any:
            yield 1

    with pytest.raises(SpecError, match="one atomic step") as caught:
        instances(Yields())

    assert caught.value.code == "PD104"


def stores_in_two_places(self: Any) -> None:
    some: set[int] = set()
    self.a = some
    self.b = some


def stores_twice_in_one_container(self: Any) -> None:
    some = {1}
    self.rooms = {0: some, 1: some}


def stores_another_variable(self: Any) -> None:
    self.b = self.a


def stores_an_entry_elsewhere(self: Any) -> None:
    self.a = self.rooms[0]


def changes_after_storing(self: Any) -> None:
    some: set[int] = set()
    self.a = some
    some.add(1)


def changes_after_storing_and_requires(self: Any) -> None:
    some: set[int] = set()
    self.a = some
    some.add(1)
    require(1 in self.a)


def changes_what_was_taken_out(self: Any) -> None:
    room = self.rooms[0]
    del self.rooms[0]
    room.add(2)


def changes_what_was_replaced(self: Any) -> None:
    room = self.rooms[0]
    self.rooms[0] = set()
    room.add(2)


def changes_a_part_of_what_was_replaced(self: Any) -> None:
    room = self.rooms[0]
    self.rooms = {}
    room.add(2)


@pytest.mark.parametrize(
    "step",
    [
        stores_in_two_places,
        stores_twice_in_one_container,
        stores_another_variable,
        stores_an_entry_elsewhere,
        changes_after_storing,
        changes_after_storing_and_requires,
        changes_what_was_taken_out,
        changes_what_was_replaced,
        changes_a_part_of_what_was_replaced,
    ],
)
def test_a_mutable_object_in_two_places_is_refused(step: Any) -> None:
    with pytest.raises(SpecError) as caught:
        result(sets, step)

    assert caught.value.code == "PD110"


def test_a_copy_can_be_stored() -> None:
    def step(self: Any) -> None:
        self.b = self.a.copy()
        self.b.add(3)
        self.rooms[1] = set(self.rooms[0])

    assert after(sets, step) == {"a": {0}, "b": {0, 3}, "rooms": {0: {1}, 1: {1}}}


def test_a_container_can_be_moved_from_one_key_to_another() -> None:
    def step(self: Any) -> None:
        self.rooms[1] = self.rooms.pop(0)
        self.rooms[1].add(3)

    assert after(sets, step)["rooms"] == {1: {1, 3}}


def test_a_container_that_is_assigned_to_itself_stays() -> None:
    def step(self: Any) -> None:
        self.a = self.a
        self.a |= {1}
        self.rooms[0] = self.rooms[0]
        self.rooms[0] |= {2}

    assert after(sets, step) == {"a": {0, 1}, "b": set(), "rooms": {0: {1, 2}}}


def test_an_operator_in_place_keeps_what_was_read_before_alive() -> None:
    def step(self: Any) -> None:
        variable, entry = self.a, self.rooms[0]
        self.a |= {1}
        self.rooms[0] |= {2}
        variable.add(2)
        entry.add(3)

    assert after(sets, step) == {"a": {0, 1, 2}, "b": set(), "rooms": {0: {1, 2, 3}}}


def test_what_is_stored_is_copied_and_read_through_a_live_view() -> None:
    def step(self: Any) -> None:
        self.rooms = {1: {2}}
        view = self.rooms
        view[1].add(3)
        self.rooms[0] = set()

        assert view == {0: set(), 1: {2, 3}}

    assert after(sets, step)["rooms"] == {0: set(), 1: {2, 3}}


def test_the_outcome_holds_plain_built_in_containers() -> None:
    def declare(self: Any) -> None:
        self.array = Array(range(2), Range(0, 1))
        self.dict = Dict(range(2), Queue(Range(0, 1), 2), start={1: [0]})
        self.bag = Bag("ab", 2, start={"a": 1})

    def step(self: Any) -> None:
        self.array[0] = 1
        self.dict[1].append(1)
        self.bag["b"] += 2

    state = after(declare, step)

    assert state == {"array": [1, 0], "dict": {1: deque([0, 1])}, "bag": {"a": 1, "b": 2}}
    assert [type(value).__name__ for value in state.values()] == ["list", "dict", "Counter"]
    assert type(state["dict"][1]) is deque
