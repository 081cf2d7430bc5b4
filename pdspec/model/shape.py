"""How slots make up a variable, so that a state can be read by people and by tools.

The presence of an entry that is one scalar is a code of its own in that scalar's slot; otherwise it is a slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never


@dataclass(frozen=True, slots=True)
class Domain:
    """The codes of a slot, ascending, and how each is written. Codes of numeric values are the values."""

    codes: tuple[int, ...]
    names: tuple[str, ...]

    def name_of(self, code: int) -> str:
        return self.names[self.codes.index(code)]


@dataclass(frozen=True, slots=True)
class ScalarShape:
    slot: int
    numeric: bool


@dataclass(frozen=True, slots=True)
class OptionalShape:
    """There is something unless the slot `presence` has the code `absent`."""

    presence: int
    absent: int
    inner: Shape


@dataclass(frozen=True, slots=True)
class RecordShape:
    name: str
    fields: tuple[tuple[str, Shape], ...]


@dataclass(frozen=True, slots=True)
class ArrayShape:
    items: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class DictShape:
    """Entries by the text of their key; each is an OptionalShape."""

    entries: tuple[tuple[str, OptionalShape], ...]


@dataclass(frozen=True, slots=True)
class SetShape:
    """A key is in the set when its slot is 1."""

    entries: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class QueueShape:
    """The first `length` items, the oldest first."""

    length: int
    items: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class BagShape:
    """The count of each key."""

    entries: tuple[tuple[str, int], ...]


Shape = ScalarShape | OptionalShape | RecordShape | ArrayShape | DictShape | SetShape | QueueShape | BagShape


def shape_slots(shape: Shape) -> tuple[int, ...]:
    """The slots of a shape, in order."""
    match shape:
        case ScalarShape(slot):
            return (slot,)
        case OptionalShape(presence, _, inner):
            return tuple(dict.fromkeys((presence, *shape_slots(inner))))
        case RecordShape(_, fields):
            return tuple(slot for _, field in fields for slot in shape_slots(field))
        case ArrayShape(items):
            return tuple(slot for item in items for slot in shape_slots(item))
        case DictShape(entries):
            return tuple(slot for _, entry in entries for slot in shape_slots(entry))
        case SetShape(entries) | BagShape(entries):
            return tuple(slot for _, slot in entries)
        case QueueShape(length, items):
            return (length, *(slot for item in items for slot in shape_slots(item)))
        case _:
            assert_never(shape)


def shape_text(shape: Shape, domains: Sequence[Domain], state: Sequence[int]) -> str:
    """The value of a shape in `state`, written as Python would."""
    match shape:
        case ScalarShape(slot):
            return domains[slot].name_of(state[slot])
        case OptionalShape(presence, absent, inner):
            return "None" if state[presence] == absent else shape_text(inner, domains, state)
        case RecordShape(name, fields):
            inside = ", ".join(f"{field}={shape_text(inner, domains, state)}" for field, inner in fields)
            return f"{name}({inside})"
        case ArrayShape(items):
            return "[" + ", ".join(shape_text(item, domains, state) for item in items) + "]"
        case DictShape(entries):
            present = [(key, entry) for key, entry in entries if state[entry.presence] != entry.absent]
            return "{" + ", ".join(f"{key}: {shape_text(entry.inner, domains, state)}" for key, entry in present) + "}"
        case SetShape(entries):
            return "{" + ", ".join(key for key, slot in entries if state[slot]) + "}"
        case QueueShape(length, items):
            return "[" + ", ".join(shape_text(item, domains, state) for item in items[: state[length]]) + "]"
        case BagShape(entries):
            return "{" + ", ".join(f"{key}: {state[slot]}" for key, slot in entries if state[slot]) + "}"
        case _:
            assert_never(shape)


def shape_json(shape: Shape, domains: Sequence[Domain], state: Sequence[int]) -> Any:
    """The value of a shape in `state` as JSON data: ints and bools as such, other values by their text."""
    match shape:
        case ScalarShape(slot, numeric):
            name = domains[slot].name_of(state[slot])
            if name in ("True", "False"):
                return name == "True"
            return state[slot] if numeric and name == str(state[slot]) else name
        case OptionalShape(presence, absent, inner):
            return None if state[presence] == absent else shape_json(inner, domains, state)
        case RecordShape(_, fields):
            return {field: shape_json(inner, domains, state) for field, inner in fields}
        case ArrayShape(items):
            return [shape_json(item, domains, state) for item in items]
        case DictShape(entries):
            present = [(key, entry) for key, entry in entries if state[entry.presence] != entry.absent]
            return {key: shape_json(entry.inner, domains, state) for key, entry in present}
        case SetShape(entries):
            return [key for key, slot in entries if state[slot]]
        case QueueShape(length, items):
            return [shape_json(item, domains, state) for item in items[: state[length]]]
        case BagShape(entries):
            return {key: state[slot] for key, slot in entries if state[slot]}
        case _:
            assert_never(shape)
