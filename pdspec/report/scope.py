"""What an answer does not show: the sizes that it is about, what was taken as atomic, what was left out.

A verdict is read as more than it is unless this stands beside it, so every report ends with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdspec.report.run import ScenarioResult


@dataclass(frozen=True, slots=True)
class Scope:
    """What bounds the answers of a run.

    `properties` are those that were asked, where not all were. `sizes` are the parameters that are sizes, with the
    largest value asked; `one_setting` says that there was no other. `environment` are the processes that may act and
    need not. `incomplete` are scenarios of which not every state was visited, `not_run` and `failed` those without
    any answer; they are pairs of a name and a reason.
    """

    answered: int
    properties: tuple[str, ...]
    sizes: tuple[tuple[str, int], ...]
    one_setting: bool
    environment: tuple[str, ...]
    ignored: tuple[str, ...]
    incomplete: tuple[tuple[str, str], ...]
    not_run: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, str], ...]


def scope_of(results: Sequence[ScenarioResult], properties: Sequence[str] = ()) -> Scope:
    """What bounds these answers, which are about `properties` only, where there are any."""
    answered = [result for result in results if result.was_run()]
    settings = {tuple((p.name, p.value) for p in result.parameters if p.is_size) for result in answered}
    sizes: dict[str, int] = {}
    for setting in settings:
        for name, value in setting:
            assert isinstance(value, int)
            sizes[name] = max(value, sizes.get(name, value))
    order = [p.name for result in answered for p in result.parameters if p.is_size]
    processes = [process for result in answered if result.model for process in result.model.processes]
    fair = {process.name for process in processes if process.fair is not None}
    incomplete = []
    for result in answered:
        if result.evidence is not None and not result.evidence.complete:
            incomplete.append((result.name, f"stopped by {result.evidence.stopped_by}"))
    return Scope(
        answered=len(answered),
        properties=tuple(properties),
        sizes=tuple((name, sizes[name]) for name in dict.fromkeys(order)),
        one_setting=len(settings) == 1,
        environment=tuple(dict.fromkeys(process.name for process in processes if process.name not in fair)),
        ignored=tuple(dict.fromkeys(name for result in answered for name in result.ignored)),
        incomplete=tuple(incomplete),
        not_run=tuple((result.name, result.not_run) for result in results if result.not_run is not None),
        failed=tuple((result.name, _failure(result)) for result in results if result.problem or result.stopped),
    )


def sentence(scope: Scope) -> str:
    """The scope in words, two or three sentences long."""
    if not scope.answered:
        return " ".join(["Nothing is shown: no scenario was answered.", *_missing(scope)])
    parts = [_sizes(scope), "each step is atomic as written"]
    if scope.environment:
        parts.append(f"{_listed(scope.environment)} may act and need not")
    parts.append("fairness was not used")
    sentences = ["; ".join(parts) + "."]
    if scope.properties:
        sentences.append(f"Only {_listed(scope.properties)} {_was(scope.properties)} asked.")
    if scope.ignored:
        sentences.append(f"The lifted code was not followed into {_listed(scope.ignored)}.")
    if scope.incomplete:
        listed = "; ".join(f"{name!r} ({reason})" for name, reason in scope.incomplete)
        sentences.append(f"Not every state was visited in {listed}.")
    return " ".join([*sentences, *_missing(scope)])


def _sizes(scope: Scope) -> str:
    if not scope.sizes:
        return "These answers are for the types as declared and say nothing about larger ones"
    sizes = ", ".join(f"{name}={value}" for name, value in scope.sizes)
    if scope.one_setting:
        return f"These answers are for {sizes} and say nothing about larger values"
    return f"These answers are for the parameters given above, at most {sizes}, and say nothing about larger values"


def _missing(scope: Scope) -> list[str]:
    sentences = []
    if scope.not_run:
        reasons: dict[str, list[str]] = {}
        for name, reason in scope.not_run:
            reasons.setdefault(reason, []).append(repr(name))
        sentences.append(
            "Not run: " + "; ".join(f"{_listed(names)} ({reason})" for reason, names in reasons.items()) + "."
        )
    if scope.failed:
        sentences.append(
            "Without an answer: " + "; ".join(f"{name!r} ({reason})" for name, reason in scope.failed) + "."
        )
    return sentences


def _failure(result: ScenarioResult) -> str:
    return result.stopped if result.stopped is not None else f"{result.problem.code}" if result.problem else ""


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _was(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"
