"""The finite types, as the author writes them and as data.

What the author calls (`Range`, `Dict`, ...) is typed as what the variable behaves like, so that a spec passes
`mypy --strict` without a plugin; what it returns at run time is a `Declaration`: a type and how it starts. The types
themselves are a closed union of frozen dataclasses that tracer and reference both read.
"""

from __future__ import annotations

import enum
import typing
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast, dataclass_transform, overload

from pdspec.errors import SpecError

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R", bound="Record")


@dataclass(frozen=True, slots=True)
class Scalar:
    """One of `values`, no two of which Python calls equal."""

    values: tuple[Any, ...]
    name: str

    def __post_init__(self) -> None:
        if not self.values:
            raise SpecError("PD103", f"{self.name} has no value")
        seen: dict[Any, Any] = {}
        for value in self.values:
            try:
                twin = seen.setdefault(value, value)
            except TypeError:
                raise SpecError("PD103", f"{self.name}: {value!r} cannot be hashed, so it is no value") from None
            if twin is not value:
                raise SpecError("PD103", f"{self.name} holds {twin!r} and {value!r}, which Python calls equal")

    @property
    def numeric(self) -> bool:
        """All values are ints (bools and IntEnum members are)."""
        return all(isinstance(value, int) for value in self.values)


@dataclass(frozen=True, slots=True)
class MaybeType:
    """None, or a value of `inner`."""

    inner: Type


@dataclass(frozen=True, slots=True)
class RecordType:
    """A frozen value of the class `cls` with these fields."""

    cls: type[Record]
    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class ArrayType:
    length: int
    inner: Type


@dataclass(frozen=True, slots=True)
class DictType:
    keys: tuple[Any, ...]
    inner: Type


@dataclass(frozen=True, slots=True)
class SetType:
    keys: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class QueueType:
    inner: Type
    capacity: int


@dataclass(frozen=True, slots=True)
class BagType:
    keys: tuple[Any, ...]
    most: int


Type = Scalar | MaybeType | RecordType | ArrayType | DictType | SetType | QueueType | BagType

UNSET: Any = object()


@dataclass(frozen=True, slots=True)
class Declaration:
    """A variable's type, and its initial value where the author gave one (else UNSET)."""

    type: Type
    start: Any = UNSET


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
    some = tuple(values)
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
    """A deque of at most `capacity` values. It starts empty; one more than `capacity` is a bound, not an error of the code."""
    if not _all_ints(capacity) or capacity < 1:
        raise SpecError("PD103", f"a Queue holds at least one value, so its capacity is not {capacity!r}")
    of = as_type(inner)
    if not is_value(of):
        raise SpecError("PD103", "elements of a Queue are values: scalars, Maybe of values, Records")
    return Declaration(QueueType(of, capacity), start)


def Bag(keys: Iterable[K], most: int, *, start: Mapping[K, int] = UNSET) -> Counter[K]:
    """A Counter over `keys` with counts up to `most`; a count of 0 is no entry. It starts empty."""
    if not _all_ints(most) or most < 1:
        raise SpecError("PD103", f"a Bag counts up to at least 1, not to {most!r}")
    return cast("Counter[K]", Declaration(BagType(_keys("Bag", keys), most), start))


def field(domain: V, *, default: V = UNSET) -> V:
    """The domain (a type, as `Range(0, 3)`) of a Record's field, for fields that are not finite by their annotation."""
    return cast(V, _Field(domain, default))


@dataclass(frozen=True, slots=True)
class _Field:
    domain: Any
    default: Any


