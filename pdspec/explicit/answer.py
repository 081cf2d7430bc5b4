"""Findings as verdicts, one for each property, with traces.

A limit that was met, or a bound of the model that was too small, makes everything inconclusive that is not violated.
"""

from __future__ import annotations

from collections.abc import Sequence

from pdspec.explicit.explore import Exploration, Found, Progress, explore
from pdspec.explicit.paths import as_step, successors, trace_to
from pdspec.explicit.possible import Graph, wedged
from pdspec.model.expr import evaluate
from pdspec.model.model import Model, PropertyInstance
from pdspec.model.tree import Answer, Overflow, Raises, outcomes
from pdspec.trace import Failure, Trace
from pdspec.verdict import Evidence, Holds, Inconclusive, Limits, PropertyError, Verdict, Violation

_ONWARD_MAX = 10_000


def check_model(
    model: Model,
    limits: Limits = Limits(),
    *,
    first: bool = False,
    progress: Progress | None = None,
) -> tuple[Evidence, dict[str, Verdict]]:
    """Explores `model` and answers every property of it, and `deadlock`, `exceptions` and `bounds`."""
    exploration = explore(model, limits, first=first, progress=progress)
    evidence = Evidence(
        exploration.states,
        exploration.transitions,
        exploration.depth,
        exploration.terminal,
        exploration.complete,
        exploration.seconds,
        exploration.stopped_by,
    )
    return evidence, _Answers(model, exploration).all()


