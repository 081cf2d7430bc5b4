"""The finite types as the author writes them.

Each is typed as what the variable behaves like, so that a spec passes `mypy --strict` without a plugin; what it returns
at run time is a `Declaration`: a type and how it starts.
"""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast, overload

from pdspec.errors import SpecError
from pdspec.lang.context import options_of
from pdspec.lang.record import Record
from pdspec.lang.types import (
    UNSET,
    ArrayType,
    BagType,
    Declaration,
    DictType,
    MaybeType,
    QueueType,
    RecordOf,
    RecordType,
    Scalar,
    SetType,
    Type,
    few,
    is_value,
)

K = TypeVar("K")


V = TypeVar("V")


Bool = bool


def Range(lo: int, hi: int, *, start: int = UNSET) -> int:
    """An int from `lo` to `hi`, both included."""
    if not _all_ints(lo, hi):
        raise SpecError("PD103", f"Range({lo!r}, {hi!r}): the ends are ints")
    if lo > hi:
        raise SpecError("PD103", f"Range({lo}, {hi}) has no value", hint="both ends belong to it: Range(0, n - 1)")
    if hi - lo >= 1 << 20:
        raise SpecError("PD103", f"Range({lo}, {hi}) has {hi - lo + 1:,} values; at most 1,048,576 are possible")
    return cast(int, Declaration(Scalar(tuple(range(int(lo), int(hi) + 1)), f"Range({lo}, {hi})"), start))


def OneOf(values: Iterable[V], *, start: V = UNSET) -> V:
    """One of `values`: anything that can be hashed and compared."""
    some = tuple(options_of(values))
    return cast(V, Declaration(Scalar(some, f"OneOf({', '.join(map(repr, some))})"), start))


@overload
def Maybe(inner: type[V], *, start: V | None = None) -> V | None: ...


@overload
def Maybe(inner: V, *, start: V | None = None) -> V | None: ...


def Maybe(inner: Any, *, start: Any = None) -> Any:
    """None or a value of `inner`. It starts as None."""
    of = as_type(inner)
    if isinstance(of, MaybeType) or (isinstance(of, Scalar) and None in of.values):
        raise SpecError("PD103", "Maybe of a type that may be None already: the two Nones could not be told apart")
    return Declaration(MaybeType(of), start)


@overload
def Array(keys: Iterable[int], inner: type[V], *, start: V | Sequence[V] = UNSET) -> list[V]: ...


@overload
def Array(keys: Iterable[int], inner: V, *, start: V | Sequence[V] = UNSET) -> list[V]: ...


def Array(keys: Iterable[int], inner: Any, *, start: Any = UNSET) -> Any:
    """A list of fixed length, indexed by `keys`, which is `range(n)`."""
    indices = tuple(keys) if not isinstance(keys, int) else ()
    if not indices or indices != tuple(range(len(indices))):
        raise SpecError(
            "PD103", f"the keys of an Array are range(n), not {keys!r}", hint="for other keys: Dict(keys, T, start=...)"
        )
    if start is UNSET and isinstance(inner, Declaration):
        start = inner.start
    return Declaration(ArrayType(len(indices), as_type(inner)), start)


@overload
def Dict(keys: Iterable[K], inner: type[V], *, start: Mapping[K, V] = UNSET) -> dict[K, V]: ...


@overload
def Dict(keys: Iterable[K], inner: V, *, start: Mapping[K, V] = UNSET) -> dict[K, V]: ...


def Dict(keys: Iterable[Any], inner: Any, *, start: Any = UNSET) -> Any:
    """A dict whose keys are among `keys`. It starts empty."""
    return Declaration(DictType(_keys("Dict", keys), as_type(inner)), start)


def Set(keys: Iterable[K], *, start: Iterable[K] = UNSET) -> set[K]:
    """A set of some of `keys`. It starts empty."""
    return cast("set[K]", Declaration(SetType(_keys("Set", keys)), start))


@overload
def Queue(inner: type[V], capacity: int, *, start: Iterable[V] = UNSET) -> deque[V]: ...


@overload
def Queue(inner: V, capacity: int, *, start: Iterable[V] = UNSET) -> deque[V]: ...


def Queue(inner: Any, capacity: int, *, start: Any = UNSET) -> Any:
    """A deque of at most `capacity` values. It starts empty; one more than `capacity` is a bound, not an error of the
    code.
    """
    if not _all_ints(capacity) or capacity < 1:
        raise SpecError("PD103", f"a Queue holds at least one value, so its capacity is not {capacity!r}")
    of = as_type(inner)
    if not is_value(of):
        raise SpecError("PD103", "elements of a Queue are values: scalars, Maybe of values, Records")
    return Declaration(QueueType(of, capacity), start if start is UNSET else list(start))


