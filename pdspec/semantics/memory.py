"""What a live container asks of the step that it is part of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, Protocol

from pdspec.lang.types import Type


class Memory(Protocol):
    """Where live containers are kept."""

    def change(self) -> None:
        """Before every change: raises where nothing may change, or where the step has ended."""

    def keep(self, of: Type, value: Any, place: str) -> Any:
        """What a place of this type holds after `value` was stored there; ends the step where it does not belong."""

    def outside(self, message: str) -> NoReturn:
        """Ends the step: the bounds of the model are too small."""

    def refuse(self, code: str, message: str, hint: str | None = None) -> NoReturn:
        """The step has no meaning."""

    def choose(self, options: Iterable[Any], name: str) -> Any:
        """Any of `options`."""


def is_live(value: Any) -> bool:
    """Whether `value` is a container that is part of the state now."""
    return not isinstance(getattr(value, "_memory", None), Gone | None)


def release(value: Any) -> None:
    """`value` leaves the state, with all that is in it."""
    if is_live(value):
        value._memory = Gone(value._memory, value._place)
        if isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                release(item)


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

    def refuse(self, code: str, message: str, hint: str | None = None) -> NoReturn:
        self._memory.refuse(code, message, hint)

    def choose(self, options: Iterable[Any], name: str) -> Any:
        return self._memory.choose(options, name)
