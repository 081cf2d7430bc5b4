"""Spec, Process and the decorators: how the parts of a spec are named and found.

A Spec instance is a setting of parameters. Its variables exist only while a step runs: then `_store` holds them, plain
values in the reference, symbolic ones in the tracer, and attribute access goes through it.
"""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar, cast, overload

from pdspec.errors import SpecError, did_you_mean
from pdspec.source import SourceSpan

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
Fairness = Literal["weak", "strong"]
Kind = Literal["invariant", "step_invariant", "reachable", "always_possible"]

BUILT_IN_PROPERTIES = ("deadlock", "exceptions", "bounds")


class Store(Protocol):
    """Where the variables of a running step live."""

    def load(self, name: str) -> Any: ...
    def assign(self, name: str, value: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class Step:
    """The transition that a step invariant is asked about."""

    action: str
    process: str
    args: Mapping[str, Any]


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
class _ParameterDefault:
    """What `parameter` gives; `__init_subclass__` takes it apart.

    In the class body it hides a process or function of the same name outside, which is easily done.
    """

    default: Any
    at_least: int | None
    at_most: int | None
    doc: str

    def action(self, *_: Any, **__: Any) -> Any:
        raise SpecError("PD103", f"this name is the parameter with the default {self.default!r} here", hint=_HIDDEN)

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise SpecError("PD103", f"this name is the parameter with the default {self.default!r} here", hint=_HIDDEN)


_HIDDEN = "a parameter hides what has the same name outside of the class: rename one of them"


def parameter(default: T, *, at_least: int | None = None, at_most: int | None = None, doc: str = "") -> T:
    """A parameter's default with its bounds: `rooms: int = parameter(1, at_least=1)`."""
    return cast(T, _ParameterDefault(default, at_least, at_most, doc))


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


class _Member:
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
                hint="each argument needs a domain: @process.action(room=rooms)",
            )

    @overload
    def __get__(self, instance: None, owner: type) -> _Member: ...
    @overload
    def __get__(self, instance: object, owner: type) -> types.MethodType: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        return self if instance is None else types.MethodType(self.function, instance)


class Action(_Member):
    """An atomic step of a process."""

    def __init__(self, process: Process, function: Callable[..., Any], domains: Mapping[str, Any]) -> None:
        super().__init__(function, domains)
        self.process = process


class Property(_Member):
    """A question about the reachable states; `kind` says which."""

    def __init__(
        self, kind: Kind, function: Callable[..., Any], domains: Mapping[str, Any], without: Sequence[Any] = ()
    ) -> None:
        self._extra = ("before", "step") if kind == "step_invariant" else ()
        super().__init__(function, domains)
        self.kind = kind
        self.without = tuple(without)


class Final(_Member):
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


class Spec:
    """A specification: parameters, variables, steps and properties. Derive from it; docs/language.md says how."""

    _parameters: typing.ClassVar[dict[str, Parameter]] = {}

    def __init_subclass__(cls) -> None:
        cls._parameters = dict(cls._parameters)
        try:
            hints = typing.get_type_hints(cls)
        except NameError as error:
            message = f"{cls.__name__}: the annotation of a parameter names {error.name!r}, which is unknown"
            raise SpecError("PD203", message) from None
        for name, default in list(cls.__dict__.items()):
            if name in hints and not name.startswith("_") and typing.get_origin(hints[name]) is not typing.ClassVar:
                cls._parameters[name] = _parameter(cls, name, hints[name], default)
        for name in cls.__dict__.get("__annotations__", {}):
            if name not in cls.__dict__ and not name.startswith("_") and name not in cls._parameters:
                hint = f"{name}: T = value; variables are declared in state()"
                raise SpecError("PD203", f"{cls.__name__}: parameter {name!r} has no default", hint=hint)

    def __init__(self, **parameters: Any) -> None:
        cls = type(self)
        for name in parameters:
            if name not in cls._parameters:
                possible = ", ".join(cls._parameters) or "none"
                near = did_you_mean(name, cls._parameters)
                raise SpecError("PD203", f"{cls.__name__} has no parameter {name!r}; it has: {possible}{near}")
        for name, known in cls._parameters.items():
            value = known.accept(parameters[name]) if name in parameters else known.default
            object.__setattr__(self, name, value)

    def parameters(self) -> dict[str, Any]:
        """The values of all parameters, in the order of their declaration."""
        return {name: self.__dict__[name] for name in self._parameters}

    def with_parameters(self, **changes: Any) -> Spec:
        """The same spec with some parameters changed."""
        return type(self)(**{**self.parameters(), **changes})

    def __getattr__(self, name: str) -> Any:
        # Only what ordinary look-up does not find comes here: variables, and mistakes.
        store = self.__dict__.get("_store")
        member = inspect.getattr_static(type(self), name, None)
        if isinstance(member, Derived) and store is not None:
            # Python comes here after an AttributeError inside of it, and would hide that one.
            return member.function(self)
        if store is None or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return cast(Store, store).load(name)

    def __setattr__(self, name: str, value: Any) -> None:
        store = self.__dict__.get("_store")
        if store is None:
            raise SpecError(
                "PD102",
                f"{type(self).__name__}.{name} is assigned outside of a step",
                hint="parameters are given when the spec is made: " + f"{type(self).__name__}({name}=...)",
            )
        cast(Store, store).assign(name, value)

    def __delattr__(self, name: str) -> None:
        raise SpecError(
            "PD104", f"del self.{name}: a variable cannot be deleted", hint="make it Maybe(T) and store None"
        )

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{type(self).__name__}({inside})"


