"""Every property of a spec, answered on the graph of its reachable states."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

from pdspec.lang.spec import Spec
from pdspec.semantics.declared import Question, final_of, left_out, questions
from pdspec.semantics.graph import Graph, visit
from pdspec.semantics.look import Failed, Look, ask, ask_step
from pdspec.semantics.step import Bound, Raised
from pdspec.verdict import Evidence, Limits

HOLDS, VIOLATED, INCONCLUSIVE, ERROR = "holds", "violated", "inconclusive", "error"
_WORST_FIRST = (ERROR, VIOLATED, INCONCLUSIVE, HOLDS)


@dataclass(frozen=True)
class Exploration:
    """What was found.

    `verdicts` has each property by name, `deadlock`, `exceptions` and `bounds` among them, and `instances` each by its
    label, as `drained(room=0)`; a property is as bad as the worst of its instances: error, violated, inconclusive, holds.
    `lengths` has, by name and by label, the number of steps of a shortest violation, error, or witness of a `reachable`.
    """

    evidence: Evidence
    verdicts: dict[str, str]
    instances: dict[str, str]
    lengths: dict[str, int]
    graph: Graph


@dataclass(frozen=True, slots=True)
class _Answer:
    verdict: str
    length: int | None = None


def explore(spec: Spec, limits: Limits = Limits()) -> Exploration:  # noqa: B008
    """Visits every reachable state and answers every property.

    After a limit, violations and witnesses that were found stand and all else is inconclusive. A bound that was too
    small anywhere makes inconclusive whatever else would hold. SpecError where the spec has no meaning.
    """
    graph = visit(spec, limits)
    looks = [Look(spec, state) for state in graph.states]
    asked = questions(spec)
    by_label = {
        "deadlock": _deadlock(spec, graph, looks),
        "exceptions": _failure(graph, Raised),
        "bounds": _failure(graph, Bound),
        **{question.label(): _answer(spec, question, graph, looks) for question in asked},
    }
    if by_label["bounds"].verdict == VIOLATED:
        by_label = {name: _Answer(INCONCLUSIVE) if a.verdict == HOLDS else a for name, a in by_label.items()}
    by_name = {name: by_label[name] for name in ("deadlock", "exceptions", "bounds")}
    for name in dict.fromkeys(question.name for question in asked):
        by_name[name] = _worst(by_label[question.label()] for question in asked if question.name == name)
    for name, _ in _without_instances(spec, by_name):
        by_name[name] = _Answer(HOLDS)
    lengths = {name: answer.length for name, answer in (by_label | by_name).items() if answer.length is not None}
    return Exploration(
        Evidence(
            states=len(graph.states),
            transitions=graph.transitions(),
            depth=max(graph.levels, default=0),
            terminal=len(graph.terminal()),
            complete=graph.stopped_by is None,
            seconds=graph.seconds,
            stopped_by=graph.stopped_by,
        ),
        {name: answer.verdict for name, answer in by_name.items()},
        {label: answer.verdict for label, answer in by_label.items()},
        lengths,
        graph,
    )
