"""One scenario as lines: what was asked, each verdict beside what was expected, and the interleavings that matter.

Which traces are shown in full: every one that was asked for by the name of its property; otherwise, of a scenario,
the first violation that was not expected (before all, of a bound), or else the first that was, as long as the run has
shown fewer than three of these. For the others there is a command.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pdspec.errors import SpecError
from pdspec.report.flow import Group, Word, column, flow, paragraph, spread, words
from pdspec.report.interleaving import margin, place_text, trace_lines
from pdspec.report.look import PLAIN, Line, Look, cells, line_cells, printable
from pdspec.report.run import PropertyResult, Question, ScenarioResult, kind_text, verdict_word
from pdspec.trace import Trace
from pdspec.verdict import Evidence, Holds, Inconclusive, PropertyError, Violation

_EXPECTED_IN_FULL_MAX = 3
_BUILT_IN = ("deadlock", "exceptions", "bounds")
_PARAGRAPH_MAX = 100
_VERDICT_MIN = 24


def scenario_lines(
    question: Question, result: ScenarioResult, earlier: Sequence[ScenarioResult], look: Look
) -> list[Line]:
    """The lines of one scenario; what `earlier` ones of the same run said is not repeated."""
    name: Line = [("strong", printable(result.name))]
    if result.not_run is not None:
        return spread(name, [("dim", f"not run ({result.not_run})")], look.width)
    width = min(look.width, _PARAGRAPH_MAX)
    lines = spread(name, [_status(result)], look.width)
    lines.extend(_parameters(result, earlier, look))
    if result.why:
        lines.extend(paragraph(printable(result.why), width, 2, "dim"))
    if result.source:
        lines.extend(paragraph(f"Source: {printable(result.source)}", width, 2))
    if result.expectations:
        lines.extend(paragraph(f"Expectations: {printable(result.expectations)}", width, 2))
    for note in result.notes:
        lines.extend(paragraph(printable(note), width, 2))
    if result.problem is not None:
        return [*lines, [], *problem_lines(result.problem, look, question.roots)]
    if result.stopped is not None:
        return [*lines, *paragraph(f"{result.stopped}: nothing is said about its properties.", width, 2, "warn")]
    if result.evidence is not None:
        lines.extend(paragraph(_counts(result.evidence, result.trace_seconds), width, 2))
    lines.extend(_self_check(result, width))
    lines.append([])
    lines.extend(_properties(result, question, earlier, look))
    lines.extend(_traces(result, question, earlier, look))
    return lines


def problem_lines(problem: SpecError, look: Look, roots: Sequence[str] = ()) -> list[Line]:
    """What is wrong with a spec, and what to write instead."""
    place = [((("strong", place_text(problem.span, roots) + ":"),))] if problem.span else []
    words_of_it: list[Word] = [*place, (("bad", problem.code + ":"),), *words(printable(problem.message))]
    lines = flow([[word] for word in words_of_it], look.width, 2, 4)
    if problem.hint:
        lines.extend(paragraph(f"hint: {printable(problem.hint)}", look.width, 4, hanging=2))
    return lines


def in_full(result: ScenarioResult, earlier: Sequence[ScenarioResult], question: Question) -> list[PropertyResult]:
    """The properties whose traces are shown step by step."""
    if question.properties:
        return [report for report in result.properties if report.trace() is not None]
    wrong = _wrong(result)
    unexpected = [report for report in wrong if not report.met]
    if unexpected:
        # A bound that is too small leaves other questions open, so it is the first to mend.
        return [report for report in unexpected if report.name == "bounds"][:1] or unexpected[:1]
    shown = sum(all(report.met for report in _wrong(other)) for other in earlier if _wrong(other))
    return wrong[:1] if shown < _EXPECTED_IN_FULL_MAX else []


def _wrong(result: ScenarioResult) -> list[PropertyResult]:
    """The violations and errors that have a trace."""
    wrong = [report for report in result.properties if isinstance(report.verdict, Violation | PropertyError)]
    return [report for report in wrong if report.trace() is not None]


def _status(result: ScenarioResult) -> tuple[str, str]:
    match result.exit_code:
        case 0:
            return "good", "as expected"
        case 1:
            return "bad", "NOT AS EXPECTED"
        case 3:
            return "warn", "inconclusive"
        case _:
            return "bad", "ERROR"


def _parameters(result: ScenarioResult, earlier: Sequence[ScenarioResult], look: Look) -> list[Line]:
    """All parameters where they fit on a line or are said for the first time; else those that are not the default."""
    if not result.parameters:
        return [[(PLAIN, "  "), (PLAIN, result.spec)]]
    shown = [(p, f"{p.name}={printable(str(p.value))}") for p in result.parameters]
    length = len(result.spec) + sum(cells(text) + 2 for _, text in shown) + 2
    new = not any(other.spec == result.spec and not other.not_run for other in earlier)
    if length > look.width and not new:
        shown = [(p, text) for p, text in shown if not p.is_default]
    parts: list[tuple[str, str]] = [("dim" if p.is_default else PLAIN, text) for p, text in shown]
    if len(shown) < len(result.parameters):
        parts.append(("dim", "the others as by default"))
    last = len(parts) - 1
    groups: list[Group] = []
    for number, (style, text) in enumerate(parts):
        pieces = words(text, style)
        before: Word = ((PLAIN, f"{result.spec}("),) if number == 0 else ()
        pieces[0] = (*before, *pieces[0])
        pieces[-1] = (*pieces[-1], (PLAIN, ")" if number == last else ","))
        groups.append(pieces)
    return flow(groups, look.width, 2, 4)


def _counts(evidence: Evidence, trace_seconds: float) -> str:
    states = f"{evidence.states:,} state{'' if evidence.states == 1 else 's'}"
    transitions = f"{evidence.transitions:,} transition{'' if evidence.transitions == 1 else 's'}"
    time = f"explored in {evidence.seconds:.2f} s, traced in {trace_seconds:.2f} s"
    if evidence.complete:
        return f"{states}, {transitions}, depth {evidence.depth}; {time}"
    return f"at least {states} and {transitions}, depth {evidence.depth}, then stopped by {evidence.stopped_by}; {time}"


def _self_check(result: ScenarioResult, width: int) -> list[Line]:
    checked = result.self_check
    if checked is None:
        return []
    if not checked.mismatches:
        text = f"self-check: the Model does what the methods do on {checked.compared:,} valuations"
        return paragraph(text, width, 2)
    lines = paragraph("self-check: the Model does not do what the methods do; this is a bug of pdspec", width, 2, "bad")
    for mismatch in checked.mismatches:
        lines.extend(paragraph(printable(mismatch), width, 4, hanging=2))
    return lines


def _properties(
    result: ScenarioResult, question: Question, earlier: Sequence[ScenarioResult], look: Look
) -> list[Line]:
    """A line each, with its kind; what holds as expected is only named where an earlier scenario had a line for it."""
    known: tuple[str, ...] = _BUILT_IN
    if any(other.was_run() and other.spec == result.spec for other in earlier):
        known = tuple(report.name for report in result.properties)
    plain = [report for report in result.properties if _holds_as_expected(report)]
    folded = [report for report in plain if report.name in known]
    listed = [report for report in result.properties if report not in folded]
    name_width = max((cells(report.name) for report in listed), default=0)
    kind_width = max((len(kind_text(report.kind)) for report in listed), default=0)
    lines: list[Line] = []
    for report in listed:
        head: Line = [(PLAIN, "  "), *_mark(report, look), column(printable(report.name), name_width + 2)]
        if kind_width:
            head.append(column(kind_text(report.kind), kind_width + 2, "dim"))
        at = line_cells(head)
        verdict = [[word] for word in _verdict(report, question)]
        if look.width - at < _VERDICT_MIN:
            lines.extend([head, *flow(verdict, look.width, 5)])
        else:
            body = flow(verdict, look.width, at)
            lines.extend([[*head, *body[0][1:]], *body[1:]])
    if folded:
        verb = "hold" if len(folded) > 1 else "holds"
        names = flow([[word] for word in [((("good", verb + ":"),)), *words(_named(folded))]], look.width, 5)
        names[0] = [(PLAIN, "  "), *_mark(folded[0], look), *names[0][1:]]
        lines.extend(names)
    return lines


def _holds_as_expected(report: PropertyResult) -> bool:
    return report.met and isinstance(report.verdict, Holds) and not report.verdict.note


def _named(reports: Sequence[PropertyResult]) -> str:
    return printable(", ".join(report.name for report in reports))


def _mark(report: PropertyResult, look: Look) -> Line:
    if report.met:
        return [column(look.ok, 3, "good")]
    if isinstance(report.verdict, Inconclusive):
        return [column(look.unknown, 3, "warn")]
    return [column(look.wrong, 3, "bad")]


def _verdict(report: PropertyResult, question: Question) -> list[Word]:
    verdict = report.verdict
    word = verdict_word(verdict)
    expected_wrong = report.met and isinstance(verdict, Violation)
    style = "warn" if isinstance(verdict, Inconclusive) or expected_wrong else "good" if report.met else "bad"
    said = ""
    match verdict:
        case Holds(witness, note):
            said = f" {note}" if note else f": {_size(witness)}" if witness is not None else ""
        case Violation(trace, _, reason):
            said = ", as expected" if report.met else ""
            said += f": {_size(trace)}" if trace is not None else f": {reason}"
        case Inconclusive(reason):
            said = f": {reason}"
        case PropertyError(trace, _, message, span):
            place = f" ({place_text(span, question.roots)})" if span else ""
            said = f": {message}{place}; {_size(trace)}"
    if not report.met and not (isinstance(verdict, Inconclusive | PropertyError) and report.expected == "holds"):
        said += f"; expected: {report.expected}"
    first, *rest = (word + printable(said)).split(" ")
    tail = first[len(word) :]
    return [((style, word), (PLAIN, tail)), *words(" ".join(rest))]


def _size(trace: Trace) -> str:
    count = trace.length()
    if not count:
        return "in an initial state"
    return f"{count} step{'' if count == 1 else 's'}, last {trace.last()}"


def _traces(result: ScenarioResult, question: Question, earlier: Sequence[ScenarioResult], look: Look) -> list[Line]:
    shown = in_full(result, earlier, question)
    lines: list[Line] = []
    any_before = any(in_full(other, earlier[:number], question) for number, other in enumerate(earlier))
    for number, report in enumerate(shown):
        lines.extend(_trace(result, report, question, look, initial=number == 0 and not any_before))
    others = [report for report in _wrong(result) if report not in shown]
    same = [report for report in others if any(report.trace() == each.trace() for each in shown)]
    if same:
        lines.extend([[], *paragraph(f"The same interleaving violates {_named(same)}.", look.width, 2)])
    missing = [report for report in others if report not in same]
    if missing:
        first, *rest = missing
        likewise = f" (likewise {_named(rest)})" if rest else ""
        command = printable(shlex.join([*result.command, "--property", first.name]))
        lines.extend([[], *paragraph(f"To see {first.name} step by step{likewise}:", look.width, 2)])
        lines.append([(PLAIN, "    "), ("who", command)])
    return lines


def _trace(
    result: ScenarioResult, report: PropertyResult, question: Question, look: Look, *, initial: bool
) -> list[Line]:
    trace = report.trace()
    assert trace is not None and result.model is not None
    title: Line = [(PLAIN, "  "), ("strong", printable(report.name)), (PLAIN, ": a shortest interleaving")]
    lines: list[Line] = [[], title, []]
    lines.extend(trace_lines(result.model, trace, look, question.roots, initial=initial))
    style = "warn" if report.met else "bad"
    indent = margin(trace)
    match report.verdict:
        case Violation(_, _, reason):
            if trace.failure is None:
                lines.extend(paragraph(printable(reason), look.width, indent, style))
        case PropertyError(_, instance, message, _):
            lines.extend(paragraph(printable(f"{instance} raises {message}"), look.width, indent, style))
        case Holds() | Inconclusive():
            lines.extend(paragraph(f"{report.name} is true here", look.width, indent, "good"))
    return lines