def Bag(keys: Iterable[K], most: int, *, start: Mapping[K, int] = UNSET) -> Counter[K]:
    """A Counter over `keys` with counts up to `most`; a count of 0 is no entry. It starts empty."""
    if not _all_ints(most) or most < 1:
        raise SpecError("PD103", f"a Bag counts up to at least 1, not to {most!r}")
    return cast("Counter[K]", Declaration(BagType(_keys("Bag", keys), most), start))


def as_type(given: Any) -> Type:
    """The finite type that an author's expression means; SpecError PD103 if it is none."""
    if isinstance(given, Declaration):
        return given.type
    if isinstance(given, RecordOf):
        return _record_type(given.cls, given.domains)
    if given is bool:
        return Scalar((False, True), "bool")
    if isinstance(given, type) and issubclass(given, enum.Enum):
        return Scalar(tuple(given), given.__name__)
    if isinstance(given, type) and issubclass(given, Record):
        return _record_type(given, given._domains)
    if isinstance(given, range | tuple | list | frozenset | set):
        some = options_of(given)
        return Scalar(tuple(some), f"OneOf({', '.join(map(repr, some))})")
    hint = {
        int: "an int has no bounds: write Range(lo, hi)",
        str: "strings are not finite: write OneOf(('a', 'b'))",
        float: "floats are not finite: write OneOf((0.5, 1.0))",
        dict: "write Dict(keys, T)",
        set: "write Set(keys)",
        list: "write Array(range(n), T), or Queue(T, capacity) if its length changes",
        deque: "write Queue(T, capacity)",
    }.get(given if isinstance(given, type) else type(given), "finite types are listed in docs/language.md")
    raise SpecError("PD103", f"{_name(given)} is not a finite type", hint=hint)


def declaration(value: Any) -> Declaration:
    """What `self.name = value` in `state()` declares."""
    if isinstance(value, Declaration):
        return value
    if isinstance(value, bool):
        return Declaration(as_type(bool), value)
    if isinstance(value, enum.Enum):
        return Declaration(as_type(type(value)), value)
    if isinstance(value, Record):
        return Declaration(as_type(type(value)), value)
    if isinstance(value, int):
        raise SpecError("PD103", f"{value!r} does not say its bounds", hint=f"write Range(lo, hi, start={value!r})")
    if value is None:
        raise SpecError("PD103", "None does not say what else the variable can be", hint="write Maybe(T)")
    if isinstance(value, str | float | tuple | range):
        raise SpecError(
            "PD103", f"{value!r} does not say what else there is", hint=f"write OneOf(values, start={value!r})"
        )
    container = next((kind for kind in _WRITTEN if isinstance(value, kind)), None)
    if container is not None:
        hint = f"write {_WRITTEN[container]}; initial contents are given by start="
        raise SpecError("PD103", f"{value!r} does not say what it may hold", hint=hint)
    if dataclasses.is_dataclass(value) and not isinstance(value, RecordOf):
        name = _name(value if isinstance(value, type) else type(value))
        raise SpecError("PD103", f"{name} is a dataclass", hint=f"derive it from Record: class {name}(Record)")
    return Declaration(as_type(value))


_WRITTEN: dict[type, str] = {
    Counter: "Bag(keys, most)",
    dict: "Dict(keys, T)",
    set: "Set(keys)",
    frozenset: "Set(keys)",
    deque: "Queue(T, capacity)",
    list: "Array(range(n), T), or Queue(T, capacity) if its length changes",
}


def _all_ints(*values: object) -> bool:
    return all(isinstance(value, int) for value in values)


def _record_type(cls: type[Record], domains: Mapping[str, Any]) -> RecordType:
    try:
        hints = typing.get_type_hints(cls)
    except NameError as error:
        raise SpecError(
            "PD103", f"{cls.__name__}: the annotation of a field names {error.name!r}, which is unknown"
        ) from None
    fields = []
    for name in cls._names:
        try:
            of = as_type(domains.get(name, hints[name]))
        except SpecError as error:
            hint = f"give its domain: {cls.__name__}.of({name}=...), or {name}: T = field(Range(0, 3))"
            raise SpecError("PD103", f"field {name!r} of {cls.__name__}: {error.message}", hint=hint) from None
        if not is_value(of):
            raise SpecError(
                "PD103",
                f"field {name!r} of {cls.__name__} is a container; a Record is a value",
                hint="make it a variable of its own: Dict(keys, Set(...))",
            )
        fields.append((name, of))
    if not fields:
        raise SpecError("PD103", f"{cls.__name__} has no field", hint="declare fields by annotations: room: int")
    return RecordType(cls, tuple(fields))


def _keys(what: str, keys: Iterable[Any]) -> tuple[Any, ...]:
    try:
        some = tuple(options_of(keys))
    except TypeError:
        raise SpecError(
            "PD103", f"the keys of a {what} are {keys!r}, which is no collection", hint="range(n)?"
        ) from None
    return Scalar(some, f"{what}({few(some)})").values


def _name(given: Any) -> str:
    return given.__name__ if isinstance(given, type) else repr(given)
