"""Every property of a spec, answered on the graph of its reachable states."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from pdspec.lang.decorate import Property
from pdspec.lang.spec import Spec, members
from pdspec.semantics.declared import Question, final_of, left_out, questions
from pdspec.semantics.graph import Graph, visit
from pdspec.semantics.look import Failed, Look, ask, ask_step
from pdspec.semantics.step import Bound, Raised
from pdspec.verdict import Evidence, Limits

HOLDS, VIOLATED, INCONCLUSIVE, ERROR = "holds", "violated", "inconclusive", "error"

_WORST_FIRST = (ERROR, VIOLATED, INCONCLUSIVE, HOLDS)
_BUILT_IN = ("deadlock", "exceptions", "bounds")


@dataclass(frozen=True)
class Exploration:
    """What was found.

    `verdicts` has each property by name, `deadlock`, `exceptions` and `bounds` among them, and `instances` each by its
    label, as `drained(room=0)`; a property is as bad as the worst of its instances, in the order error, violated,
    inconclusive, holds. `lengths` has, by name and by label, the number of steps of a shortest violation, of an error,
    or of the witness of a `reachable`.
    """

    evidence: Evidence
    verdicts: Mapping[str, str]
    instances: Mapping[str, str]
    lengths: Mapping[str, int]
    graph: Graph


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict, and the number of steps to what shows it where something does."""

    verdict: str
    length: int | None = None


def explore(spec: Spec, limits: Limits | None = None) -> Exploration:
    """Visits every reachable state and answers every property.

    After a limit, violations and witnesses that were found stand and all else is inconclusive. A bound that was too
    small anywhere makes inconclusive whatever else would hold. SpecError where the spec has no meaning.
    """
    graph = visit(spec, limits or Limits())
    asked = questions(spec)
    by_label = answers(spec, graph, asked)
    by_name = {name: by_label[name] for name in _BUILT_IN}
    for name, member in members(type(spec)).items():
        if isinstance(member, Property):
            by_name[name] = _worst([by_label[question.label()] for question in asked if question.name == name])
    evidence = Evidence(
        states=len(graph.states),
        transitions=graph.transitions(),
        depth=max(graph.levels, default=0),
        terminal=len(graph.terminal()),
        complete=graph.stopped_by is None,
        seconds=graph.seconds,
        stopped_by=graph.stopped_by,
    )
    return Exploration(
        evidence,
        {name: answer.verdict for name, answer in by_name.items()},
        {label: answer.verdict for label, answer in by_label.items()},
        {name: found.length for name, found in {**by_label, **by_name}.items() if found.length is not None},
        graph,
    )


def answers(spec: Spec, graph: Graph, asked: list[Question]) -> dict[str, Answer]:
    """The answer to each question by its label, to the built-in ones first."""
    looks = [Look(spec, state) for state in graph.states]
    found = {
        "deadlock": _deadlock(spec, graph, looks),
        "exceptions": _failing(graph, Raised),
        "bounds": _failing(graph, Bound),
        **{question.label(): _answer(spec, question, graph, looks) for question in asked},
    }
    if found["bounds"].verdict == VIOLATED:
        return {label: Answer(INCONCLUSIVE) if it.verdict == HOLDS else it for label, it in found.items()}
    return found


def _answer(spec: Spec, question: Question, graph: Graph, looks: list[Look]) -> Answer:
    match question.member.kind:
        case "invariant":
            return _first_false(graph, _of_states(question, graph, looks))
        case "step_invariant":
            return _first_false(graph, _of_steps(question, graph, looks))
        case "reachable":
            return _first_true(graph, _of_states(question, graph, looks))
        case "always_possible":
            return _always_possible(spec, question, graph, looks)
        case _:
            assert_never(question.member.kind)


# What a property says, with the number of steps to where it says so, ascending.
Said = Iterator[tuple[int, bool | Failed]]


