"""One run of a method under the tracer: its decisions so far, what they say of the state, and what was assigned.

A run follows a script, the numbers of the answers to its first decisions, and takes the first answer afterwards; the
tracer (`pdspec.lang.trace`) re-runs the method with other scripts. What ends a path from inside is recorded in `ended`
before `Stop` is raised, and every later question to the path raises `Stop` again: a method that swallows it changes
nothing more.
"""

from __future__ import annotations

import copy
import enum
import os
import sys
import traceback
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from pdspec.errors import SpecError
from pdspec.lang.context import Stop, options_of
from pdspec.lang.layout import Layout
from pdspec.model.constraints import Constraints
from pdspec.model.expr import Add, After, Const, Expr, Member, Slot
from pdspec.model.text import value_texts
from pdspec.model.tree import Disabled, Leaf, Overflow
from pdspec.source import SourceSpan

# The tracer's function that calls the step: what called that is no part of the step.
RUNNER = "_run"

# Trees are as deep as paths have decisions, and are read by recursion.
DECISIONS_MAX = 250
EVENTS_MAX = 100_000
LOOP_MAX = 10_000

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

_PASSING_ON = frozenset(str(module.__file__) for module in (copy, enum))


@dataclass(frozen=True, slots=True)
class Decision:
    """A question that the path met: the codes of each answer (`term`), or the texts of the options of a choice."""

    term: Expr | None
    cases: tuple[tuple[int, ...], ...]
    name: str = ""
    options: tuple[str, ...] = ()
    span: SourceSpan | None = None

    def count(self) -> int:
        return len(self.cases) if self.term is not None else len(self.options)


@dataclass(frozen=True, slots=True)
class PathOptions:
    """`reverse` turns the order of unordered containers round; `reading` forbids to change anything."""

    reverse: bool = False
    reading: str | None = None


