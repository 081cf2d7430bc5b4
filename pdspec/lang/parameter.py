"""Parameters: class attributes with annotations, and what values they take."""

from __future__ import annotations

import enum
import typing
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

from pdspec.errors import SpecError, did_you_mean
from pdspec.source import SourceSpan

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: the values it takes are `allowed`, or ints from `at_least` to `at_most`, or any of `type`."""

    name: str
    type: type
    default: Any
    allowed: tuple[Any, ...] | None = None
    at_least: int | None = None
    at_most: int | None = None
    doc: str = ""

    def describe(self) -> str:
        """The values that are possible, as a message says it."""
        if self.allowed is not None:
            return "allowed: " + ", ".join(
                repr(value) if isinstance(value, str) else str(value) for value in self.allowed
            )
        if self.type is int and (self.at_least is not None or self.at_most is not None):
            low = f" from {self.at_least}" if self.at_least is not None else ""
            return f"allowed: ints{low}" + (f" up to {self.at_most}" if self.at_most is not None else "")
        return f"allowed: any {self.type.__name__}"

    def accept(self, value: Any, span: SourceSpan | None = None) -> Any:
        """`value` where it is one of the parameter's; SpecError PD203 otherwise."""
        right_type = isinstance(value, self.type) and (self.type is bool or not isinstance(value, bool))
        if self.allowed is not None:
            good = any(type(value) is type(other) and value == other for other in self.allowed)
        else:
            low = self.at_least is None or (right_type and value >= self.at_least)
            good = right_type and low and (self.at_most is None or value <= self.at_most)
        if not good:
            near = did_you_mean(value, map(str, self.allowed)) if isinstance(value, str) and self.allowed else ""
            raise SpecError("PD203", f"parameter {self.name!r} is {value!r}; {self.describe()}{near}", span=span)
        return value

    def parse(self, text: str) -> Any:
        """The value that `--set name=text` means."""
        candidates: list[Any] = list(self.allowed or ())
        if self.type is bool:
            candidates = [False, True]
        for value in candidates:
            if text in (str(value), getattr(value, "name", str(value))) or (
                isinstance(value, bool) and text.lower() == str(value).lower()
            ):
                return value
        if self.type is int:
            try:
                return self.accept(int(text))
            except ValueError:
                pass
        return self.accept(text)


@dataclass(frozen=True, slots=True)
class ParameterDefault:
    """What `parameter` gives; `__init_subclass__` takes it apart.

    In the class body it hides a process or function of the same name outside, which is easily done.
    """

    default: Any
    at_least: int | None
    at_most: int | None
    doc: str

    def action(self, *_: Any, **__: Any) -> Any:
        raise SpecError("PD103", f"this name is the parameter with the default {self.default!r} here", hint=HIDDEN)

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise SpecError("PD103", f"this name is the parameter with the default {self.default!r} here", hint=HIDDEN)


HIDDEN = "a parameter hides what has the same name outside of the class: rename one of them"


def parameter(default: T, *, at_least: int | None = None, at_most: int | None = None, doc: str = "") -> T:
    """A parameter's default with its bounds: `rooms: int = parameter(1, at_least=1)`."""
    return cast(T, ParameterDefault(default, at_least, at_most, doc))


def parameter_of(owner: str, name: str, hint: Any, default: Any) -> Parameter:
    bounds = default if isinstance(default, ParameterDefault) else ParameterDefault(default, None, None, "")
    allowed: tuple[Any, ...] | None = None
    if typing.get_origin(hint) is Literal:
        allowed = typing.get_args(hint)
        kind: Any = type(allowed[0])
    elif isinstance(hint, type) and issubclass(hint, enum.Enum):
        allowed, kind = tuple(hint), hint
    else:
        kind = hint
    if not isinstance(kind, type) or not issubclass(kind, bool | int | str | enum.Enum):
        message = f"{owner}: parameter {name!r} has the type {hint!r}; allowed: bool, int, str, an Enum, Literal[...]"
        raise SpecError("PD203", message)
    made = Parameter(name, kind, bounds.default, allowed, bounds.at_least, bounds.at_most, bounds.doc)
    made.accept(bounds.default)
    return made
