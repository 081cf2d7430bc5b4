"""Where the values of a type live among the slots, and how they are coded.

Numeric values are their own codes, so that arithmetic and comparison of slots is arithmetic and comparison of codes;
other values are numbered as declared. A scalar that may be missing (Maybe, an entry of a Dict) is one slot with a code
more, below the others.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from pdspec.lang.record import Record
from pdspec.lang.types import (
    ArrayType,
    BagType,
    DictType,
    MaybeType,
    QueueType,
    RecordType,
    Scalar,
    SetType,
    Type,
)
from pdspec.model.model import SlotInfo
from pdspec.model.shape import (
    ArrayShape,
    BagShape,
    DictShape,
    Domain,
    OptionalShape,
    QueueShape,
    RecordShape,
    ScalarShape,
    SetShape,
    Shape,
)
from pdspec.model.text import value_text


@dataclass(frozen=True, eq=False)
class ScalarPlace:
    """One slot. `structured` values can be taken apart by a pattern, which never asks, so they are handed out known."""

    name: str
    slot: int
    of: Scalar
    codes: dict[Any, int]
    values: dict[int, Any]
    numeric: bool
    structured: bool


@dataclass(frozen=True, eq=False)
class OptionalPlace:
    """Holds something unless the slot `presence` has the code `absent`; `merged` when the inner scalar has the same
    slot.
    """

    name: str
    presence: int
    absent: int
    inner: Place
    merged: bool


@dataclass(frozen=True, eq=False)
class RecordPlace:
    name: str
    cls: type[Record]
    fields: dict[str, Place]


@dataclass(frozen=True, eq=False)
class ArrayPlace:
    name: str
    items: tuple[Place, ...]


@dataclass(frozen=True, eq=False)
class DictPlace:
    name: str
    entries: dict[Any, OptionalPlace]


@dataclass(frozen=True, eq=False)
class SetPlace:
    name: str
    slots: dict[Any, int]


@dataclass(frozen=True, eq=False)
class QueuePlace:
    name: str
    length: int
    items: tuple[Place, ...]


@dataclass(frozen=True, eq=False)
class BagPlace:
    name: str
    slots: dict[Any, int]
    most: int


Place = ScalarPlace | OptionalPlace | RecordPlace | ArrayPlace | DictPlace | SetPlace | QueuePlace | BagPlace


@dataclass
class Layout:
    """The slots of a spec and the place of each variable."""

    slots: list[SlotInfo] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)

    def add(self, name: str, of: Type) -> None:
        """Gives the variable `name` its slots, after those of the variables before it."""
        self.places[name] = self._place(name, of)

    def encode(self, values: dict[str, Any]) -> tuple[int, ...]:
        """The codes of plain values, which belong to their types."""
        codes = [slot.first for slot in self.slots]
        for name, place in self.places.items():
            _encode(place, values[name], codes)
        return tuple(codes)

    def decode(self, codes: Sequence[int]) -> dict[str, Any]:
        """The plain values (built-in containers, members, Records) that `codes` stand for."""
        return {name: _decode(place, codes) for name, place in self.places.items()}

    def _slot(self, name: str, codes: Sequence[int], names: Sequence[str], first: int) -> int:
        order = sorted(range(len(codes)), key=codes.__getitem__)
        domain = Domain(tuple(codes[i] for i in order), tuple(names[i] for i in order))
        self.slots.append(SlotInfo(name, domain, first))
        return len(self.slots) - 1

    def _scalar(self, name: str, of: Scalar, absents: Sequence[str]) -> tuple[ScalarPlace, list[int]]:
        coded = [int(value) if of.numeric else number for number, value in enumerate(of.values)]
        below = [min(coded) - number for number in range(len(absents), 0, -1)]
        names = [value_text(value) for value in of.values]
        slot = self._slot(name, [*below, *coded], [*absents, *names], below[0] if below else coded[0])
        codes = dict(zip(of.values, coded, strict=True))
        values = dict(zip(coded, of.values, strict=True))
        structured = any(isinstance(value, tuple) for value in of.values)
        return ScalarPlace(name, slot, of, codes, values, of.numeric, structured), below

    def _optional(self, name: str, of: Type, absents: tuple[str, ...]) -> tuple[OptionalPlace, list[int]]:
        """`absents` names the ways of being missing, outermost first; their codes are returned in that order."""
        if isinstance(of, MaybeType) and isinstance(of.inner, Scalar | MaybeType):
            inner, below = self._optional(name, of.inner, (*absents, "None"))
            return OptionalPlace(name, inner.presence, below[len(absents) - 1], inner, True), below
        if isinstance(of, Scalar):
            scalar, below = self._scalar(name, of, absents)
            return OptionalPlace(name, scalar.slot, below[len(absents) - 1], scalar, True), below
        assert len(absents) == 1
        presence = self._slot(f"{name} present", [0, 1], [absents[0], "present"], 0)
        return OptionalPlace(name, presence, 0, self._place(name, of), False), [0]

    def _place(self, name: str, of: Type) -> Place:
        match of:
            case Scalar():
                return self._scalar(name, of, ())[0]
            case MaybeType(inner):
                return self._optional(name, inner, ("None",))[0]
            case RecordType(cls, fields):
                return RecordPlace(name, cls, {part: self._place(f"{name}.{part}", inner) for part, inner in fields})
            case ArrayType(length, inner):
                return ArrayPlace(name, tuple(self._place(f"{name}[{i}]", inner) for i in range(length)))
            case DictType(keys, inner):
                entries = {key: self._optional(f"{name}[{value_text(key)}]", inner, ("absent",))[0] for key in keys}
                return DictPlace(name, entries)
            case SetType(keys):
                slots = {key: self._slot(f"{value_text(key)} in {name}", [0, 1], ["False", "True"], 0) for key in keys}
                return SetPlace(name, slots)
            case QueueType(inner, capacity):
                numbers = range(capacity + 1)
                length = self._slot(f"len({name})", list(numbers), list(map(str, numbers)), 0)
                return QueuePlace(name, length, tuple(self._place(f"{name}[{i}]", inner) for i in range(capacity)))
            case BagType(keys, most):
                counts = range(most + 1)
                bag = {
                    key: self._slot(f"{name}[{value_text(key)}]", list(counts), list(map(str, counts)), 0)
                    for key in keys
                }
                return BagPlace(name, bag, most)
            case _:
                assert_never(of)


def place_slots(place: Place) -> tuple[int, ...]:
    """The slots of a place, in order, each once."""
    match place:
        case ScalarPlace():
            return (place.slot,)
        case OptionalPlace():
            return tuple(dict.fromkeys((place.presence, *place_slots(place.inner))))
        case RecordPlace():
            return tuple(slot for inner in place.fields.values() for slot in place_slots(inner))
        case ArrayPlace():
            return tuple(slot for inner in place.items for slot in place_slots(inner))
        case DictPlace():
            return tuple(slot for inner in place.entries.values() for slot in place_slots(inner))
        case SetPlace() | BagPlace():
            return tuple(place.slots.values())
        case QueuePlace():
            return (place.length, *(slot for inner in place.items for slot in place_slots(inner)))
        case _:
            assert_never(place)


def shape_of(place: Place) -> Shape:
    """What the Model may know of a place."""
    match place:
        case ScalarPlace():
            return ScalarShape(place.slot, place.numeric)
        case OptionalPlace():
            return OptionalShape(place.presence, place.absent, shape_of(place.inner))
        case RecordPlace():
            return RecordShape(
                place.cls.__name__, tuple((name, shape_of(inner)) for name, inner in place.fields.items())
            )
        case ArrayPlace():
            return ArrayShape(tuple(shape_of(item) for item in place.items))
        case DictPlace():
            entries = []
            for key, entry in place.entries.items():
                entries.append((value_text(key), OptionalShape(entry.presence, entry.absent, shape_of(entry.inner))))
            return DictShape(tuple(entries))
        case SetPlace():
            return SetShape(tuple((value_text(key), slot) for key, slot in place.slots.items()))
        case QueuePlace():
            return QueueShape(place.length, tuple(shape_of(item) for item in place.items))
        case BagPlace():
            return BagShape(tuple((value_text(key), slot) for key, slot in place.slots.items()))
        case _:
            assert_never(place)


def _encode(place: Place, value: Any, codes: list[int]) -> None:
    match place:
        case ScalarPlace():
            codes[place.slot] = place.codes[value]
        case OptionalPlace():
            if value is None:
                codes[place.presence] = place.absent
            else:
                _present(place, value, codes)
        case RecordPlace():
            for name, inner in place.fields.items():
                _encode(inner, getattr(value, name), codes)
        case ArrayPlace():
            for inner, item in zip(place.items, value, strict=True):
                _encode(inner, item, codes)
        case DictPlace():
            for key, entry in place.entries.items():
                if key in value:
                    _present(entry, value[key], codes)
        case SetPlace():
            for key, slot in place.slots.items():
                codes[slot] = int(key in value)
        case QueuePlace():
            codes[place.length] = len(value)
            for inner, item in zip(place.items, value, strict=False):
                _encode(inner, item, codes)
        case BagPlace():
            for key, slot in place.slots.items():
                codes[slot] = value.get(key, 0)
        case _:
            assert_never(place)


def _present(place: OptionalPlace, value: Any, codes: list[int]) -> None:
    if not place.merged:
        codes[place.presence] = 1
    _encode(place.inner, value, codes)


def _decode(place: Place, codes: Sequence[int]) -> Any:
    match place:
        case ScalarPlace():
            return place.values[codes[place.slot]]
        case OptionalPlace():
            return None if codes[place.presence] == place.absent else _decode(place.inner, codes)
        case RecordPlace():
            return place.cls(**{name: _decode(inner, codes) for name, inner in place.fields.items()})
        case ArrayPlace():
            return [_decode(inner, codes) for inner in place.items]
        case DictPlace():
            entries = place.entries.items()
            return {key: _decode(entry.inner, codes) for key, entry in entries if codes[entry.presence] != entry.absent}
        case SetPlace():
            return {key for key, slot in place.slots.items() if codes[slot]}
        case QueuePlace():
            return deque(_decode(inner, codes) for inner in place.items[: codes[place.length]])
        case BagPlace():
            return Counter({key: codes[slot] for key, slot in place.slots.items() if codes[slot]})
        case _:
            assert_never(place)
