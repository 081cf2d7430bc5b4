"""What changed between two states, entry by entry."""

from __future__ import annotations

from collections import Counter, deque
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdspec.lang import Array, Bag, Dict, Maybe, Process, Queue, Range, Record, Set, Spec, derived
from pdspec.lang.ground import ground
from pdspec.report.changes import (
    Change,
    QueueChange,
    SetChange,
    ValueChange,
    change_json,
    changes,
    derived_texts,
)


class Colour(Enum):
    red = "red"
    green = "green"


class Chunk(Record):
    room: int
    last: bool


KEYS = range(3)
someone = Process("someone")


class Everything(Spec):
    """One variable of each type."""

    def state(self) -> None:
        self.colour = Colour.red
        self.number = Range(-2, 5)
        self.maybe = Maybe(Colour)
        self.chunk = Chunk.of(room=KEYS)
        self.slots = Array(KEYS, Chunk.of(room=KEYS))
        self.status = Dict(KEYS, Colour)
        self.maybes = Dict(KEYS, Maybe(Range(0, 3)))
        self.sets = Dict(KEYS, Set(KEYS))
        self.members = Set(KEYS)
        self.queue = Queue(Range(0, 3), capacity=4)
        self.chunks = Queue(Chunk.of(room=KEYS), capacity=2)
        self.bag = Bag(KEYS, most=3)

    @someone.action
    def rest(self) -> None:
        pass

    @derived
    def total(self) -> int:
        return len(self.members) + len(self.queue)

    @derived
    def first(self) -> int:
        return self.queue[0]


MODEL, LAYOUT = ground(Everything())
START: dict[str, Any] = {
    "colour": Colour.red,
    "number": 0,
    "maybe": None,
    "chunk": Chunk(0, last=False),
    "slots": [Chunk(0, last=False)] * 3,
    "status": {},
    "maybes": {},
    "sets": {},
    "members": set(),
    "queue": deque(),
    "chunks": deque(),
    "bag": Counter(),
}


@pytest.mark.parametrize(
    ("name", "before", "after", "change"),
    [
        ("colour", Colour.red, Colour.green, ValueChange("colour", "red", "green")),
        ("number", 5, -1, ValueChange("number", "5", "-1")),
        ("maybe", None, Colour.red, ValueChange("maybe", "None", "red")),
        ("maybe", Colour.red, None, ValueChange("maybe", "red", "None")),
        ("maybe", Colour.red, Colour.green, ValueChange("maybe", "red", "green")),
        ("chunk", Chunk(0, last=False), Chunk(2, last=False), ValueChange("chunk.room", "0", "2")),
        ("status", {}, {1: Colour.red}, ValueChange("status[1]", None, "red")),
        ("status", {1: Colour.red}, {}, ValueChange("status[1]", "red", None)),
        ("status", {1: Colour.red}, {1: Colour.green}, ValueChange("status[1]", "red", "green")),
        ("maybes", {}, {0: None}, ValueChange("maybes[0]", None, "None")),
        ("maybes", {0: None}, {0: 2}, ValueChange("maybes[0]", "None", "2")),
        ("sets", {}, {0: {1}}, ValueChange("sets[0]", None, "{1}")),
        ("sets", {0: {1}}, {0: {2}}, SetChange("sets[0]", ("2",), ("1",))),
        ("members", {0, 1}, {1, 2}, SetChange("members", ("2",), ("0",))),
        ("bag", Counter(), Counter({1: 2}), ValueChange("bag[1]", "0", "2")),
        ("queue", [], [1], QueueChange("queue", append=("1",))),
        ("queue", [1], [], QueueChange("queue", popleft=("1",))),
        ("queue", [1, 2], [2, 3], QueueChange("queue", popleft=("1",), append=("3",))),
        ("queue", [1, 2], [1], QueueChange("queue", pop=("2",))),
        ("queue", [2], [1, 2], QueueChange("queue", appendleft=("1",))),
        ("queue", [1, 1], [1], QueueChange("queue", popleft=("1",))),
        ("queue", [1], [1, 1], QueueChange("queue", append=("1",))),
        ("queue", [1], [2], ValueChange("queue[0]", "1", "2")),
        ("chunks", [Chunk(0, last=False)], [Chunk(0, last=True)], ValueChange("chunks[0].last", "False", "True")),
    ],
)
def test_a_change_is_of_the_entry_and_not_of_the_whole_variable(
    name: str, before: object, after: object, change: Change
) -> None:
    found = [each for each in between({name: before}, {name: after}) if not is_derived(each)]

    assert found == [change]


