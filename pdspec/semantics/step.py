"""One step on plain values: the method simply runs.

What ends a step from inside is recorded before `Stop` is raised, and whatever asks afterwards raises it again: a method
that swallows it changes nothing more. Each choice is resolved by running the step again with a script of answers.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.context import Stop, options_of, refuse, running
from pdspec.lang.spec import Spec, attach, members
from pdspec.lang.types import Type, is_value
from pdspec.model.text import value_texts
from pdspec.semantics.declared import Choices, Declared, Instance, declared
from pdspec.semantics.live import live
from pdspec.semantics.memory import is_live, release
from pdspec.semantics.values import Outside, State, accept, plain
from pdspec.source import SourceSpan

EVENTS_MAX = 100_000

_REPEAT = "a step may depend on the state and its arguments only: no cache, global, random, time or set order"
_COPY = "change it through the state (self.variable...), or store a copy: list(x), set(x), dict(x), x.copy()"


@dataclass(frozen=True, slots=True)
class Disabled:
    """The step is not enabled: a `require` does not hold, or there is nothing to choose."""

    span: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """The step leads to this state."""

    state: State


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception leaves the step. `span` is the innermost line in the spec's own code or in a lifted function."""

    exception: BaseException
    type_name: str
    message: str
    span: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A value would leave its type: the bounds of the model are too small."""

    message: str
    span: SourceSpan | None = None


Outcome = Disabled | Next | Raised | Bound


def outcomes(spec: Spec, instance: Instance, state: State) -> list[tuple[Choices, Outcome]]:
    """What the step does in `state`: one outcome for each resolution of its choices, in order.

    `state` is left as it is. Raises SpecError where the step has no meaning, also if the method swallowed it.
    """
    found: list[tuple[Choices, Outcome]] = []
    script: list[int] = []
    known: list[Decision] = []
    while True:
        run = Running(spec, declared(spec), state, script, known)
        outcome = run.outcome_of(instance)
        if len(run.decisions) < len(script):
            raise SpecError("PD105", f"{instance.label()}: two runs of the same path differ", hint=_REPEAT)
        found.append((run.choices(), outcome))
        answers = run.answers
        while answers and answers[-1] + 1 == len(run.decisions[len(answers) - 1].options):
            answers.pop()
        if not answers:
            return found
        script = [*answers[:-1], answers[-1] + 1]
        known = run.decisions[: len(script)]


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice that a run met: its name and the texts of its options."""

    name: str
    options: tuple[str, ...]


