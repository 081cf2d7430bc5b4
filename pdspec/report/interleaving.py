"""A trace as lines: who did what, what it changed, and where it is written.

What a step changed stands beside it where that takes fewer lines, so on a wide terminal a step is one line; otherwise
it stands below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import assert_never

from pdspec.model.model import Model, variable_texts
from pdspec.report.changes import Change, QueueChange, SetChange, ValueChange, changes, derived_texts
from pdspec.report.flow import Group, Word, column, flow, words
from pdspec.report.look import PLAIN, Line, Look, cells, line_cells, printable, shortened
from pdspec.source import SourceSpan
from pdspec.trace import Failure, State, Step, Trace

_INDENT = 4
_INITIAL_VALUE_MAX = 40
_INITIAL_LINES_MAX = 6
_BESIDE_MIN = 24


@dataclass(frozen=True, slots=True)
class _Row:
    number: str
    who: str
    what: str
    where: str
    groups: Sequence[Group]


def trace_lines(
    model: Model, trace: Trace, look: Look, roots: Sequence[str] = (), *, initial: bool = True
) -> list[Line]:
    """The trace, step by step. `roots` are folders whose name is left out.

    With `initial` it begins with the state that it starts from, as it always does where that state was chosen or is the
    whole trace.
    """
    lines: list[Line] = []
    rows = [
        _row(number, model, before, step, look, roots)
        for number, (before, step) in enumerate(zip(trace.states(), trace.steps, strict=False), 1)
    ]
    if trace.failure is not None:
        rows.append(_failing_row(len(rows) + 1, trace.failure, look, roots))
    number_width = len(str(trace.length()))
    if initial or trace.initial_choices or not rows:
        lines.extend(_initial_lines(model, trace, look, number_width))
    lines.extend(_rows(rows, number_width, look))
    if trace.loop_start is not None:
        text = f"and so on from step {trace.loop_start}, for ever"
        lines.append([(PLAIN, " " * margin(trace)), ("warn", text)])
    return lines


def margin(trace: Trace) -> int:
    """The column in which the text of each step begins."""
    return _INDENT + len(str(trace.length())) + 2


def action_text(step: Step | Failure) -> str:
    """An action with its arguments, and after a semicolon what was chosen: `take(room=0; last=True)`."""
    args = ", ".join(f"{name}={value}" for name, value in step.args)
    choices = ", ".join(f"{name}={value}" for name, value in step.choices)
    return printable(f"{step.action}({'; '.join(filter(None, (args, choices)))})")


def place_text(span: SourceSpan, roots: Sequence[str] = ()) -> str:
    """`file:line`, without the first of the folders `roots` that the file is in."""
    path = PurePath(span.file)
    for root in roots:
        if path.is_relative_to(root):
            return f"{path.relative_to(root)}:{span.line}"
    return str(span)


def change_group(change: Change, look: Look) -> list[Word]:
    """A change as words."""
    match change:
        case ValueChange(place, before, after, derived):
            old = [(("dim", "absent"),)] if before is None else words(printable(before))
            new = [(("dim", "absent"),)] if after is None else words(printable(after), "new")
            return [(("dim" if derived else PLAIN, printable(place) + ":"),), *old, (("dim", look.arrow),), *new]
        case SetChange(place, added, removed):
            return _operations(place, {"remove": removed, "add": added})
        case QueueChange(place, popleft, pop, appendleft, append):
            ends = {"popleft": popleft, "pop": pop, "appendleft": appendleft, "append": append}
            return _operations(place, ends)
        case _:
            assert_never(change)


def _operations(place: str, operations: Mapping[str, Sequence[str]]) -> list[Word]:
    """What was done to a container, by the names of its methods."""
    found: list[Word] = [((PLAIN, printable(place) + ":"),)]
    for name, items in operations.items():
        if items:
            found.append((("dim", name),))
            found.extend(words(printable(", ".join(items)), "new"))
    return found


def _row(number: int, model: Model, before: State, step: Step, look: Look, roots: Sequence[str]) -> _Row:
    groups = [change_group(change, look) for change in changes(model, before, step.state)]
    for group in groups[:-1]:
        group[-1] = (*group[-1], ("dim", ";"))
    if not groups:
        groups = [words("nothing changes", "dim")]
    where = place_text(step.span, roots) if step.span else ""
    return _Row(str(number), printable(step.process), action_text(step), where, groups)


def _failing_row(number: int, failure: Failure, look: Look, roots: Sequence[str]) -> _Row:
    what = "raises " if failure.kind == "exception" else "leaves the bounds of the model: "
    where = place_text(failure.span, roots) if failure.span else ""
    groups: list[Group] = [words(what + printable(failure.message), "bad")]
    return _Row(str(number), printable(failure.process), action_text(failure), where, groups)


def _initial_lines(model: Model, trace: Trace, look: Look, number_width: int) -> list[Line]:
    indent = _INDENT + number_width + 2
    # "initially" is what a choice is called that nobody named.
    chosen = [value if name == "initially" else f"{name}={value}" for name, value in trace.initial_choices]
    head: list[Group] = [words("initially", "dim")]
    if chosen:
        head.append(words(printable(f"({', '.join(chosen)})"), "new"))
    values = {**variable_texts(model, trace.initial), **derived_texts(model, trace.initial)}
    groups: list[Group] = []
    for name, value in values.items():
        comma = "," if name != list(values)[-1] else ""
        groups.append(words(f"{name}={shortened(printable(value), _INITIAL_VALUE_MAX, look)}{comma}", "dim"))
    lines = flow(head, look.width, indent)
    lines[0][0] = (PLAIN, " " * _INDENT + "0".rjust(number_width) + "  ")
    lines.extend(flow(groups, look.width, indent + 2))
    if len(lines) > _INITIAL_LINES_MAX:
        lines = [*lines[:_INITIAL_LINES_MAX], [(PLAIN, " " * (indent + 2)), ("dim", look.ellipsis)]]
    return lines


def _rows(rows: Sequence[_Row], number_width: int, look: Look) -> list[Line]:
    if not rows:
        return []
    who = max(cells(row.who) for row in rows)
    what = max(cells(row.what) for row in rows)
    where = max(cells(row.where) for row in rows)
    widths = (number_width, who, what)
    below = [line for row in rows for line in _below(row, widths, look)]
    left = _INDENT + number_width + 2 + who + 2 + what + 2
    room = look.width - left - where - 2
    if room < _BESIDE_MIN:
        return below
    room = min(room, max(sum(_width(group) + 1 for group in row.groups) - 1 for row in rows))
    beside = [line for row in rows for line in _beside(row, widths, left, room)]
    return beside if len(beside) <= len(below) else below


def _head(row: _Row, widths: tuple[int, int, int]) -> Line:
    number, who, what = widths
    return [
        (PLAIN, " " * _INDENT + row.number.rjust(number) + "  "),
        column(row.who, who + 2, "who"),
        column(row.what, what + 2, "strong"),
    ]


def _beside(row: _Row, widths: tuple[int, int, int], left: int, room: int) -> list[Line]:
    first, *others = flow(row.groups, left + room, left)
    first[0] = (PLAIN, "")
    gap = left + room + 2 - line_cells(first) - left
    beginning = [*_head(row, widths), *first, (PLAIN, " " * gap), ("dim", row.where)]
    return [beginning, *others]


def _below(row: _Row, widths: tuple[int, int, int], look: Look) -> list[Line]:
    head = [*_head(row, widths), ("dim", row.where)]
    lines = [head]
    if line_cells(head) > look.width:
        head = [*_head(row, (widths[0], cells(row.who), cells(row.what))), ("dim", row.where)]
        lines = [head] if line_cells(head) <= look.width else [head[:-1], [(PLAIN, " " * (_INDENT + 6)), head[-1]]]
    indent = _INDENT + widths[0] + 4
    return [*lines, *flow(row.groups, look.width, indent)]


def _width(group: Group) -> int:
    return sum(line_cells(word) for word in group) + len(group) - 1
