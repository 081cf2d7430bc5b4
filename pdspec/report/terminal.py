"""A run as text for people: each scenario as it finishes, at the end what bounds the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pdspec.report.flow import paragraph
from pdspec.report.look import PLAIN, Line, Look, painted, printable
from pdspec.report.run import EXIT_CODES, Question, ScenarioResult, worst
from pdspec.report.scenario import scenario_lines
from pdspec.report.scope import scope_of, sentence
from pdspec.verdict import Violation

_PARAGRAPH_MAX = 100


def text(question: Question, results: Iterable[ScenarioResult], look: Look) -> Iterator[str]:
    """The parts of the text, each as soon as it can be said."""
    count = f"{question.scenarios} scenario{'' if question.scenarios == 1 else 's'}"
    yield painted([[("strong", printable(question.file)), (PLAIN, "  "), ("dim", count)]], look)
    said: list[ScenarioResult] = []
    for result in results:
        # Scenarios that were not run are one line each and stand together.
        together = bool(said) and result.not_run is not None and said[-1].not_run is not None
        lines: list[Line] = [] if together else [[]]
        yield painted([*lines, *scenario_lines(question, result, said, look)], look)
        said.append(result)
    yield painted([[], *_closing(question, said, look)], look)


def _closing(question: Question, results: Sequence[ScenarioResult], look: Look) -> list[Line]:
    width = min(look.width, _PARAGRAPH_MAX)
    code = worst(results)
    style = "good" if code == 0 else "warn" if code == 3 else "bad"
    lines = paragraph(_summary(results), width, style=style)
    if code:
        lines.extend(paragraph(f"Exit code {code}: {EXIT_CODES[code]}.", width, style=style))
    lines.extend(paragraph(printable(sentence(scope_of(results, question.properties))), width))
    return lines


def _summary(results: Sequence[ScenarioResult]) -> str:
    run = [result for result in results if result.not_run is None]
    counts = {
        "as expected": sum(result.exit_code == 0 for result in run),
        "not as expected": sum(result.exit_code == 1 for result in run),
        "inconclusive": sum(result.exit_code == 3 for result in run),
        "with an error": sum(result.exit_code not in (0, 1, 3) for result in run),
        "not run": len(results) - len(run),
    }
    parts = [f"{count} {what}" for what, count in counts.items() if count]
    if not parts:
        return "No scenario."
    first, _, rest = parts[0].partition(" ")
    noun = "scenario" if first == "1" else "scenarios"
    violated = sum(
        result.exit_code == 0 and any(isinstance(p.verdict, Violation) for p in result.properties) for result in run
    )
    if violated and counts["as expected"]:
        rest += " (with a violation)" if first == "1" else f" ({violated} of them with a violation)"
    return f"{first} {noun} {rest}" + "".join(f", {part}" for part in parts[1:]) + "."
