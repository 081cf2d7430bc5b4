"""Rows and columns, as a lifted function's table and a Model's outline need them."""

from __future__ import annotations

from collections.abc import Sequence

from pdspec.report.flow import column
from pdspec.report.look import PLAIN, Line, cells, printable


def grid_lines(header: Sequence[str], rows: Sequence[Sequence[str]], indent: int = 2) -> list[Line]:
    """The rows below the header, each column as wide as its widest cell. The first column names the rows."""
    shown = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(cells(row[number]) for row in shown) for number in range(len(header))]
    lines = [_line(shown[0], widths, indent, "dim", "dim")]
    lines.extend(_line(row, widths, indent, "strong", PLAIN) for row in shown[1:])
    return lines


def _line(row: Sequence[str], widths: Sequence[int], indent: int, first: str, other: str) -> Line:
    styled = [(first if number == 0 else other, cell) for number, cell in enumerate(row)]
    return [
        (PLAIN, " " * indent),
        *(column(cell, width + 2, style) for (style, cell), width in zip(styled, widths, strict=True)),
    ]
