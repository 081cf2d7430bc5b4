"""Plain values: whether they belong to a type, and the one form in which they are kept."""

from __future__ import annotations

from collections import Counter, deque
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
    default_value,
)


def belongs(of: Type, value: Any) -> str | None:
    """None where the plain `value` belongs to the type, else what is wrong with it."""
    match of:
        case Scalar(values, name):
            try:
                return None if value in dict.fromkeys(values) else f"{value!r} is not a {name}"
            except TypeError:
                return f"{value!r} is not a {name}"
        case MaybeType(inner):
            return None if value is None else belongs(inner, value)
        case RecordType(cls, fields):
            if type(value) is not cls:
                return f"{value!r} is not a {cls.__name__}"
            return _first(belongs(inner, getattr(value, name)) for name, inner in fields)
        case ArrayType(length, inner):
            if not isinstance(value, list | tuple) or len(value) != length:
                return f"{value!r} is not a list of {length}"
            return _first(belongs(inner, item) for item in value)
        case DictType(keys, inner):
            if not isinstance(value, dict):
                return f"{value!r} is not a dict"
            return _first(
                f"{key!r} is not among the keys" if key not in dict.fromkeys(keys) else belongs(inner, item)
                for key, item in value.items()
            )
        case SetType(keys):
            if not isinstance(value, set | frozenset | list | tuple | range):
                return f"{value!r} is not a set"
            return _first(None if key in dict.fromkeys(keys) else f"{key!r} is not among the keys" for key in value)
        case QueueType(inner, capacity):
            if not isinstance(value, list | tuple | deque) or len(value) > capacity:
                return f"{value!r} is not a queue of at most {capacity}"
            return _first(belongs(inner, item) for item in value)
        case BagType(keys, most):
            if not isinstance(value, dict):
                return f"{value!r} is not a Counter"
            return _first(
                None if key in dict.fromkeys(keys) and 0 <= count <= most else f"{key!r}: {count!r} is not possible"
                for key, count in value.items()
            )
        case _:
            assert_never(of)


def normal(of: Type, value: Any) -> Any:
    """A value that belongs to the type, as fresh built-in containers and the type's own scalars."""
    match of:
        case Scalar(values, _):
            return {known: known for known in values}[value]
        case MaybeType(inner):
            return None if value is None else normal(inner, value)
        case RecordType(cls, fields):
            return cls(**{name: normal(inner, getattr(value, name)) for name, inner in fields})
        case ArrayType(_, inner):
            return [normal(inner, item) for item in value]
        case DictType(keys, inner):
            return {key: normal(inner, value[key]) for key in keys if key in value}
        case SetType(keys):
            return {key for key in keys if key in value}
        case QueueType(inner, _):
            return deque(normal(inner, item) for item in value)
        case BagType(keys, _):
            return Counter({key: value[key] for key in keys if value.get(key)})
        case _:
            assert_never(of)


def initial_value(of: Type, start: Any) -> Any:
    """The plain initial value of a variable: `start`, one for all elements of an Array included, or the type's own."""
    if isinstance(of, ArrayType) and not isinstance(start, list | tuple):
        return [normal(of.inner, start) for _ in range(of.length)]
    return normal(of, start)


def _first(problems: Any) -> str | None:
    return next((problem for problem in problems if problem is not None), None)


def default_of(of: Type) -> Any:
    """The plain value that a variable starts with when its declaration gives none."""
    return normal(of, default_value(of))
