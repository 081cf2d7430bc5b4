"""Process and the decorators: what makes a method a step or a question.

A decorated method stays a plain method on an instance, and is found by its kind on the class.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast, overload

from pdspec.errors import SpecError
from pdspec.source import SourceSpan

T = TypeVar("T")

F = TypeVar("F", bound=Callable[..., Any])


Fairness = Literal["weak", "strong"]


Kind = Literal["invariant", "step_invariant", "reachable", "always_possible"]


@dataclass(frozen=True, slots=True)
class Step:
    """The transition that a step invariant is asked about."""

    action: str
    process: str
    args: Mapping[str, Any]


class Process:
    """Who acts. Without `fair` a process may act and need not: the environment."""

    def __init__(self, name: str, *, fair: Fairness | None = None) -> None:
        if fair not in (None, "weak", "strong"):
            raise SpecError("PD103", f"process {name!r}: fair is {fair!r}; allowed: 'weak', 'strong', None")
        self.name = name
        self.fair = fair

    def __repr__(self) -> str:
        return f"Process({self.name!r})"

    @overload
    def action(self, function: F, /) -> F: ...
    @overload
    def action(self, /, **domains: Any) -> Callable[[F], F]: ...
    def action(self, function: Any = None, /, **domains: Any) -> Any:
        """An atomic step of this process, one instance for each value of its arguments."""

        def decorate(wrapped: Callable[..., Any]) -> Action:
            return Action(self, wrapped, domains)

        return decorate if function is None else decorate(function)


class Member:
    """A decorated method: found by name on the class, callable as a plain method on an instance."""

    function: Callable[..., Any]
    domains: Mapping[str, Any]
    name: str
    _extra: tuple[str, ...] = ()

    def __init__(self, function: Callable[..., Any], domains: Mapping[str, Any]) -> None:
        self.function = function
        self.domains = domains
        self.name = function.__name__
        self.__doc__ = function.__doc__
        names = list(inspect.signature(function).parameters)[1:]
        expected = [name for name in names if name not in self._extra]
        if sorted(expected) != sorted(domains):
            raise SpecError(
                "PD103",
                f"{self.name} takes the arguments ({', '.join(expected)}), its decorator gives domains for "
                f"({', '.join(domains)})",
                span=span_of(function),
                hint="each argument needs a domain in the decorator: (room=rooms)"
                + (f"; without one there are {' and '.join(self._extra)}" if self._extra else ""),
            )

    @overload
    def __get__(self, instance: None, owner: type) -> Member: ...
    @overload
    def __get__(self, instance: object, owner: type) -> types.MethodType: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        return self if instance is None else types.MethodType(self.function, instance)


class Action(Member):
    """An atomic step of a process."""

    def __init__(self, process: Process, function: Callable[..., Any], domains: Mapping[str, Any]) -> None:
        super().__init__(function, domains)
        self.process = process


class Property(Member):
    """A question about the reachable states; `kind` says which."""

    def __init__(
        self, kind: Kind, function: Callable[..., Any], domains: Mapping[str, Any], without: Sequence[Any] = ()
    ) -> None:
        self._extra = ("before", "step") if kind == "step_invariant" else ()
        super().__init__(function, domains)
        self.kind = kind
        self.without = tuple(without)


class Final(Member):
    """The states where having nothing left to do is fine."""


class Derived(Generic[T]):
    """A value computed from the state, read like an attribute."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Derived[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | Derived[T]:
        return self if instance is None else self.function(instance)


@overload
def invariant(function: F, /) -> F: ...


@overload
def invariant(**domains: Any) -> Callable[[F], F]: ...


def invariant(function: Any = None, /, **domains: Any) -> Any:
    """Holds when it is true in every reachable state."""
    return _property("invariant", function, domains)


@overload
def step_invariant(function: F, /) -> F: ...


@overload
def step_invariant(**domains: Any) -> Callable[[F], F]: ...


def step_invariant(function: Any = None, /, **domains: Any) -> Any:
    """Holds when it is true of every transition: `def f(self, before, step)`; self-loops included."""
    return _property("step_invariant", function, domains)


@overload
def reachable(function: F, /) -> F: ...


@overload
def reachable(**domains: Any) -> Callable[[F], F]: ...


def reachable(function: Any = None, /, **domains: Any) -> Any:
    """Holds when it is true in some reachable state; with arguments, for each of their values."""
    return _property("reachable", function, domains)


@overload
def always_possible(function: F, /) -> F: ...


@overload
def always_possible(*, without: Sequence[Any] = (), **domains: Any) -> Callable[[F], F]: ...


def always_possible(function: Any = None, /, *, without: Sequence[Any] = (), **domains: Any) -> Any:
    """Holds when from every reachable state one where it is true can be reached (CTL: AG EF).

    Steps of the actions and processes in `without` may happen on the way into a state and do not count on the way out.
    """
    return _property("always_possible", function, domains, without)


def final(function: F, /) -> F:
    """The states where having nothing left to do is fine. Any other state without a step is a deadlock."""
    return cast(F, Final(function, {}))


def derived(function: Callable[[Any], T], /) -> Derived[T]:
    """A value computed from the state: read as `self.name`, shown in traces, usable in properties."""
    return Derived(function)


def _property(kind: Kind, function: Any, domains: Mapping[str, Any], without: Sequence[Any] = ()) -> Any:
    def decorate(wrapped: Callable[..., Any]) -> Property:
        return Property(kind, wrapped, domains, without)

    return decorate if function is None else decorate(function)


def span_of(function: Callable[..., Any]) -> SourceSpan:
    """Where a function's `def` stands."""
    code = function.__code__
    return SourceSpan(code.co_filename, code.co_firstlineno)