def test_each_element_of_an_array_is_a_change_of_its_own() -> None:
    after = [Chunk(0, last=False), Chunk(1, last=True), Chunk(0, last=False)]

    found = between({}, {"slots": after})

    assert found == [ValueChange("slots[1].room", "0", "1"), ValueChange("slots[1].last", "False", "True")]


def test_equal_states_have_no_changes() -> None:
    assert between({"queue": deque([1, 2])}, {"queue": deque([1, 2])}) == []


def test_what_an_unused_place_of_a_queue_holds_is_no_change() -> None:
    found = between({"queue": deque([3, 2])}, {"queue": deque()})

    assert [each for each in found if not is_derived(each)] == [QueueChange("queue", popleft=("3", "2"))]


def test_derived_values_that_differ_come_after_the_variables() -> None:
    found = between({}, {"members": {0, 1}})

    assert found == [SetChange("members", ("0", "1"), ()), ValueChange("total", "0", "2", derived=True)]


def test_a_derived_value_that_raises_is_written_as_what_it_raises() -> None:
    texts = derived_texts(MODEL, LAYOUT.encode(START))

    assert texts == {"total": "0", "first": "raises IndexError"}


queues = st.lists(st.integers(0, 3), max_size=4)


@given(queues, queues)
def test_doing_what_is_said_to_a_queue_gives_the_later_one(before: list[int], after: list[int]) -> None:
    queue = deque(before)

    for change in between({"queue": deque(before)}, {"queue": deque(after)}):
        match change:
            case QueueChange():
                assert [str(queue.popleft()) for _ in change.popleft] == list(change.popleft)
                assert [str(queue.pop()) for _ in change.pop] == list(reversed(change.pop))
                queue.extendleft(map(int, reversed(change.appendleft)))
                queue.extend(map(int, change.append))
            case ValueChange(place, old, new, derived=False):
                index = int(place.removeprefix("queue[").removesuffix("]"))
                assert str(queue[index]) == old
                queue[index] = int(new or "")

    assert list(queue) == after


@given(queues, st.integers(0, 4), queues)
def test_a_queue_is_never_said_to_do_more_than_a_fifo_would(before: list[int], taken: int, added: list[int]) -> None:
    after = before[taken:] + added
    if len(after) > 4:
        return

    said = [each for each in between({"queue": deque(before)}, {"queue": deque(after)}) if not is_derived(each)]

    moved = sum(map(queue_moves, said))
    assert moved <= min(taken, len(before)) + len(added)


@pytest.mark.parametrize(
    ("change", "data"),
    [
        (ValueChange("a[0]", None, "x"), {"place": "a[0]", "kind": "value", "before": None, "after": "x"}),
        (ValueChange("d", "1", "2", derived=True), {"place": "d", "kind": "derived", "before": "1", "after": "2"}),
        (SetChange("s", ("1",), ()), {"place": "s", "kind": "set", "added": ["1"], "removed": []}),
        (
            QueueChange("q", append=("1",)),
            {"place": "q", "kind": "queue", "popleft": [], "pop": [], "appendleft": [], "append": ["1"]},
        ),
    ],
)
def test_a_change_as_json_says_its_kind(change: Change, data: dict[str, object]) -> None:
    assert change_json(change) == data


def between(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    """The changes between two states; what is not given is as in START."""
    return list(changes(MODEL, LAYOUT.encode({**START, **before}), LAYOUT.encode({**START, **after})))


def is_derived(change: Change) -> bool:
    return isinstance(change, ValueChange) and change.derived


def queue_moves(change: Change) -> int:
    match change:
        case QueueChange(_, popleft, pop, appendleft, append):
            return len(popleft) + len(pop) + len(appendleft) + len(append)
        case _:
            return 1
