"""The reachable states, breadth first, with every transition: kept whole, so that questions are asked afterwards."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import assert_never

from pdspec.lang.spec import Spec
from pdspec.semantics.declared import Choices, Instance, initial_states, instances
from pdspec.semantics.step import Bound, Disabled, Next, Raised, outcomes
from pdspec.semantics.values import State, freeze
from pdspec.verdict import Limits


@dataclass(frozen=True, slots=True)
class Edge:
    """A transition: the number of the instance, what it chose, and the number of the state it leads to."""

    instance: int
    choices: Choices
    target: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A step without successor: it raises, or a bound was too small."""

    source: int
    instance: int
    choices: Choices
    outcome: Raised | Bound


@dataclass
class Graph:
    """States are numbered as found, so that of two states the one at the smaller level has the smaller number.

    `edges[n]` are the transitions of state n, and None where n was not expanded before a limit was met.
    """

    instances: list[Instance]
    states: list[State] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    edges: list[list[Edge] | None] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)
    stopped_by: str | None = None
    seconds: float = 0.0

    def transitions(self) -> int:
        """Distinct transitions, self-loops included, failing steps apart."""
        return sum(len(edges) for edges in self.edges if edges is not None)

    def terminal(self) -> list[int]:
        """The expanded states that no transition leaves."""
        return [number for number, edges in enumerate(self.edges) if edges == []]


def visit(spec: Spec, limits: Limits) -> Graph:
    """Everything that is reachable, or what was found until a limit: then `stopped_by` says which."""
    start = time.monotonic()
    graph = Graph(instances(spec))
    for _, state in initial_states(spec):
        if not _room(graph, limits):
            break
        _numbered(graph, state, freeze(state), 0)
    at = 0
    while at < len(graph.states) and graph.stopped_by is None:
        if limits.seconds_max is not None and time.monotonic() - start > limits.seconds_max:
            graph.stopped_by = f"{limits.seconds_max:g} seconds"
            break
        _expand(graph, spec, at, limits)
        at += 1
    graph.seconds = time.monotonic() - start
    return graph


def _expand(graph: Graph, spec: Spec, source: int, limits: Limits) -> None:
    """Finds what leaves a state. Steps that no trace could tell apart count once."""
    edges: list[Edge] = []
    failures: list[Failure] = []
    told_apart: set[Hashable] = set()
    for number, instance in enumerate(graph.instances):
        for choices, outcome in outcomes(spec, instance, graph.states[source]):
            step = (instance.action, instance.texts, choices)
            match outcome:
                case Next(state):
                    key = freeze(state)
                    if key not in graph.numbers and not _room(graph, limits):
                        return
                    target = _numbered(graph, state, key, graph.levels[source] + 1)
                    if (step, target) not in told_apart:
                        edges.append(Edge(number, choices, target))
                    told_apart.add((step, target))
                case Raised() | Bound():
                    failures.append(Failure(source, number, choices, outcome))
                case Disabled():
                    pass
                case _:
                    assert_never(outcome)
    graph.edges[source] = edges
    graph.failures.extend(failures)


def _room(graph: Graph, limits: Limits) -> bool:
    if limits.states_max is not None and len(graph.states) >= limits.states_max:
        graph.stopped_by = f"{limits.states_max:,} states"
        return False
    return True


def _numbered(graph: Graph, state: State, key: Hashable, level: int) -> int:
    number = graph.numbers.setdefault(key, len(graph.states))
    if number == len(graph.states):
        graph.states.append(state)
        graph.levels.append(level)
        graph.edges.append(None)
    return number
