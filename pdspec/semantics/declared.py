"""What the reference knows of a spec before any step: its variables, its initial states, its instances."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import pdspec.errors
from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.declare import declare
from pdspec.lang.decorate import Action, Final, Process, Property, span_of
from pdspec.lang.spec import Spec, argument_values, members
from pdspec.lang.types import Type
from pdspec.model.text import value_text
from pdspec.semantics.values import State, freeze

Choices = tuple[tuple[str, str], ...]
_PACKAGE = str(Path(pdspec.errors.__file__).parent)


@dataclass(frozen=True, slots=True)
class Instance:
    """An action with its arguments. `texts` are the arguments as traces show them."""

    action: str
    member: Action
    args: Mapping[str, Any]
    texts: Choices

    @property
    def process(self) -> str:
        return self.member.process.name

    def label(self) -> str:
        return label(self.action, self.args)


@dataclass(frozen=True, slots=True)
class Question:
    """A property with its arguments."""

    name: str
    member: Property
    args: Mapping[str, Any]

    def label(self) -> str:
        """`name`, or `name(room=0)`."""
        return label(self.name, self.args)


@dataclass(frozen=True, slots=True)
class Declared:
    """The variables and their types, the initial states as declared, and the files of the spec's own code."""

    types: Mapping[str, Type]
    initial: tuple[tuple[Choices, State], ...]
    files: frozenset[str]


# A Spec never changes once it is made, so what `state()` declares is found once.
_known: WeakKeyDictionary[Spec, Declared] = WeakKeyDictionary()


def declared(spec: Spec) -> Declared:
    """Runs `state()`; SpecError PD103 where it makes no sense."""
    found = _known.get(spec)
    if found is None:
        types, initial = declare(spec)
        found = _known[spec] = Declared(types, tuple(initial), frozenset(_files(type(spec))))
    return found


def initial_states(spec: Spec) -> list[tuple[Choices, State]]:
    """The distinct initial states in order, each with the first choices that make it. There is at least one."""
    unique: dict[Any, tuple[Choices, State]] = {}
    for choices, state in declared(spec).initial:
        unique.setdefault(freeze(state), (choices, state))
    return list(unique.values())


def instances(spec: Spec) -> list[Instance]:
    """Every action with every valuation of its arguments, in the order of definition, the last argument fastest.

    SpecError PD104 for an action that is a generator or a coroutine: calling it would run nothing.
    """
    found = []
    for name, member in members(type(spec)).items():
        if isinstance(member, Action):
            function = member.function
            if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
                message = f"action {name} is a generator or a coroutine: an action is one atomic step"
                raise SpecError("PD104", message, span=span_of(function), hint="split it into several actions")
            for args in argument_values(spec, member):
                texts = tuple((argument, value_text(value)) for argument, value in args.items())
                found.append(Instance(name, member, args, texts))
    return found


def questions(spec: Spec) -> list[Question]:
    """Every property with every valuation of its arguments, in the order of definition."""
    found = members(type(spec)).items()
    properties = [(name, member) for name, member in found if isinstance(member, Property)]
    return [Question(name, member, args) for name, member in properties for args in argument_values(spec, member)]


def final_of(spec: Spec) -> Final | None:
    """The method that says which states may be the last; SpecError PD103 where there are several."""
    found = [member for member in members(type(spec)).values() if isinstance(member, Final)]
    if len(found) > 1:
        message = f"{' and '.join(member.name for member in found)} are both @final"
        raise SpecError("PD103", message, span=span_of(found[1].function), hint="join them by `or`")
    return found[0] if found else None


def left_out(spec: Spec, question: Question, known: list[Instance]) -> frozenset[int]:
    """The numbers of the instances that an always_possible does not count on; SpecError PD103 for an unknown name."""
    excluded: set[int] = set()
    for item in question.member.without:
        name = item if isinstance(item, str) else getattr(item, "name", getattr(item, "__name__", repr(item)))
        if isinstance(item, Process):
            found = {number for number, instance in enumerate(known) if instance.process == name}
        else:
            found = {number for number, instance in enumerate(known) if name in (instance.action, instance.process)}
        if not found:
            names = sorted({instance.action for instance in known} | {instance.process for instance in known})
            near = did_you_mean(name, names)
            message = f"{question.name}: without={name!r} is no action and no process of {type(spec).__name__}{near}"
            raise SpecError("PD103", message, span=span_of(question.member.function))
        excluded |= found
    return frozenset(excluded)


def label(name: str, args: Mapping[str, Any]) -> str:
    """A name with its arguments, as in `abort(room=0)`; without arguments the name alone."""
    inside = ", ".join(f"{argument}={value_text(value)}" for argument, value in args.items())
    return f"{name}({inside})" if args else name


def _files(cls: type[Spec]) -> Iterator[str]:
    for base in cls.__mro__:
        for value in vars(base).values():
            for function in _functions(value):
                file = function.__code__.co_filename
                if not file.startswith(_PACKAGE):
                    yield file


def _functions(value: Any) -> Iterator[FunctionType]:
    """The function of a method, and what a decorator has put around it."""
    candidates: list[Callable[..., Any] | None] = [value]
    candidates += [getattr(value, name, None) for name in ("function", "__func__", "__wrapped__", "fget")]
    for candidate in candidates:
        if callable(candidate):
            plain = inspect.unwrap(candidate)
            if isinstance(plain, FunctionType):
                yield plain
