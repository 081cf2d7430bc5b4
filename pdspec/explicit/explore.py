"""Breadth-first search of the reachable states.

The result does not depend on the order within a level: states of the last levels are kept, what was found is the least
by depth, state and number, and the trace is made afterwards (`pdspec.explicit.paths`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pdspec.explicit.compile import Cluster, clusters, failing_leaves
from pdspec.explicit.generate import Question, StateCheck, StepCheck, code_of
from pdspec.explicit.pack import Packing, packing_of
from pdspec.model.model import ActionInstance, Model
from pdspec.model.tree import Choices, Overflow, Raises
from pdspec.verdict import Limits

_CHUNK = 1024

Progress = Callable[[int, int, float], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a state, or a step from it, is checked for.

    `kind` is "bound", "exception", "false", "true" or "error"; the last three concern the property instance of that
    number, `step` the action instance where the finding is of a step, with its `choices` and the failing leaf.
    """

    kind: str
    property: int | None = None
    step: int | None = None
    choices: Choices = ()
    leaf: Raises | Overflow | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The least state of the least depth with a finding."""

    depth: int
    state: int
    number: int


@dataclass
class Exploration:
    """What was visited. `levels` are the states by depth; the last one is unexpanded when the search was stopped.

    `findings` says what the numbers mean; `found` has, for each question (a property instance's number and the kind of
    its answer, or a kind alone), where it was first met. `steps` are the transitions, to be asked again for a trace.
    """

    packing: Packing
    findings: list[Finding]
    steps: list[Cluster]
    levels: list[list[int]] = field(default_factory=list)
    expanded: int = 0
    transitions: int = 0
    terminal: int = 0
    found: dict[tuple[str, int | None], Found] = field(default_factory=dict)
    stopped_by: str | None = None
    seconds: float = 0.0

    @property
    def states(self) -> int:
        return sum(map(len, self.levels))

    @property
    def depth(self) -> int:
        return len(self.levels) - 1

    @property
    def complete(self) -> bool:
        return self.stopped_by is None

    def unexpanded(self) -> Iterator[int]:
        """The states that were reached and not expanded."""
        left = self.states - self.expanded
        for level in reversed(self.levels):
            if left <= 0:
                return
            part = level[-left:] if left < len(level) else level
            left -= len(part)
            yield from part


def explore(
    model: Model, limits: Limits = Limits(), *, first: bool = False, progress: Progress | None = None
) -> Exploration:
    """Visits the reachable states of `model`.

    `first` stops after the level in which something is found to be wrong. `progress` is called about five times a
    second with the states so far, the size of the frontier and the seconds. A keyboard interrupt ends the search like a
    limit.
    """
    started = time.monotonic()
    packing = packing_of(model)
    checks = _Checks(model)
    steps = clusters(packing, [action.tree for action in model.actions])
    result = Exploration(packing, checks.findings, steps)
    state_checks = clusters(packing, checks.questions)
    final = clusters(packing, [checks.final])[0] if checks.final else None
    expand = _generated(steps, state_checks)
    frontier = sorted({packing.pack(initial.state) for initial in model.initial})
    seen = set(frontier)
    said = started
    while frontier:
        result.levels.append(frontier)
        following: list[int] = []
        depth = len(result.levels) - 1
        at = 0
        try:
            while at < len(frontier):
                size = _CHUNK
                if limits.states_max is not None:
                    if len(seen) > limits.states_max:
                        result.stopped_by = (
                            f"the limit of {limits.states_max:,} state{'s' if limits.states_max != 1 else ''}"
                        )
                        break
                    # Near the limit small steps, so that it is not passed by much.
                    size = max(1, min(size, (limits.states_max - len(seen)) // 16))
                part = frontier[at : at + size]
                transitions, terminal, found = expand(part, seen, following)
                at += len(part)
                result.expanded += len(part)
                result.transitions += transitions
                failing = set()
                for state, numbers in found:
                    _note(result, depth, state, numbers)
                    if terminal and any(checks.findings[number].leaf is not None for number in numbers):
                        failing.add(state)
                result.terminal += len(terminal)
                for state in terminal:
                    # A step that raises counts as enabled: such a state is no deadlock.
                    if state not in failing:
                        _note(result, depth, state, final.memory[state & final.mask] if final else (0,))
                now = time.monotonic()
                if limits.seconds_max is not None and now - started > limits.seconds_max:
                    result.stopped_by = f"the limit of {limits.seconds_max:g} seconds"
                    break
                if progress is not None and now - said > 0.2:
                    said = now
                    progress(len(seen), len(frontier) - at + len(following), now - started)
        except KeyboardInterrupt:
            # What `expand` added to `following` last may be incomplete, but every state in it is reachable.
            result.stopped_by = "a keyboard interrupt"
        frontier = following
        if first and result.stopped_by is None and frontier and any(kind != "true" for kind, _ in result.found):
            result.stopped_by = "the first violation (--first)"
        if result.stopped_by is not None:
            if frontier:
                result.levels.append(frontier)
            break
    result.seconds = time.monotonic() - started
    return result


class _Checks:
    """The questions that each state is asked, and what their answers mean."""

    def __init__(self, model: Model) -> None:
        self.findings: list[Finding] = []
        self.questions: list[Question] = []
        self.final: StateCheck | None = None
        if model.final is not None:
            no, error = self._add(Finding("deadlock")), self._add(Finding("deadlock error"))
            self.final = StateCheck(model.final, None, no, error)
        else:
            self._add(Finding("deadlock"))
        for number, instance in enumerate(model.properties):
            if instance.kind in ("invariant", "reachable"):
                error = self._add(Finding("error", number))
                answer = self._add(Finding("false" if instance.kind == "invariant" else "true", number))
                is_wrong = instance.kind == "invariant"
                yes, wrong = (None, answer) if is_wrong else (answer, None)
                self.questions.append(StateCheck(instance.trees[0], yes, wrong, error))
        for number, action in enumerate(model.actions):
            self._step(model, number, action)

    def _add(self, finding: Finding) -> int:
        self.findings.append(finding)
        return len(self.findings) - 1

    def _step(self, model: Model, number: int, action: ActionInstance) -> None:
        failures = []
        for choices, leaf in failing_leaves(action.tree):
            kind = "exception" if isinstance(leaf, Raises) else "bound"
            failures.append(self._add(Finding(kind, step=number, choices=choices, leaf=leaf)))
        invariants = []
        for index, instance in enumerate(model.properties):
            if instance.kind == "step_invariant":
                no = self._add(Finding("false", index, number))
                error = self._add(Finding("error", index, number))
                invariants.append((no, error, instance.trees[number]))
        if failures or invariants:
            self.questions.append(StepCheck(action.tree, tuple(failures), tuple(invariants)))


def _note(result: Exploration, depth: int, state: int, numbers: Sequence[int]) -> None:
    for number in numbers:
        finding = result.findings[number]
        key = (finding.kind, finding.property)
        known = result.found.get(key)
        if known is None or (depth, state, number) < (known.depth, known.state, known.number):
            result.found[key] = Found(depth, state, number)


Expand = Callable[[Sequence[int], set[int], list[int]], tuple[int, list[int], list[tuple[int, tuple[int, ...]]]]]


def _generated(steps: Sequence[Cluster], checks: Sequence[Cluster]) -> Expand:
    """The inner loop, written out for these clusters.

    It adds the successors of `part` to `seen` and `following`, and returns the number of transitions, the states
    without any, and what the checks found by state. A state whose steps all fail is not without one.
    """
    lines = ["def expand(part, seen, following):", " transitions = 0; terminal = []; found = []", " for s in part:"]
    names: dict[str, object] = {}
    for number, cluster in enumerate(steps):
        names[f"M{number}"], names[f"m{number}"] = cluster.mask, cluster.memory
        lines.append(f"  e{number} = m{number}[s & {cluster.mask}]")
        lines.append(f"  if e{number}:")
        lines.append(f"   for d in e{number}:")
        lines.append("    t = s + d")
        lines.append("    if t not in seen: add(t); push(t)")
    for number, cluster in enumerate(checks):
        names[f"k{number}"] = cluster.memory
        lines.append(f"  f{number} = k{number}[s & {cluster.mask}]")
        lines.append(f"  if f{number}: found.append((s, f{number}))")
    lines.append("  n = " + " + ".join(f"len(e{number})" for number in range(len(steps))))
    lines.append("  if n: transitions += n")
    lines.append("  else: terminal.append(s)")
    lines.append(" return transitions, terminal, found")
    lines[1] = " add = seen.add; push = following.append; " + lines[1].strip()
    exec(code_of("\n".join(lines)), names)
    return names["expand"]  # type: ignore[return-value]