@dataclass
class Path:
    """The symbolic state of one run."""

    layout: Layout
    script: Sequence[int]
    known: Sequence[Decision]
    constraints: Constraints
    options: PathOptions = PathOptions()
    decisions: list[Decision] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    env: dict[int, Expr] = field(default_factory=dict)
    ended: Leaf | None = None
    refused: SpecError | None = None
    events: int = 0
    active: bool = True
    unordered: SourceSpan | None = None
    stored: list[tuple[Any, list[Any], SourceSpan | None]] = field(default_factory=list)

    # Asking

    def tick(self) -> None:
        """Counts an event; raises again what has ended the path."""
        if self.ended is not None or self.refused is not None:
            raise Stop
        self.events += 1
        if self.events > EVENTS_MAX:
            self.refuse(
                "PD106", f"a path of more than {EVENTS_MAX:,} events", hint="bound the loop, or shrink the collection"
            )

    def decide(self, condition: Expr) -> bool:
        """Whether `condition` holds on this path; both answers are explored where both are possible."""
        self.tick()
        truth = self.constraints.truth(condition)
        if truth is not None:
            return truth
        term, cases = self.constraints.cases(condition, ((1,), (0,)))
        return self._answer(Decision(term, cases, span=self.span())) == 0

    def code_of(self, expr: Expr) -> int:
        """The value of `expr` on this path; each possible one is explored."""
        self.tick()
        possible = sorted(self.constraints.possible(expr))
        if len(possible) > 1:
            if len(possible) > LOOP_MAX:
                self.refuse("PD106", f"a value with {len(possible):,} possibilities has to be enumerated here")
            term, cases = self.constraints.cases(expr, [(code,) for code in possible])
            return possible[self._answer(Decision(term, cases, span=self.span()))]
        return possible[0]

    def choose(self, options: Any, name: str) -> Any:
        """What the author's `choose` means: any of `options`, each once."""
        from pdspec.lang.symbolic import concrete

        self.tick()
        members = getattr(type(options), "_pdspec_members", None)
        if members is not None:
            return members(options, name)
        unique: list[Any] = []
        for option in map(concrete, options_of(options)):
            if option not in unique:
                unique.append(option)
        return unique[self.pick(name, value_texts(unique))] if unique else self.pick(name, [])

    def pick(self, name: str, options: Sequence[str]) -> int:
        """The number of one of `options`, any of them."""
        self.tick()
        if self.options.reading:
            self.refuse("PD108", f"{self.options.reading} chooses: a property only looks at the state")
        if not options:
            self.end(Disabled(self.span()))
        return self._answer(Decision(None, (), name, tuple(options), self.span()))

    def _answer(self, decision: Decision) -> int:
        depth = len(self.decisions)
        if depth < len(self.known) and self.known[depth] != decision:
            earlier, later = self.known[depth].span, decision.span
            where = f"at {earlier}" if earlier == later else f"at {earlier} and at {later}"
            self.refuse(
                "PD105",
                f"two runs of the same path part {where}",
                hint="a step may depend on the state and its arguments only: no cache, global, default argument, "
                "random, time or set order",
            )
        if depth >= DECISIONS_MAX:
            self.refuse(
                "PD106",
                f"a path that decides more than {DECISIONS_MAX} times",
                hint="ask about fewer values in one step",
            )
        answer = self.script[depth] if depth < len(self.script) else 0
        self.decisions.append(decision)
        self.answers.append(answer)
        if decision.term is not None and not self.constraints.assume(decision.term, decision.cases[answer]):
            self.end(_INFEASIBLE)
        return answer

    # Ending

    def require(self, condition: Any) -> None:
        self.tick()
        if self.options.reading:
            self.refuse("PD108", f"{self.options.reading} requires: a property only looks at the state")
        span = self.span()
        if not condition:
            self.end(Disabled(span))

    def end(self, leaf: Leaf) -> NoReturn:
        """The path ends here with `leaf`."""
        if self.ended is None and self.refused is None:
            self.ended = leaf
        raise Stop

    def overflow(self, message: str) -> NoReturn:
        self.end(Overflow(message, self.span()))

    def refuse(self, code: str, message: str, *, hint: str | None = None, span: SourceSpan | None = None) -> NoReturn:
        """The method cannot be traced. Infeasible paths refuse nothing."""
        if self.ended is None and self.refused is None:
            self.refused = SpecError(code, message, span=span or self.span(), hint=hint)
        raise Stop

    # State

    def get(self, slot: int) -> Expr:
        """The slot's present value, in terms of the state before the step."""
        return self.env.get(slot) or Slot(slot)

    def put(self, slot: int, value: Expr) -> None:
        self.tick()
        if self.options.reading:
            self.refuse("PD108", f"{self.options.reading} changes the state: a property only looks at it")
        self.env[slot] = value

    def updates(self) -> tuple[tuple[int, Expr], ...]:
        """What the step assigned, without what stays."""
        changed = []
        for slot in sorted(self.env):
            expr = self.env[slot]
            possible = self.constraints.possible(expr)
            if len(possible) == 1 and not isinstance(expr, Const):
                expr = Const(next(iter(possible)))
            if expr == Slot(slot):
                continue
            if isinstance(expr, Const) and self.constraints.allowed[slot] == {expr.value}:
                continue
            changed.append((slot, expr))
        return tuple(changed)

    def span(self) -> SourceSpan | None:
        """The innermost line of the running step that is not pdspec's own; None where it has returned."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if not is_own(file):
                return SourceSpan(file, frame.f_lineno)
            if frame.f_code.co_name == RUNNER:
                return None
            frame = frame.f_back
        return None


class Frame:
    """The state as one side of a path sees it: of a step, or of a step invariant the state after or before."""

    def __init__(self, path: Path, after: bool = False) -> None:
        self.path = path
        self.views: dict[int, Any] = {}
        self._after = after

    def get(self, slot: int) -> Expr:
        """The slot's present value."""
        return After(slot) if self._after else self.path.get(slot)

    def put(self, slot: int, value: Expr) -> None:
        self.path.put(slot, value)

    def is_code(self, slot: int, code: int) -> Expr:
        """The condition that the slot has the code now."""
        return member(self.get(slot), (code,))


_INFEASIBLE = Disabled()


def is_own(file: str) -> bool:
    """Whether a file is pdspec's, or one of Python's that only passes a question on."""
    return file.startswith((_PACKAGE, "<")) or file in _PASSING_ON


def place_of(error: BaseException) -> SourceSpan | None:
    """The innermost line of the traceback that is not pdspec's own."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_own(frame.filename)]
    return SourceSpan(frames[-1].filename, frames[-1].lineno or 0) if frames else None


def infeasible(leaf: Leaf | None) -> bool:
    """Whether the path ended because no state follows it."""
    return leaf is _INFEASIBLE


def member(term: Expr, codes: Sequence[int]) -> Expr:
    """`term` is one of `codes`; folded for a constant."""
    if isinstance(term, Const):
        return Const(int(term.value in codes))
    return Member(term, tuple(sorted(codes)))


def add(*terms: Expr) -> Expr:
    """The sum, with constants folded and sums flattened."""
    constant = 0
    rest: list[Expr] = []
    for term in terms:
        for part in term.terms if isinstance(term, Add) else (term,):
            if isinstance(part, Const):
                constant += part.value
            else:
                rest.append(part)
    if not rest:
        return Const(constant)
    if constant:
        rest.append(Const(constant))
    return rest[0] if len(rest) == 1 else Add(tuple(rest))
