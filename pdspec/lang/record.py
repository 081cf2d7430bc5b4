"""Records: values with named fields.

Frozen at run time and not for a type checker, because `self.chunks[i].done = True` is a way to write a changed copy
into the state (`pdspec.lang.hooks.assign`).
"""

from __future__ import annotations

import inspect
import typing
from dataclasses import dataclass
from typing import Any, TypeVar, cast, dataclass_transform

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.context import is_running, refuse
from pdspec.lang.types import UNSET, RecordOf

V = TypeVar("V")

R = TypeVar("R", bound="Record")


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

    __match_args__: typing.ClassVar[tuple[str, ...]] = ()
    _names: typing.ClassVar[tuple[str, ...]] = ()
    _defaults: typing.ClassVar[dict[str, Any]] = {}
    _domains: typing.ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        names = [name for base in reversed(cls.__mro__) for name in inspect.get_annotations(base)]
        cls._names = tuple(dict.fromkeys(name for name in names if not name.startswith("_")))
        cls.__match_args__ = cls._names  # type: ignore[misc]
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

    def __getattr__(self, name: str) -> Any:
        # Only what is no field comes here.
        message = f"a {type(self).__name__} has no field {name!r} ({', '.join(self._names)})"
        if is_running() and not name.startswith("_"):
            refuse("PD102", message + did_you_mean(name, self._names))
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        raise TypeError(f"a {type(self).__name__} is a value: its field {name!r} cannot be deleted")

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
        return cast("type[R]", RecordOf(cls, {**cls._domains, **domains}))


def replace(record: R, **changes: Any) -> R:
    """A copy of `record` with some fields changed."""
    if not isinstance(record, Record):
        raise TypeError(f"replace() changes a Record, not {record!r}")
    return type(record)(**{**{name: getattr(record, name) for name in record._names}, **changes})