@dataclass_transform(eq_default=True, field_specifiers=(field,))
class Record:
    """A frozen value with named fields, compared by its fields like a dataclass.

    `replace(record, name=value)` makes a changed copy; assignment to a field works only through the state.
    """

    _names: typing.ClassVar[tuple[str, ...]] = ()
    _defaults: typing.ClassVar[dict[str, Any]] = {}
    _domains: typing.ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        names = [name for base in reversed(cls.__mro__) for name in base.__dict__.get("__annotations__", {})]
        cls._names = tuple(dict.fromkeys(name for name in names if not name.startswith("_")))
        cls._defaults, cls._domains = dict(cls._defaults), dict(cls._domains)
        for name in cls._names:
            value = cls.__dict__.get(name, UNSET)
            if isinstance(value, _Field):
                cls._domains[name] = value.domain
                value = value.default
                delattr(cls, name)
            if value is not UNSET:
                cls._defaults[name] = value

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        cls = type(self)
        if len(args) > len(cls._names):
            raise TypeError(f"{cls.__name__}() takes {len(cls._names)} values, {len(args)} were given")
        given = dict(zip(cls._names, args, strict=False))
        for name, value in kwargs.items():
            if name not in cls._names or name in given:
                problem = "twice" if name in given else "but has no such field"
                raise TypeError(f"{cls.__name__}() got {name!r} {problem}")
            given[name] = value
        for name in cls._names:
            if name not in given and name not in cls._defaults:
                raise TypeError(f"{cls.__name__}() needs a value for {name!r}")
            object.__setattr__(self, name, given.get(name, cls._defaults.get(name)))

    def __setattr__(self, name: str, value: object) -> None:
        raise TypeError(
            f"a {type(self).__name__} is a value and cannot be changed; write replace(x, {name}=...), "
            "or assign through the state: self.variable.field = ..."
        )

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._names)

    def __hash__(self) -> int:
        return hash((type(self).__name__, *(getattr(self, name) for name in self._names)))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!s}" for name in self._names)
        return f"{type(self).__name__}({inside})"

    @classmethod
    def of(cls: type[R], **domains: Any) -> type[R]:
        """This Record with domains for its fields: `Chunk.of(room=range(3))`; an iterable stands for `OneOf`."""
        for name in domains:
            if name not in cls._names:
                raise SpecError("PD103", f"{cls.__name__} has no field {name!r}; it has {', '.join(cls._names)}")
        return cast("type[R]", Declaration(_record_type(cls, {**cls._domains, **domains})))


def replace(record: R, **changes: Any) -> R:
    """A copy of `record` with some fields changed."""
    if not isinstance(record, Record):
        raise TypeError(f"replace() changes a Record, not {record!r}")
    return type(record)(**{**{name: getattr(record, name) for name in record._names}, **changes})


def as_type(given: Any) -> Type:
    """The finite type that an author's expression means; SpecError PD103 if it is none."""
    if isinstance(given, Declaration):
        return given.type
    if given is bool:
        return Scalar((False, True), "bool")
    if isinstance(given, type) and issubclass(given, enum.Enum):
        return Scalar(tuple(given), given.__name__)
    if isinstance(given, type) and issubclass(given, Record):
        return _record_type(given, given._domains)
    if isinstance(given, range | tuple | list | frozenset | set):
        return Scalar(tuple(given), f"OneOf({', '.join(map(repr, given))})")
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
    if isinstance(value, str | float | tuple):
        raise SpecError(
            "PD103", f"{value!r} does not say what else there is", hint=f"write OneOf(values, start={value!r})"
        )
    return Declaration(as_type(value))


def is_value(of: Type) -> bool:
    """Whether `of` is a value, to be copied: no container in it."""
    match of:
        case Scalar():
            return True
        case MaybeType(inner):
            return is_value(inner)
        case RecordType(_, fields):
            return all(is_value(inner) for _, inner in fields)
        case _:
            return False


def default_value(of: Type) -> Any:
    """The plain value that `of` starts with, as built-in containers."""
    match of:
        case Scalar(values):
            return values[0]
        case MaybeType():
            return None
        case RecordType(cls, fields):
            return cls(**{name: cls._defaults.get(name, default_value(inner)) for name, inner in fields})
        case ArrayType(length, inner):
            return [default_value(inner) for _ in range(length)]
        case DictType():
            return {}
        case SetType():
            return set()
        case QueueType():
            return deque()
        case BagType():
            return Counter()


def type_name(of: Type) -> str:
    """The type as the author wrote it, more or less: for messages."""
    match of:
        case Scalar(_, name):
            return name
        case MaybeType(inner):
            return f"Maybe({type_name(inner)})"
        case RecordType(cls, _):
            return cls.__name__
        case ArrayType(length, inner):
            return f"Array(range({length}), {type_name(inner)})"
        case DictType(keys, inner):
            return f"Dict({_few(keys)}, {type_name(inner)})"
        case SetType(keys):
            return f"Set({_few(keys)})"
        case QueueType(inner, capacity):
            return f"Queue({type_name(inner)}, {capacity})"
        case BagType(keys, most):
            return f"Bag({_few(keys)}, {most})"


def _all_ints(*values: object) -> bool:
    return all(isinstance(value, int) for value in values)


def _few(keys: tuple[Any, ...]) -> str:
    shown = ", ".join(str(key) for key in keys[:4])
    return f"[{shown}{', ...' if len(keys) > 4 else ''}]"


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
        some = tuple(keys)
    except TypeError:
        raise SpecError(
            "PD103", f"the keys of a {what} are {keys!r}, which is no collection", hint="range(n)?"
        ) from None
    return Scalar(some, f"{what}({_few(some)})").values


def _name(given: Any) -> str:
    return given.__name__ if isinstance(given, type) else repr(given)