def _of_states(question: Question, graph: Graph, looks: list[Look]) -> Said:
    for level, look in zip(graph.levels, looks, strict=True):
        yield level, ask(question.member, question.args, look)


def _of_steps(question: Question, graph: Graph, looks: list[Look]) -> Said:
    for source, edges in enumerate(graph.edges):
        for edge in edges or ():
            instance, after = graph.instances[edge.instance], looks[edge.target]
            said = ask_step(question.member, question.args, looks[source], instance, after)
            yield graph.levels[source] + 1, said


def _first_false(graph: Graph, said: Said) -> Answer:
    """An error anywhere is the answer; otherwise the first violation is."""
    return _settled(said, lambda truth: not truth, VIOLATED, HOLDS if graph.stopped_by is None else INCONCLUSIVE)


def _first_true(graph: Graph, said: Said) -> Answer:
    """Where it is true nowhere, that is known only if everything was visited, also what lies behind a bound."""
    visited = graph.stopped_by is None and not any(isinstance(each.outcome, Bound) for each in graph.failures)
    return _settled(said, lambda truth: truth, HOLDS, VIOLATED if visited else INCONCLUSIVE)


def _settled(said: Said, settles: Callable[[bool], bool], verdict: str, otherwise: str) -> Answer:
    found: Answer | None = None
    for length, truth in said:
        if isinstance(truth, Failed):
            return Answer(ERROR, length)
        if found is None and settles(truth):
            found = Answer(verdict, length)
    return found or Answer(otherwise)


def _always_possible(spec: Spec, question: Question, graph: Graph, looks: list[Look]) -> Answer:
    """Backwards from the states where it is true. What was not expanded, or needs a larger bound, might lead there."""
    excluded = left_out(spec, question, graph.instances)
    good = [
        failure.source
        for failure in graph.failures
        if isinstance(failure.outcome, Bound) and failure.instance not in excluded
    ]
    for number, (length, truth) in enumerate(_of_states(question, graph, looks)):
        if isinstance(truth, Failed):
            return Answer(ERROR, length)
        if truth or graph.edges[number] is None:
            good.append(number)
    before: list[list[int]] = [[] for _ in graph.states]
    for source, edges in enumerate(graph.edges):
        for edge in edges or ():
            if edge.instance not in excluded:
                before[edge.target].append(source)
    escapes = set(good)
    left = deque(good)
    while left:
        for source in before[left.popleft()]:
            if source not in escapes:
                escapes.add(source)
                left.append(source)
    wedged = [number for number in range(len(graph.states)) if number not in escapes]
    if wedged:
        return Answer(VIOLATED, graph.levels[wedged[0]])
    return Answer(HOLDS if graph.stopped_by is None else INCONCLUSIVE)


def _deadlock(spec: Spec, graph: Graph, looks: list[Look]) -> Answer:
    """A state that no transition leaves, where no step raises or meets a bound, and that is not final."""
    final = final_of(spec)
    failing = {failure.source for failure in graph.failures}
    stuck = [number for number in graph.terminal() if number not in failing]
    said = ((graph.levels[number], ask(final, {}, looks[number]) if final is not None else False) for number in stuck)
    return _first_false(graph, said)


def _failing(graph: Graph, kind: type[Raised] | type[Bound]) -> Answer:
    lengths = [graph.levels[failure.source] + 1 for failure in graph.failures if isinstance(failure.outcome, kind)]
    if lengths:
        return Answer(VIOLATED, min(lengths))
    return Answer(HOLDS if graph.stopped_by is None else INCONCLUSIVE)


def _worst(found: list[Answer]) -> Answer:
    """The worst answer, the shortest of these. A property without instances holds."""
    for verdict in _WORST_FIRST:
        same = [answer for answer in found if answer.verdict == verdict]
        if same:
            lengths = [answer.length for answer in same if answer.length is not None]
            return Answer(verdict, min(lengths, default=None))
    return Answer(HOLDS)
