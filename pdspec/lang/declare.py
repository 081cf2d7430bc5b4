"""Runs `state()`: which variables there are, and the initial states."""

from __future__ import annotations

from typing import Any, NoReturn

from pdspec.errors import SpecError
from pdspec.lang.context import Stop, options_of, running
from pdspec.lang.finite import declaration
from pdspec.lang.path import place_of
from pdspec.lang.plain import belongs, default_of, initial_value
from pdspec.lang.spec import Spec, attach, members
from pdspec.lang.types import UNSET, ArrayType, Type
from pdspec.model.text import value_texts
from pdspec.source import SourceSpan

Choices = tuple[tuple[str, str], ...]
_INITIAL_MAX = 100_000


def declare(spec: Spec) -> tuple[dict[str, Type], list[tuple[Choices, dict[str, Any]]]]:
    """The variables' types in order, and the initial values for each resolution of the choices in `state()`."""
    span = _span(spec)
    types: dict[str, Type] | None = None
    initial: list[tuple[Choices, dict[str, Any]]] = []
    script: list[int] = []
    while True:
        run = _Declaring(spec, script)
        try:
            with running(run):
                attach(spec, run).state()
        except Stop:
            pass
        except SpecError as error:
            error.span = error.span or place_of(error) or span
            raise
        if not run.disabled:
            if types is not None and types != run.types:
                raise SpecError("PD103", "state() declares other variables or types on another choice", span=span)
            types = run.types
            initial.append((tuple(run.choices), run.values))
            if len(initial) > _INITIAL_MAX:
                raise SpecError("PD106", f"more than {_INITIAL_MAX:,} initial states", span=span)
        while run.counts and run.script[len(run.counts) - 1] + 1 == run.counts[-1]:
            run.counts.pop()
        if not run.counts:
            break
        script = [*run.script[: len(run.counts) - 1], run.script[len(run.counts) - 1] + 1]
    if types is None:
        raise SpecError("PD103", f"{type(spec).__name__} has no initial state", span=span)
    if not types:
        raise SpecError("PD103", f"state() of {type(spec).__name__} declares no variable", span=span)
    return types, initial


class _Declaring:
    """The run and the store of one execution of `state()`."""

    def __init__(self, spec: Spec, script: list[int]) -> None:
        self.spec = spec
        self.script = list(script)
        self.counts: list[int] = []
        self.choices: list[tuple[str, str]] = []
        self.types: dict[str, Type] = {}
        self.values: dict[str, Any] = {}
        self.disabled = False
        self._taken = {*spec.parameters(), *members(type(spec)), "state"}

    def load(self, name: str) -> Any:
        if name in self.types:
            message = f"state() reads {name!r}, which has no value yet"
            raise SpecError("PD103", message, hint="give initial contents by start=: Dict(keys, T, start={...})")
        raise SpecError("PD102", f"{type(self.spec).__name__} has no parameter or method {name!r}")

    def assign(self, name: str, value: Any) -> None:
        if name in self.types:
            raise SpecError("PD103", f"state() declares {name!r} twice", hint="give initial contents by start=")
        if name in self._taken or name.startswith("_") or hasattr(type(self.spec), name):
            raise SpecError("PD103", f"the variable {name!r} has the name of a parameter or method, or starts with _")
        try:
            made = declaration(value)
        except SpecError as error:
            raise SpecError(error.code, f"variable {name!r}: {error.message}", hint=error.hint) from None
        start = default_of(made.type) if made.start is UNSET else made.start
        of = made.type.inner if isinstance(made.type, ArrayType) and not isinstance(start, list | tuple) else made.type
        problem = belongs(of, start)
        if problem:
            raise SpecError("PD103", f"variable {name!r} cannot start as {start!r}: {problem}")
        self.types[name] = made.type
        self.values[name] = initial_value(made.type, start)

    def refuse(self, code: str, message: str, *, hint: str | None = None, span: SourceSpan | None = None) -> NoReturn:
        raise SpecError(code, message, hint=hint, span=span)

    def require(self, condition: Any) -> None:
        if self.disabled or not condition:
            self.disabled = True
            raise Stop

    def choose(self, options: Any, name: str) -> Any:
        unique: list[Any] = []
        for option in options_of(options):
            if option not in unique:
                unique.append(option)
        if not unique:
            self.disabled = True
            raise Stop
        depth = len(self.counts)
        if depth == len(self.script):
            self.script.append(0)
        self.counts.append(len(unique))
        number = self.script[depth]
        self.choices.append((name, value_texts(unique)[number]))
        return unique[number]


def _span(spec: Spec) -> SourceSpan | None:
    state = getattr(type(spec), "state", None)
    if state is None:
        raise SpecError("PD103", f"{type(spec).__name__} has no state()", hint="def state(self): self.x = Range(0, 3)")
    code = getattr(state, "__code__", None)
    if code is None or code.co_argcount != 1:
        message = f"{type(spec).__name__}.state is no method without arguments"
        raise SpecError("PD103", message, hint="def state(self): self.x = Range(0, 3)")
    return SourceSpan(code.co_filename, code.co_firstlineno)