def attach(spec: Spec, store: Store) -> Spec:
    """A spec with the same parameters whose variables live in `store`."""
    bound = object.__new__(type(spec))
    bound.__dict__.update(spec.__dict__)
    bound.__dict__["_store"] = store
    return bound


def members(cls: type[Spec]) -> dict[str, Any]:
    """The decorated methods that an instance has, base classes first, in the order of definition."""
    names = dict.fromkeys(name for base in reversed(cls.__mro__) for name in base.__dict__)
    found = {name: inspect.getattr_static(cls, name) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, _Member | Derived)}


def domain_values(spec: Spec, owner: str, name: str, domain: Any) -> tuple[Any, ...]:
    """The values of an argument, from an iterable, an Enum class or a function of the spec."""
    if isinstance(domain, type) and issubclass(domain, enum.Enum):
        return tuple(domain)
    values = domain(spec) if callable(domain) else domain
    if isinstance(values, type) and issubclass(values, enum.Enum):
        return tuple(values)
    if not isinstance(values, Iterable):
        raise SpecError(
            "PD103",
            f"{owner}: the domain of {name!r} is {values!r}, which is no collection",
            hint="a range, a tuple, an Enum class, or a function of the spec that returns one; " + _HIDDEN,
        )
    return tuple(values)


def argument_values(spec: Spec, member: _Member) -> list[dict[str, Any]]:
    """Every valuation of a member's arguments, the last argument fastest."""
    valuations: list[dict[str, Any]] = [{}]
    for name in inspect.signature(member.function).parameters:
        if name in member.domains:
            values = domain_values(spec, member.name, name, member.domains[name])
            valuations = [{**valuation, name: value} for valuation in valuations for value in values]
    return valuations


def span_of(function: Callable[..., Any]) -> SourceSpan:
    """Where a function's `def` stands."""
    code = function.__code__
    return SourceSpan(code.co_filename, code.co_firstlineno)


def _parameter(cls: type[Spec], name: str, hint: Any, default: Any) -> Parameter:
    bounds = default if isinstance(default, _ParameterDefault) else _ParameterDefault(default, None, None, "")
    allowed: tuple[Any, ...] | None = None
    if typing.get_origin(hint) is Literal:
        allowed = typing.get_args(hint)
        kind: Any = type(allowed[0])
    elif isinstance(hint, type) and issubclass(hint, enum.Enum):
        allowed, kind = tuple(hint), hint
    else:
        kind = hint
    if not isinstance(kind, type) or not issubclass(kind, bool | int | str | enum.Enum):
        message = (
            f"{cls.__name__}: parameter {name!r} has the type {hint!r}; allowed: bool, int, str, an Enum, Literal[...]"
        )
        raise SpecError("PD203", message)
    made = Parameter(name, kind, bounds.default, allowed, bounds.at_least, bounds.at_most, bounds.doc)
    made.accept(bounds.default)
    return made
