"""What a live container asks of the step that it is part of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol, TypeVar

from pdspec.errors import did_you_mean
from pdspec.lang.types import Type
from pdspec.source import SourceSpan

T = TypeVar("T")


class Memory(Protocol):
    """Where live containers are kept."""

    def change(self) -> None:
        """Before every change: raises where nothing may change, or where the step has ended."""

    def keep(self, of: Type, value: Any, place: str) -> Any:
        """What a place of this type holds after `value` was stored there; ends the step where it does not belong."""

    def outside(self, message: str) -> NoReturn:
        """Ends the step: the bounds of the model are too small."""

    def refuse(self, code: str, message: str, *, hint: str | None = None, span: SourceSpan | None = None) -> NoReturn:
        """The step has no meaning."""

    def choose(self, options: Iterable[Any], name: str) -> Any:
        """Any of `options`."""


def is_live(value: Any) -> bool:
    """Whether `value` is a container that is part of the state now."""
    return not isinstance(getattr(value, "_memory", None), Gone | None)


def release(value: Any) -> None:
    """`value` leaves the state, with all that is in it."""
    if is_live(value):
        vars(value)["_memory"] = Gone(value._memory, value._place)
        if isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                release(item)


def named(built_in: type) -> Callable[[type[T]], type[T]]:
    """Gives a class the name of the built-in, for messages, and says what `type(x)` means to the author."""

    def rename(kind: type[T]) -> type[T]:
        kind.__name__ = kind.__qualname__ = built_in.__name__
        kind._pdspec_type = built_in  # type: ignore[attr-defined]
        return kind

    return rename


def unknown_attribute(container: Any, name: str) -> Any:
    """`__getattr__` of live containers: what the built-in does not have is refused, as no step may depend on it."""
    if name.startswith("_"):
        raise AttributeError(name)
    kind = type(container)
    near = did_you_mean(name, [each for each in dir(kind) if not each.startswith("_")])
    container._memory.refuse("PD104", f"{container._place}.{name}: a {kind.__name__} has no such attribute{near}")


def refuse_attribute(container: Any, name: str, value: object) -> None:
    """`__setattr__` of live containers."""
    container._memory.refuse("PD102", f"{container._place}.{name} is assigned, but a container has no fields")


class Gone:
    """The memory of a container that has left the state: it can be read but not changed."""

    def __init__(self, memory: Memory, place: str) -> None:
        self._memory = memory
        self._place = place

    def change(self) -> None:
        self.refuse(
            "PD110",
            f"what was read from {self._place} is no longer there, and is changed",
            hint="read it again through self, or take a copy before",
        )

    def keep(self, of: Type, value: Any, place: str) -> Any:
        raise AssertionError("change() was not asked")

    def outside(self, message: str) -> NoReturn:
        self._memory.outside(message)

    def refuse(self, code: str, message: str, *, hint: str | None = None, span: SourceSpan | None = None) -> NoReturn:
        self._memory.refuse(code, message, hint=hint, span=span)

    def choose(self, options: Iterable[Any], name: str) -> Any:
        return self._memory.choose(options, name)