class Running:
    """One run of a step: the store of `self`, the memory of its containers, and what `require` and `choose` ask."""

    def __init__(
        self, spec: Spec, known: Declared, state: State, script: Sequence[int] = (), before: Sequence[Decision] = ()
    ) -> None:
        self.decisions: list[Decision] = []
        self.answers: list[int] = []
        self._spec = spec
        self._declared = known
        self._state = state
        self._script = script
        self._before = before
        self._values: dict[str, Any] = {}
        self._ended: Disabled | Bound | None = None
        self._refused: SpecError | None = None
        self._closed = False
        self._events = 0
        self._stored: list[tuple[Any, Any, str, SourceSpan | None]] = []

    def outcome_of(self, instance: Instance) -> Outcome:
        """Runs the method to its end."""
        raised: BaseException | None = None
        try:
            with running(self):
                instance.member.function(attach(self._spec, self), **instance.args)
        except Stop:
            assert self._ended is not None or self._refused is not None
        except SpecError as error:
            error.span = error.span or span_of_error(error, self._declared.files)
            self._record(error)
        except RecursionError as error:
            span = span_of_error(error, self._declared.files)
            self._record(SpecError("PD106", f"{instance.label()} calls itself without end", span=span))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raised = error
        self._check_stored()
        self._closed = True
        if self._refused is not None:
            raise self._refused
        if self._ended is not None:
            return self._ended
        if raised is not None:
            span = span_of_error(raised, self._declared.files)
            return Raised(raised.with_traceback(None), type(raised).__name__, str(raised), span)
        return Next({**self._state, **{name: plain(value) for name, value in self._values.items()}})

    def choices(self) -> Choices:
        """The choices that were made, by the texts of what was chosen."""
        pairs = zip(self.decisions, self.answers, strict=True)
        return tuple((decision.name, decision.options[answer]) for decision, answer in pairs)

    # What `self` asks

    def load(self, name: str) -> Any:
        self._tick()
        if name not in self._values:
            of = self._type(name, "reads")
            self._values[name] = live(self, of, self._state[name], name)
        return self._values[name]

    def assign(self, name: str, value: Any) -> None:
        self.change()
        of = self._type(name, "assigns")
        old = self._values.get(name)
        if old is not None and old is value:
            return
        release(old)
        self._values[name] = self.keep(of, value, name)

    def _type(self, name: str, what: str) -> Type:
        types = self._declared.types
        if name not in types:
            cls = type(self._spec)
            possible = [*types, *self._spec.parameters(), *members(cls)]
            near = did_you_mean(name, possible)
            self.refuse("PD102", f"{cls.__name__} {what} {name!r}, which state() does not declare{near}")
        return types[name]

    # What `require` and `choose` ask

    def require(self, condition: Any) -> None:
        self._tick()
        if not condition:
            self._end(Disabled(self._span()))

    def choose(self, options: Iterable[Any], name: str) -> Any:
        self._tick()
        unique: list[Any] = []
        for option in options_of(options):
            if option not in unique:
                unique.append(option)
        self._tick()
        if not unique:
            self._end(Disabled(self._span()))
        decision = Decision(name, tuple(value_texts(unique)))
        depth = len(self.decisions)
        if depth < len(self._before) and self._before[depth] != decision:
            self.refuse("PD105", f"two runs of the same path part at the choice of {name!r}", hint=_REPEAT)
        self.decisions.append(decision)
        self.answers.append(self._script[depth] if depth < len(self._script) else 0)
        return unique[self.answers[-1]]

    # What a container asks

    def change(self) -> None:
        self._tick()

    def keep(self, of: Type, value: Any, place: str) -> Any:
        if not is_value(of):
            self._note(value, place)
        try:
            accepted = accept(of, value, place)
        except Outside as problem:
            self.outside(str(problem))
        return live(self, of, accepted, place)

    def outside(self, message: str) -> NoReturn:
        self._end(Bound(message, self._span()))

    def refuse(self, code: str, message: str, *, hint: str | None = None, span: SourceSpan | None = None) -> NoReturn:
        self._tick()
        error = SpecError(code, message, span=span or self._span(), hint=hint)
        self._record(error)
        raise error

    def _note(self, value: Any, place: str) -> None:
        """Remembers each mutable object that is stored: one object has one place, and does not change afterwards."""
        if is_live(value):
            self.refuse("PD110", f"{place} would be the same object as {value._place}", hint=_COPY)
        if isinstance(value, dict | set | list | deque):
            for other, _, where, _ in self._stored:
                if other is value:
                    self.refuse("PD110", f"the object stored in {place} was stored in {where} before", hint=_COPY)
            self._stored.append((value, plain(value), place, self._span()))
        if isinstance(value, dict | list | tuple):
            for item in value.values() if isinstance(value, dict) else value:
                self._note(item, f"a part of {place}")

    def _check_stored(self) -> None:
        for value, content, place, span in self._stored:
            if self._refused is None and plain(value) != content:
                message = f"what was stored in {place} is changed afterwards, and the state does not see it"
                self._refused = SpecError("PD110", message, span=span, hint=_COPY)

    # Ending

    def _tick(self) -> None:
        if self._closed:
            refuse(
                "PD109",
                "a value or a `self` of an earlier run turns up here",
                hint="keep no part of the state in globals",
            )
        if self._ended is not None or self._refused is not None:
            raise Stop
        self._events += 1
        if self._events > EVENTS_MAX:
            self._record(SpecError("PD106", f"a step of more than {EVENTS_MAX:,} events", span=self._span()))
            raise Stop

    def _end(self, outcome: Disabled | Bound) -> NoReturn:
        self._tick()
        self._ended = outcome
        raise Stop

    def _record(self, error: SpecError) -> None:
        if self._ended is None and self._refused is None:
            self._refused = error

    def _span(self) -> SourceSpan | None:
        frame: FrameType | None = sys._getframe(1)
        return span_of_frame(frame, self._declared.files)


def span_of_frame(frame: FrameType | None, files: frozenset[str]) -> SourceSpan | None:
    """The innermost line of the spec's own files that is being run."""
    while frame is not None:
        if frame.f_code.co_filename in files:
            return SourceSpan(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None


def span_of_error(error: BaseException, files: frozenset[str]) -> SourceSpan | None:
    """The innermost line of the spec's own files that `error` came through."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            found = SourceSpan(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found
