"""What belongs to a type, and the one form of a state.

A state maps each variable to a plain value: built-in containers, enum members, Records. Storing what Python calls equal
to a value of the type stores the type's own value (the member for its int, 1 for True).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Mapping
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
    type_name,
)
from pdspec.model.text import value_text

State = dict[str, Any]


class Outside(Exception):
    """A value that does not belong to the type of its place; the message says what and where."""


def accept(of: Type, value: Any, place: str) -> Any:
    """The plain value that `value` is in a place of this type, sharing nothing mutable with it; raises Outside."""
    match of:
        case Scalar(values, _):
            return _same(values, value, of, place)
        case MaybeType(inner):
            return None if value is None else accept(inner, value, place)
        case RecordType(cls, fields):
            if type(value) is not cls:
                raise _outside(of, value, place)
            return cls(**{name: accept(inner, getattr(value, name), f"{place}.{name}") for name, inner in fields})
        case ArrayType(length, inner):
            if not isinstance(value, list | tuple) or len(value) != length:
                raise _outside(of, value, place)
            return [accept(inner, item, f"{place}[{i}]") for i, item in enumerate(value)]
        case DictType(keys, inner):
            if not isinstance(value, dict):
                raise _outside(of, value, place)
            entries = {declared_key(keys, key, place): item for key, item in value.items()}
            return {key: accept(inner, entries[key], item_name(place, key)) for key in keys if key in entries}
        case SetType(keys):
            if not isinstance(value, set | frozenset):
                raise _outside(of, value, place)
            return {declared_key(keys, key, place) for key in value}
        case QueueType(inner, capacity):
            if not isinstance(value, deque | list | tuple):
                raise _outside(of, value, place)
            if len(value) > capacity:
                raise Outside(f"{place} holds at most {capacity}, {len(value)} are stored")
            return deque(accept(inner, item, f"{place}[{i}]") for i, item in enumerate(value))
        case BagType(keys, most):
            if not isinstance(value, dict):
                raise _outside(of, value, place)
            counts = {key: count for key, count in value.items() if key in keys or count != 0}
            known = {declared_key(keys, key, place): accept_count(most, key, n, place) for key, n in counts.items()}
            return Counter({key: known[key] for key in keys if known.get(key)})
        case _:
            assert_never(of)


def accept_count(most: int, key: Any, count: Any, place: str) -> int:
    """The count of a key of a Bag; raises Outside unless it is from 0 to `most`."""
    if not isinstance(count, int) or not 0 <= count <= most:
        raise Outside(f"{item_name(place, key)} counts from 0 up to {most}, not {count!r}")
    return int(count)


def declared_key(keys: tuple[Any, ...], key: Any, place: str) -> Any:
    """The declared key that equals `key`; raises Outside where there is none, and Python's TypeError for a list."""
    hash(key)
    if key not in keys:
        raise Outside(f"{place} has no key {key!r}: its type declares {', '.join(map(value_text, keys))}")
    return keys[keys.index(key)]


def item_name(place: str, key: Any) -> str:
    """The name of the place of a container's entry."""
    return f"{place}[{value_text(key)}]"


def plain(value: Any) -> Any:
    """A copy of `value` as the built-in containers, sharing nothing mutable with it."""
    if isinstance(value, Counter):
        return Counter(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, set):
        return set(value)
    if isinstance(value, deque):
        return deque(map(plain, value))
    if isinstance(value, list):
        return list(map(plain, value))
    if isinstance(value, Record):
        return type(value)(**{name: plain(getattr(value, name)) for name in value._names})
    return value


def freeze(state: Mapping[str, Any]) -> Hashable:
    """A key that two states have in common exactly when they are the same state, in whatever order they were built."""
    return tuple((name, _frozen(state[name])) for name in sorted(state))


def _frozen(value: Any) -> Hashable:
    if isinstance(value, dict):
        return frozenset((key, _frozen(item)) for key, item in value.items())
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, deque | list):
        return tuple(map(_frozen, value))
    if isinstance(value, Record):
        return (type(value).__name__, *(_frozen(getattr(value, name)) for name in value._names))
    return value  # type: ignore[no-any-return]


def _same(values: tuple[Any, ...], value: Any, of: Type, place: str) -> Any:
    try:
        hash(value)
        return values[values.index(value)]
    except (TypeError, ValueError):
        raise _outside(of, value, place) from None


def _outside(of: Type, value: Any, place: str) -> Outside:
    return Outside(f"{place} cannot hold {value!r}: it is declared as {type_name(of)}")
