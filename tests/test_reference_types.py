"""What each type accepts in the reference, what it is stored as, and the one form of a state."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from enum import Enum, IntEnum
from typing import Any

import pytest

from pdspec.errors import SpecError
from pdspec.lang import (
    Array,
    Bag,
    Dict,
    Maybe,
    OneOf,
    Process,
    Queue,
    Range,
    Record,
    Set,
    Spec,
    any_of,
    choose,
    replace,
)
from pdspec.lang.load import load_file
from pdspec.semantics import Next, freeze, initial_states, instances, outcomes
from tests.one_step import after, bound, raised, result

anyone = Process("anyone")


class Phase(IntEnum):
    idle = 0
    busy = 1


class Color(Enum):
    red = 1
    green = 2


class Chunk(Record):
    room: int
    last: bool = False


class Pair(Record):
    left: Color
    right: Phase


def variables(self: Any) -> None:
    self.flag = False
    self.phase = Phase.idle
    self.color = Color.red
    self.number = Range(0, 3)
    self.word = OneOf(("a", "b"))
    self.point = OneOf(((0, 0), (0, 1)))
    self.maybe = Maybe(Range(0, 3))
    self.pair = Pair(Color.red, Phase.idle)
    self.array = Array(range(2), Phase)
    self.entries = Dict(range(2), bool)
    self.members = Set(Phase)
    self.queue = Queue(Chunk.of(room=range(2)), 2)
    self.bag = Bag("ab", 2)
    self.nested = Dict("ab", Maybe(Set(range(2))))


STORED: list[tuple[str, Any, Any]] = [
    ("flag", 1, True),
    ("phase", 1, Phase.busy),
    ("phase", True, Phase.busy),
    ("color", Color.green, Color.green),
    ("number", True, 1),
    ("number", 2.0, 2),
    ("word", "b", "b"),
    ("point", (0, True), (0, 1)),
    ("maybe", None, None),
    ("maybe", 3, 3),
    ("pair", Pair(Color.green, 1), Pair(Color.green, Phase.busy)),  # type: ignore[arg-type]
    ("array", [1, 0], [Phase.busy, Phase.idle]),
    ("array", (1, 0), [Phase.busy, Phase.idle]),
    ("entries", {True: 1}, {1: True}),
    ("entries", OrderedDict({1: False, 0: True}), {0: True, 1: False}),
    ("members", {1}, {Phase.busy}),
    ("members", frozenset((Phase.idle,)), {Phase.idle}),
    ("queue", deque([Chunk(1)]), deque([Chunk(1, False)])),
    ("queue", [Chunk(True, 0)], deque([Chunk(1, False)])),  # type: ignore[arg-type]
    ("bag", Counter("aab"), Counter(a=2, b=1)),
    ("bag", {"a": True, "b": 0, "z": 0}, Counter(a=1)),
    ("nested", {"b": {1, 0}, "a": None}, {"a": None, "b": {0, 1}}),
]


def exact(value: Any) -> Any:
    """A value with its types, at every depth."""
    if isinstance(value, dict):
        return type(value), [(exact(key), exact(item)) for key, item in value.items()]
    if isinstance(value, set):
        return type(value), sorted(map(repr, map(exact, value)))
    if isinstance(value, list | deque | tuple):
        return type(value), list(map(exact, value))
    if isinstance(value, Record):
        return type(value), [exact(getattr(value, name)) for name in value._names]
    return type(value), value


@pytest.mark.parametrize(("name", "given", "kept"), STORED)
def test_a_value_is_stored_as_the_types_own_value(name: str, given: Any, kept: Any) -> None:
    read: list[Any] = []

    def step(self: Any) -> None:
        setattr(self, name, given)
        read.append(getattr(self, name))

    state = after(variables, step)

    assert exact(state[name]) == exact(kept)
    assert read == [kept]


OUTSIDE: list[tuple[str, Any, str]] = [
    ("flag", 2, "flag cannot hold 2: it is declared as bool"),
    ("flag", None, "flag cannot hold None"),
    ("phase", 2, "phase cannot hold 2: it is declared as Phase"),
    ("color", 1, "color cannot hold 1: it is declared as Color"),
    ("number", 4, "number cannot hold 4: it is declared as Range(0, 3)"),
    ("number", -1, "number cannot hold -1"),
    ("number", "1", "number cannot hold '1'"),
    ("number", [1], "number cannot hold [1]"),
    ("word", "c", "word cannot hold 'c'"),
    ("maybe", 4, "maybe cannot hold 4"),
    ("pair", (Color.red, Phase.idle), "pair cannot hold (<Color.red: 1>, <Phase.idle: 0>): it is declared as Pair"),
    ("pair", Pair(Color.red, 2), "pair.right cannot hold 2"),  # type: ignore[arg-type]
    ("array", [0, 0, 0], "array cannot hold [0, 0, 0]: it is declared as Array(range(2), Phase)"),
    ("array", [0, 2], "array[1] cannot hold 2"),
    ("array", 0, "array cannot hold 0"),
    ("entries", [(0, True)], "entries cannot hold [(0, True)]"),
    ("entries", {2: True}, "entries has no key 2: its type declares 0, 1"),
    ("entries", {1: 2}, "entries[1] cannot hold 2"),
    ("members", [0], "members cannot hold [0]"),
    ("members", {2}, "members has no key 2: its type declares idle, busy"),
    ("queue", {0}, "queue cannot hold {0}"),
    ("queue", [Chunk(0)] * 3, "queue holds at most 2, 3 are stored"),
    ("queue", [Chunk(2)], "queue[0].room cannot hold 2"),
    ("bag", {"a", "b"}, "bag cannot hold"),
    ("bag", {"c": 1}, "bag has no key 'c'"),
    ("bag", {"a": 3}, "bag[a] counts from 0 up to 2, not 3"),
    ("bag", {"a": -1}, "bag[a] counts from 0 up to 2, not -1"),
    ("nested", {"a": {2}}, "nested[a] has no key 2"),
]


@pytest.mark.parametrize(("name", "given", "message"), OUTSIDE)
def test_a_value_outside_its_type_is_a_bound(name: str, given: Any, message: str) -> None:
    assert bound(variables, lambda self: setattr(self, name, given)).startswith(message)


def test_a_record_is_a_value_that_does_not_follow_its_place() -> None:
    def step(self: Any) -> None:
        old = self.pair
        self.pair = replace(old, left=Color.green)
        assert old.left is Color.red
        assert self.pair.left is Color.green
        self.queue.append(Chunk(1))
        self.queue[0] = replace(self.queue[0], last=True)
        assert self.queue.popleft() == Chunk(1, last=True)

    assert isinstance(result(variables, step), Next)


def test_a_record_cannot_be_changed_itself() -> None:
    def step(self: Any) -> None:
        chunk = Chunk(0)
        chunk.last = True

    assert raised(variables, step)[0] == "TypeError"


def starting(declare: Callable[[Any], None]) -> list[dict[str, Any]]:
    class Starts(Spec):
        def state(self) -> None:
            declare(self)

    return [state for _, state in initial_states(Starts())]


def test_variables_start_with_the_first_value_of_their_type_or_what_is_given() -> None:
    def declare(self: Any) -> None:
        variables(self)
        self.started = Dict(range(2), Set("ab"), start={1: {"b"}})
        self.filled = Array(range(2), Queue(bool, 1), start=[[], [True]])

    (state,) = starting(declare)

    assert state == {
        "flag": False,
        "phase": Phase.idle,
        "color": Color.red,
        "number": 0,
        "word": "a",
        "point": (0, 0),
        "maybe": None,
        "pair": Pair(Color.red, Phase.idle),
        "array": [Phase.idle, Phase.idle],
        "entries": {},
        "members": set(),
        "queue": deque(),
        "bag": Counter(),
        "nested": {},
        "started": {1: {"b"}},
        "filled": [deque(), deque([True])],
    }


def test_initial_states_are_distinct_and_keep_the_first_choices_that_make_them() -> None:
    class Starts(Spec):
        def state(self) -> None:
            first = any_of((1, 2), name="first")
            second = choose((1, 2), name="second")
            self.total = Range(0, 9, start=first + second)

    assert initial_states(Starts()) == [
        ((("first", "1"), ("second", "1")), {"total": 2}),
        ((("first", "1"), ("second", "2")), {"total": 3}),
        ((("first", "2"), ("second", "2")), {"total": 4}),
    ]


def test_a_spec_without_initial_state_is_an_error() -> None:
    def declare(self: Any) -> None:
        self.n = Range(0, 3, start=any_of(()))

    with pytest.raises(SpecError, match="no initial state"):
        starting(declare)


def test_a_variable_that_starts_outside_its_type_is_an_error() -> None:
    def declare(self: Any) -> None:
        self.n = Range(0, 3, start=4)

    with pytest.raises(SpecError) as caught:
        starting(declare)

    assert caught.value.code == "PD103"


def test_two_states_have_one_key_exactly_when_they_are_the_same() -> None:
    one: dict[str, Any] = {"a": {1: {2, 3}, 0: set()}, "b": Counter(x=1), "c": deque([Chunk(1)])}
    same: dict[str, Any] = {"c": deque([Chunk(1)]), "b": Counter(x=1), "a": {0: set(), 1: {3, 2}}}
    others: list[dict[str, Any]] = [
        {**one, "a": {1: {2, 3}}},
        {**one, "a": {1: {2}, 0: {3}}},
        {**one, "b": Counter(x=2)},
        {**one, "c": deque([Chunk(1, last=True)])},
        {**one, "c": deque([Chunk(1), Chunk(1)])},
    ]

    assert freeze(one) == freeze(same)
    assert len({freeze(state) for state in [one, same, *others]}) == 1 + len(others)


def test_instances_come_in_the_order_of_definition_the_last_argument_fastest() -> None:
    class Base(Spec):
        rooms: int = 2

        def state(self) -> None:
            self.n = Range(0, 3)

        @anyone.action(color=Color, room=lambda spec: range(spec.rooms))
        def paint(self, color: Color, room: int) -> None: ...

    class Derived(Base):
        @anyone.action
        def rest(self) -> None: ...

    found = instances(Derived())

    assert [instance.label() for instance in found] == [
        "paint(color=red, room=0)",
        "paint(color=red, room=1)",
        "paint(color=green, room=0)",
        "paint(color=green, room=1)",
        "rest",
    ]
    assert found[3].args == {"color": Color.green, "room": 1}
    assert found[3].texts == (("color", "green"), ("room", "1"))
    assert found[3].process == "anyone"


LOADED = """
from pdspec.lang import *


