"""A value in the state, as a step sees it: containers that check what is stored in them, other values as they are."""

from __future__ import annotations

from typing import Any, assert_never

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
from pdspec.semantics.bag import LiveBag
from pdspec.semantics.memory import Memory
from pdspec.semantics.ordered import LiveArray, LiveQueue
from pdspec.semantics.unordered import LiveDict, LiveSet
from pdspec.semantics.values import item_name


def live(memory: Memory, of: Type, value: Any, place: str) -> Any:
    """The plain `value`, which belongs to the type, as part of `memory`. Nothing is shared with `value`."""
    match of:
        case Scalar() | RecordType():
            return value
        case MaybeType(inner):
            return None if value is None else live(memory, inner, value, place)
        case ArrayType(_, inner):
            items = [live(memory, inner, item, f"{place}[{number}]") for number, item in enumerate(value)]
            return LiveArray(memory, of, place, items)
        case DictType(keys, inner):
            there = [key for key in keys if key in value]
            entries = {key: live(memory, inner, value[key], item_name(place, key)) for key in there}
            return LiveDict(memory, of, place, entries)
        case SetType():
            return LiveSet(memory, of, place, value)
        case QueueType():
            return LiveQueue(memory, of, place, value)
        case BagType():
            return LiveBag(memory, of, place, value)
        case _:
            assert_never(of)
