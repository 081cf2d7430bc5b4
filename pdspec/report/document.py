"""A run as JSON data; `docs/json.md` says what each member means and `docs/json-schema.json` is its schema.

Everything that the text says is there, and every trace in full, whatever the text shows of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, assert_never

from pdspec.errors import SpecError
from pdspec.model.model import Model
from pdspec.model.shape import shape_json
from pdspec.report.changes import change_json, changes, derived_texts
from pdspec.report.look import Look
from pdspec.report.run import PropertyResult, Question, ScenarioResult, verdict_word, worst
from pdspec.report.scope import Scope, scope_of, sentence
from pdspec.source import SourceSpan
from pdspec.trace import Failure, State, Step, Trace
from pdspec.verdict import Evidence, Holds, Inconclusive, PropertyError, Verdict, Violation

FORMAT = "pdspec check"
VERSION = 1


def json_text(question: Question, results: Iterable[ScenarioResult], look: Look) -> Iterator[str]:
    """One JSON document, when all scenarios have finished."""
    yield written(document(question, list(results)))


def document(question: Question, results: Sequence[ScenarioResult]) -> dict[str, Any]:
    """The run as JSON data."""
    scope = scope_of(results, question.properties)
    return {
        **_head(question.version, question.file),
        "exit_code": worst(results),
        "problem": None,
        "scenarios": [_scenario(result) for result in results],
        "scope": _scope(scope),
    }


def failed_document(version: str, file: str, problem: SpecError) -> dict[str, Any]:
    """What stands in the place of a run that could not begin."""
    nothing = scope_of([])
    return {
        **_head(version, file),
        "exit_code": 2,
        "problem": problem_json(problem),
        "scenarios": [],
        "scope": _scope(nothing),
    }


def written(data: dict[str, Any]) -> str:
    """JSON data as text; ASCII only, so that no encoding can spoil it."""
    return json.dumps(data, indent=2) + "\n"


def problem_json(problem: SpecError) -> dict[str, Any]:
    """What is wrong with a spec or a command, as JSON data."""
    return {
        "code": problem.code,
        "message": problem.message,
        "hint": problem.hint,
        "span": span_json(problem.span),
    }


def span_json(span: SourceSpan | None) -> dict[str, Any] | None:
    """A place in a source file as JSON data."""
    return None if span is None else {"file": span.file, "line": span.line}


def trace_json(model: Model, trace: Trace | None) -> dict[str, Any] | None:
    """A trace as JSON data, each state by its variables."""
    if trace is None:
        return None
    befores = trace.states()
    return {
        "length": trace.length(),
        "loop_start": trace.loop_start,
        "initial": {"choices": _pairs(trace.initial_choices), **_state(model, trace.initial)},
        "steps": [_step(model, number, befores[number - 1], step) for number, step in enumerate(trace.steps, 1)],
        "failure": _failure(trace.failure),
    }


def _head(version: str, file: str) -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION, "pdspec": version, "file": file}


def _scenario(result: ScenarioResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "spec": result.spec,
        "parameters": {parameter.name: parameter.value for parameter in result.parameters},
        "why": result.why or None,
        "span": span_json(result.span),
        "command": list(result.command),
        "exit_code": result.exit_code,
        "not_run": result.not_run,
        "problem": problem_json(result.problem) if result.problem else None,
        "stopped": result.stopped,
        "expectations": result.expectations,
        "source": result.source,
        "ignored": list(result.ignored),
        "notes": list(result.notes),
        "explored": _evidence(result.evidence, result.trace_seconds) if result.evidence else None,
        "self_check": _self_check(result),
        "properties": [_property(result, report) for report in result.properties],
    }


def _evidence(evidence: Evidence, trace_seconds: float) -> dict[str, Any]:
    return {
        "states": evidence.states,
        "transitions": evidence.transitions,
        "depth": evidence.depth,
        "terminal": evidence.terminal,
        "complete": evidence.complete,
        "stopped_by": evidence.stopped_by,
        "seconds": round(evidence.seconds, 3),
        "trace_seconds": round(trace_seconds, 3),
    }


def _self_check(result: ScenarioResult) -> dict[str, Any] | None:
    checked = result.self_check
    return {"compared": checked.compared, "mismatches": list(checked.mismatches)} if checked else None


def _property(result: ScenarioResult, report: PropertyResult) -> dict[str, Any]:
    assert result.model is not None
    return {
        "name": report.name,
        "kind": report.kind,
        "verdict": verdict_word(report.verdict),
        "expected": report.expected,
        "met": report.met,
        **_details(report.verdict),
        "trace": trace_json(result.model, report.trace()),
    }


def _details(verdict: Verdict) -> dict[str, Any]:
    instance: str | None = None
    reason: str | None = None
    span: SourceSpan | None = None
    match verdict:
        case Holds(_, note):
            reason = note or None
        case Violation(_, label, why):
            instance, reason = label, why
        case Inconclusive(why):
            reason = why
        case PropertyError(_, label, message, place):
            instance, reason, span = label, message, place
        case _:
            assert_never(verdict)
    return {"instance": instance, "reason": reason, "span": span_json(span)}


def _step(model: Model, number: int, before: State, step: Step) -> dict[str, Any]:
    return {
        "number": number,
        "process": step.process,
        "action": step.action,
        "args": _pairs(step.args),
        "choices": _pairs(step.choices),
        "span": span_json(step.span),
        "changes": [change_json(change) for change in changes(model, before, step.state)],
        **_state(model, step.state),
    }


def _failure(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "process": failure.process,
        "action": failure.action,
        "args": _pairs(failure.args),
        "choices": _pairs(failure.choices),
        "kind": failure.kind,
        "message": failure.message,
        "span": span_json(failure.span),
    }


def _state(model: Model, state: State) -> dict[str, Any]:
    domains = model.domains()
    values = {variable.name: shape_json(variable.shape, domains, state) for variable in model.variables}
    return {"state": values, "derived": derived_texts(model, state)}


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _scope(scope: Scope) -> dict[str, Any]:
    return {
        "sentence": sentence(scope),
        "answered": scope.answered,
        "properties": list(scope.properties),
        "sizes": dict(scope.sizes),
        "environment": list(scope.environment),
        "ignored": list(scope.ignored),
        "incomplete": _reasons(scope.incomplete),
        "not_run": _reasons(scope.not_run),
        "failed": _reasons(scope.failed),
    }


def _reasons(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"scenario": name, "reason": reason} for name, reason in pairs]
