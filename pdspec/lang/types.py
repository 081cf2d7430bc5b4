"""The finite types as data: a closed union of frozen dataclasses that tracer and reference both read."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdspec.errors import SpecError

if TYPE_CHECKING:
    from pdspec.lang.record import Record


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
                twin = seen.get(value, UNSET)
            except TypeError:
                raise SpecError("PD103", f"{self.name}: {value!r} cannot be hashed, so it is no value") from None
            if twin is not UNSET:
                raise SpecError("PD103", f"{self.name} holds {twin!r} and {value!r}, which Python calls equal")
            seen[value] = value

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
class RecordOf:
    """A Record class with domains for its fields, before these are looked at."""

    cls: type[Record]
    domains: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Declaration:
    """A variable's type, and its initial value where the author gave one (else UNSET)."""

    type: Type
    start: Any = UNSET


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
            return f"Dict({few(keys)}, {type_name(inner)})"
        case SetType(keys):
            return f"Set({few(keys)})"
        case QueueType(inner, capacity):
            return f"Queue({type_name(inner)}, {capacity})"
        case BagType(keys, most):
            return f"Bag({few(keys)}, {most})"


def few(keys: tuple[Any, ...]) -> str:
    shown = ", ".join(str(key) for key in keys[:4])
    return f"[{shown}{', ...' if len(keys) > 4 else ''}]"
