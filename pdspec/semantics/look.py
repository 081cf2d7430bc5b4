"""Properties on plain values: methods that look at a state and change nothing."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.context import running
from pdspec.lang.decorate import Final, Property, Step
from pdspec.lang.spec import Spec, attach
from pdspec.lang.types import Type
from pdspec.semantics.declared import Declared, Instance, declared
from pdspec.semantics.live import live
from pdspec.semantics.step import span_of_error, span_of_frame
from pdspec.semantics.values import State
from pdspec.source import SourceSpan

_LOOK = "a property only looks at the state"


@dataclass(frozen=True, slots=True)
class Failed:
    """The property raised."""

    type_name: str
    message: str
    span: SourceSpan | None = None


def ask(member: Property | Final, args: Mapping[str, Any], after: Look) -> bool | Failed:
    """Whether the property is true in a state. SpecError PD108 where it does more than look."""
    return _asked(member, dict(args), after, ())


def ask_step(member: Property, args: Mapping[str, Any], before: Look, instance: Instance, after: Look) -> bool | Failed:
    """Whether the step invariant is true of the transition of `instance` from one state to the other."""
    step = Step(instance.action, instance.process, dict(instance.args))
    names = inspect.signature(member.function).parameters
    extra = {name: value for name, value in (("before", before.bound), ("step", step)) if name in names}
    return _asked(member, {**args, **extra}, after, (before,))


def _asked(member: Property | Final, args: dict[str, Any], after: Look, more: tuple[Look, ...]) -> bool | Failed:
    answer: bool | Failed
    files = after.declared.files
    try:
        with running(after):
            said = member.function(after.bound, **args)
            if said is None:
                raise SpecError("PD108", f"{member.name} returns None", hint="return whether it is true")
            answer = bool(said)
    except SpecError as error:
        error.span = error.span or span_of_error(error, files)
        raise
    except RecursionError as error:
        span = span_of_error(error, files)
        raise SpecError("PD106", f"{member.name} calls itself without end", span=span) from None
    except (Exception, SystemExit) as error:
        answer = Failed(type(error).__name__, str(error), span_of_error(error, files))
    for look in (after, *more):
        if look.refused is not None:
            raise look.refused
    return answer


class Look:
    """A state that can be read only: the store of `self`, the memory of its containers, and the running property."""

    def __init__(self, spec: Spec, state: State) -> None:
        self.declared: Declared = declared(spec)
        self.bound = attach(spec, self)
        self.refused: SpecError | None = None
        self._state = state
        self._values: dict[str, Any] = {}

    def load(self, name: str) -> Any:
        if name not in self._values:
            types = self.declared.types
            if name not in types:
                cls = type(self.bound).__name__
                self.refuse("PD102", f"{cls} reads {name!r}, which state() does not declare{did_you_mean(name, types)}")
            self._values[name] = live(self, types[name], self._state[name], name)
        return self._values[name]

    def assign(self, name: str, value: Any) -> None:
        self.refuse("PD108", f"a property assigns {name!r}: {_LOOK}")

    def require(self, condition: Any) -> None:
        self.refuse("PD108", f"a property requires: {_LOOK}", hint="return the condition")

    def choose(self, options: Iterable[Any], name: str) -> Any:
        self.refuse("PD108", f"a property chooses: {_LOOK}", hint="ask for all by arguments: @invariant(room=rooms)")

    def change(self) -> None:
        self.refuse(
            "PD108", f"a property changes a container of the state: {_LOOK}", hint="change a copy: set(x), x.copy()"
        )

    def keep(self, of: Type, value: Any, place: str) -> Any:
        raise AssertionError("change() was not asked")

    def outside(self, message: str) -> NoReturn:
        raise AssertionError("change() was not asked")

    def refuse(self, code: str, message: str, *, hint: str | None = None, span: SourceSpan | None = None) -> NoReturn:
        span = span or span_of_frame(sys._getframe(1), self.declared.files)
        error = SpecError(code, message, span=span, hint=hint)
        self.refused = self.refused or error
        raise error