class _Answers:
    def __init__(self, model: Model, exploration: Exploration) -> None:
        self._model = model
        self._found = exploration.found
        self._exploration = exploration
        self._graph: Graph | None = None
        self._overflowed = ("bound", None) in exploration.found
        self._raised = ("exception", None) in exploration.found

    def all(self) -> dict[str, Verdict]:
        """The verdict of every property, in the order of the spec, the built-in ones last."""
        verdicts: dict[str, Verdict] = {}
        for name in self._model.property_names():
            numbers = [n for n, instance in enumerate(self._model.properties) if instance.property == name]
            kind = self._model.properties[numbers[0]].kind
            if kind == "always_possible":
                verdicts[name] = self._always_possible(numbers)
            elif kind == "reachable":
                verdicts[name] = self._reachable(numbers)
            else:
                verdicts[name] = self._invariant(numbers)
        verdicts["deadlock"] = self._deadlock()
        verdicts["exceptions"] = self._failing("exception", "exceptions")
        verdicts["bounds"] = self._failing("bound", "bounds")
        return verdicts

    def _otherwise(self, witness: Trace | None = None, settled: bool = False) -> Verdict:
        """Holds, as far as this run can say so. `settled`: more states would not change it."""
        if self._overflowed:
            return Inconclusive("a bound of the model is too small (see bounds)")
        if not self._exploration.complete and not settled:
            return Inconclusive(f"stopped by {self._exploration.stopped_by}")
        return Holds(witness, "for the behaviours up to the exception" if self._raised else "")

    def _least(self, kind: str, numbers: Sequence[int]) -> tuple[Found, int] | None:
        hits = [(self._found[kind, number], number) for number in numbers if (kind, number) in self._found]
        return min(hits, key=lambda hit: (hit[0].depth, hit[1])) if hits else None

    def _error(self, numbers: Sequence[int]) -> PropertyError | None:
        hit = self._least("error", numbers)
        if hit is None:
            return None
        found, number = hit
        trace = self._trace(found)
        return self._property_error(number, trace, found)

    def _property_error(self, number: int, trace: Trace, found: Found) -> PropertyError:
        instance = self._model.properties[number]
        if instance.kind == "step_invariant":
            trace, leaf = self._breaking_step(instance, trace, found, Raises)
        else:
            leaf = next(leaf for _, leaf in outcomes(instance.trees[0], trace.states()[-1]))
        assert isinstance(leaf, Raises)
        return PropertyError(trace, instance.label(), f"{leaf.exception}: {leaf.message}", leaf.span)

    def _invariant(self, numbers: Sequence[int]) -> Verdict:
        error = self._error(numbers)
        if error is not None:
            return error
        hit = self._least("false", numbers)
        if hit is None:
            return self._otherwise()
        found, number = hit
        instance = self._model.properties[number]
        trace = self._trace(found)
        if instance.kind == "invariant":
            return Violation(trace, instance.label(), f"{instance.label()} is false here")
        trace, _ = self._breaking_step(instance, trace, found, Answer)
        return Violation(trace, instance.label(), f"{instance.label()} is false of the last step")

    def _breaking_step(
        self, instance: PropertyInstance, trace: Trace, found: Found, kind: type
    ) -> tuple[Trace, object]:
        """The trace with the step that the finding is about, and the leaf of the step invariant."""
        finding = self._exploration.findings[found.number]
        before = trace.states()[-1]
        for number, action, choices, after in successors(self._model, before):
            if number != finding.step:
                continue
            for _, leaf in outcomes(instance.trees[number], before, after):
                false = isinstance(leaf, Answer) and not evaluate(leaf.truth, before, after)
                if isinstance(leaf, kind) and (false or kind is Raises):
                    return _extended(trace, as_step(action, choices, after)), leaf
        raise AssertionError("the step of a finding is not there")

    def _reachable(self, numbers: Sequence[int]) -> Verdict:
        error = self._error(numbers)
        if error is not None:
            return error
        missing = [number for number in numbers if ("true", number) not in self._found]
        if not missing:
            hit = self._least("true", numbers)
            assert hit is not None
            return self._otherwise(self._trace(hit[0]), settled=True)
        verdict = self._otherwise()
        if isinstance(verdict, Inconclusive):
            return verdict
        label = self._model.properties[missing[0]].label()
        return Violation(None, label, f"no reachable state satisfies {label}")

    def _always_possible(self, numbers: Sequence[int]) -> Verdict:
        graph = self._graph = self._graph or Graph(self._model, self._exploration)
        worst: tuple[int, int, int, int] | None = None
        for number in numbers:
            instance = self._model.properties[number]
            stuck, errors = wedged(graph, instance)
            if errors:
                at = min(errors, key=lambda n: (graph.depth(n), graph.states[n]))
                trace = trace_to(self._model, self._exploration, graph.states[at], graph.depth(at))
                return self._property_error(number, trace, Found(graph.depth(at), graph.states[at], 0))
            if stuck:
                depth = graph.depth(stuck[0])
                least = min((graph.states[n], n) for n in stuck if graph.depth(n) == depth)
                worst = min(filter(None, (worst, (depth, number, least[1], len(stuck)))))
        if worst is None:
            return self._otherwise()
        depth, number, at, count = worst
        instance = self._model.properties[number]
        trace = trace_to(self._model, self._exploration, graph.states[at], depth)
        onward = graph.onward(at, instance.without, _ONWARD_MAX)
        where = "it stays so" if onward == 1 else f"in none of the {onward:,} states reachable from here is it true"
        if onward >= _ONWARD_MAX:
            where = f"in none of the more than {_ONWARD_MAX:,} states reachable from here is it true"
        reason = f"{instance.label()} is false and cannot become true again: {where}"
        return Violation(trace, instance.label(), f"{reason} ({count:,} such state{'s' if count != 1 else ''})")

    def _deadlock(self) -> Verdict:
        error = self._found.get(("deadlock error", None))
        if error is not None:
            trace = self._trace(error)
            assert self._model.final is not None
            leaf = next(leaf for _, leaf in outcomes(self._model.final, trace.states()[-1]))
            assert isinstance(leaf, Raises)
            return PropertyError(trace, "final", f"{leaf.exception}: {leaf.message}", leaf.span)
        found = self._found.get(("deadlock", None))
        if found is None:
            return self._otherwise()
        final = " and it is not @final" if self._model.final is not None else ""
        return Violation(self._trace(found), "deadlock", f"no step is enabled here{final}")

    def _failing(self, kind: str, name: str) -> Verdict:
        found = self._found.get((kind, None))
        if found is None:
            return self._otherwise()
        finding = self._exploration.findings[found.number]
        assert finding.step is not None and finding.leaf is not None
        action = self._model.actions[finding.step]
        leaf = finding.leaf
        message = f"{leaf.exception}: {leaf.message}" if isinstance(leaf, Raises) else leaf.message
        failure = Failure(
            action.action, action.process, action.args, finding.choices, kind, message.rstrip(": "), leaf.span
        )
        trace = self._trace(found)
        trace = Trace(trace.initial, trace.initial_choices, trace.steps, failure)
        what = "raises" if isinstance(leaf, Raises) else "leaves the bounds of the model"
        assert isinstance(leaf, Raises | Overflow)
        return Violation(trace, name, f"{action.label()} {what}: {failure.message}")

    def _trace(self, found: Found) -> Trace:
        return trace_to(self._model, self._exploration, found.state, found.depth)


def _extended(trace: Trace, step: object) -> Trace:
    return Trace(trace.initial, trace.initial_choices, (*trace.steps, step))  # type: ignore[arg-type]
