"""Spec, Process and the decorators: how the parts of a spec are named and found.

A Spec instance is a setting of parameters. Its variables exist only while a step runs: then `_store` holds them, plain
values in the reference, symbolic ones in the tracer, and attribute access goes through it.
"""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar, cast

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.context import options_of, refuse
from pdspec.lang.decorate import Derived, Member
from pdspec.lang.parameter import HIDDEN, Parameter, parameter_of
from pdspec.model.text import value_text

T = TypeVar("T")

BUILT_IN_PROPERTIES = ("deadlock", "exceptions", "bounds")


class Store(Protocol):
    """Where the variables of a running step live."""

    def load(self, name: str) -> Any: ...
    def assign(self, name: str, value: Any) -> None: ...


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
                cls._parameters[name] = parameter_of(cls.__name__, name, hints[name], default)
        for name in inspect.get_annotations(cls):
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
        member = getattr(type(self), name, None)
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
                hint=f"declare a variable in state(); a parameter is given when the spec is made: "
                f"{type(self).__name__}({name}=...)",
            )
        cast(Store, store).assign(name, value)

    def __delattr__(self, name: str) -> None:
        refuse("PD104", f"del self.{name}: a variable cannot be deleted", hint="make it Maybe(T) and store None")

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
    return {name: value for name, value in found.items() if isinstance(value, Member | Derived)}


def domain_values(spec: Spec, owner: str, name: str, domain: Any) -> tuple[Any, ...]:
    """The values of an argument, from an iterable, an Enum class or a function of the spec, each once."""
    if isinstance(domain, type) and issubclass(domain, enum.Enum):
        return tuple(domain)
    values = domain(spec) if callable(domain) else domain
    if isinstance(values, type) and issubclass(values, enum.Enum):
        return tuple(values)
    if not isinstance(values, Iterable):
        raise SpecError(
            "PD103",
            f"{owner}: the domain of {name!r} is {values!r}, which is no collection",
            hint="a range, a tuple, an Enum class, or a function of the spec that returns one; " + HIDDEN,
        )
    found = tuple(dict.fromkeys(options_of(values)))
    texts = [value_text(value) for value in found]
    if len(set(texts)) < len(texts):
        raise SpecError(
            "PD103", f"{owner}: the domain of {name!r} holds values that are written alike: {', '.join(texts)}"
        )
    return found


def argument_values(spec: Spec, member: Member) -> list[dict[str, Any]]:
    """Every valuation of a member's arguments, the last argument fastest."""
    valuations: list[dict[str, Any]] = [{}]
    for name in inspect.signature(member.function).parameters:
        if name in member.domains:
            values = domain_values(spec, member.name, name, member.domains[name])
            valuations = [{**valuation, name: value} for valuation in valuations for value in values]
    return valuations