class Chunk(Record):
    room: int
    last: bool = False


anyone = Process("anyone")


class Loaded(Spec):
    def state(self):
        self.chunks = Queue(Chunk.of(room=range(2)), 2, start=[Chunk(0), Chunk(1)])
        self.by_room = Dict(range(2), Chunk.of(room=range(2)), start={1: Chunk(1)})
        self.chunk = Chunk.of(room=range(2))
        self.members = Set("ba", start="ba")
        self.owner = Maybe(Range(0, 1))
        self.kinds = OneOf(("set", "other"))

    @anyone.action
    def mark(self):
        require(self.owner is None)
        old = self.chunk
        self.chunks[1].last = True
        self.by_room[1].room = 0
        self.chunk.last = True
        self.owner = len(self.chunks) - 1
        assert not old.last

    @anyone.action
    def take(self):
        member = next(iter(self.members))
        self.members.remove(member)

    @anyone.action
    def name(self):
        letter = choose(("x", "y"))
        self.kinds = "set" if letter == "x" else "other"

    @anyone.action
    def forget(self):
        self.by_room[0].room = 1
"""


@pytest.fixture
def loaded(tmp_path: Any) -> Spec:
    file = tmp_path / "loaded.py"
    file.write_text(LOADED.replace('start="ba"', 'start={"a", "b"}'), encoding="utf-8")
    return load_file(file).specs[0]()


def does(spec: Spec, action: str) -> list[Any]:
    (instance,) = (instance for instance in instances(spec) if instance.action == action)
    return outcomes(spec, instance, initial_states(spec)[0][1])


def test_fields_of_records_are_assigned_through_the_state_in_a_loaded_spec(loaded: Spec) -> None:
    ((_, outcome),) = does(loaded, "mark")

    assert [str(chunk) for chunk in outcome.state["chunks"]] == [
        "Chunk(room=0, last=False)",
        "Chunk(room=1, last=True)",
    ]
    assert str(outcome.state["by_room"]) == "{1: Chunk(room=0, last=False)}"
    assert str(outcome.state["chunk"]) == "Chunk(room=0, last=True)"
    assert outcome.state["owner"] == 1


def test_the_first_of_an_iterator_is_a_choice_in_a_loaded_spec(loaded: Spec) -> None:
    found = does(loaded, "take")

    assert [(choices, outcome.state["members"]) for choices, outcome in found] == [
        ((("next", "b"),), {"a"}),
        ((("next", "a"),), {"b"}),
    ]


def test_a_choice_is_named_for_its_variable_in_a_loaded_spec(loaded: Spec) -> None:
    assert [choices for choices, _ in does(loaded, "name")] == [(("letter", "x"),), (("letter", "y"),)]


def test_a_field_of_a_missing_entry_raises_a_key_error_in_a_loaded_spec(loaded: Spec) -> None:
    ((_, outcome),) = does(loaded, "forget")

    assert (outcome.type_name, outcome.message) == ("KeyError", "0")
    assert outcome.span.line == LOADED.splitlines().index("        self.by_room[0].room = 1") + 1
