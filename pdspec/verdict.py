"""What an answer is. Nothing here knows how it was reached.

`Inconclusive` is never a pass: a limit was met, or the model's own bounds were. `PropertyError` means that the question
itself failed in a reachable state.
"""

from __future__ import annotations

from dataclasses import dataclass

from pdspec.source import SourceSpan
from pdspec.trace import Trace


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a run ends as inconclusive: distinct states, wall-clock seconds. None is no limit."""

    states_max: int | None = None
    seconds_max: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much was explored. `complete` says that every reachable state was expanded; otherwise counts are lower
    bounds.

    `transitions` are distinct (state, action, arguments, choices, successor), self-loops included; `terminal` are
    states without any; `depth` is the largest breadth-first level, an initial state being 0.
    """

    states: int
    transitions: int
    depth: int
    terminal: int
    complete: bool
    seconds: float
    stopped_by: str | None = None


@dataclass(frozen=True, slots=True)
class Holds:
    """No counterexample in all reachable states; for `reachable`, `witness` is a shortest way there."""

    witness: Trace | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Violation:
    """`trace` shows it, as short as any. `instance` is the property with its arguments; `reason` says what is wrong."""

    trace: Trace | None
    instance: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inconclusive:
    """Neither shown nor refuted; `reason` says which limit was met."""

    reason: str


@dataclass(frozen=True, slots=True)
class PropertyError:
    """The property raised in a reachable state."""

    trace: Trace
    instance: str
    message: str
    span: SourceSpan | None = None


Verdict = Holds | Violation | Inconclusive | PropertyError
