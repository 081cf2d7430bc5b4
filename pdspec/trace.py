"""A behaviour, or a finite part of one: what a verdict shows.

A state is the tuple of its slots' codes, in the order of the Model (`pdspec.model`), so a trace can only be read beside
its Model. A trace with a `loop_start` is a lasso: after the last state it goes on with the state of that number.
"""

from __future__ import annotations

from dataclasses import dataclass

from pdspec.source import SourceSpan

State = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One transition and the state after it. Arguments and choices are pairs of a name and the value's text."""

    action: str
    process: str
    args: tuple[tuple[str, str], ...]
    choices: tuple[tuple[str, str], ...]
    state: State
    span: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What the last step of a trace would have done instead of reaching a state: an exception, or a bound."""

    action: str
    process: str
    args: tuple[tuple[str, str], ...]
    choices: tuple[tuple[str, str], ...]
    kind: str
    message: str
    span: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """An initial state with the choices that made it, the steps from there, and a failing step where there is one."""

    initial: State
    initial_choices: tuple[tuple[str, str], ...] = ()
    steps: tuple[Step, ...] = ()
    failure: Failure | None = None
    loop_start: int | None = None

    def states(self) -> tuple[State, ...]:
        """All states in order, the initial one first."""
        return (self.initial, *(step.state for step in self.steps))

    def length(self) -> int:
        """The number of steps, the failing one included."""
        return len(self.steps) + (self.failure is not None)

    def last(self) -> str | None:
        """The action of the last step, the failing one included."""
        if self.failure is not None:
            return self.failure.action
        return self.steps[-1].action if self.steps else None
