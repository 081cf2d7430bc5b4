"""How a terminal shows things: its width, its colours, the symbols that its encoding can do.

A line is a sequence of segments, each a style and a text, so that widths are measured before colours are added.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

Segment = tuple[str, str]
Line = list[Segment]

PLAIN = ""
_STYLES = {"strong": "1", "dim": "2", "good": "32", "bad": "1;31", "warn": "33", "who": "36", "new": "1"}
_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Look:
    """`width` in columns; without `unicode` only ASCII is written, apart from what the spec itself says."""

    width: int = 100
    colour: bool = False
    unicode: bool = True

    @property
    def ok(self) -> str:
        return "✓" if self.unicode else "ok"

    @property
    def wrong(self) -> str:
        return "✗" if self.unicode else "NO"

    @property
    def unknown(self) -> str:
        return "?"

    @property
    def arrow(self) -> str:
        return "→" if self.unicode else "->"

    @property
    def ellipsis(self) -> str:
        return "…" if self.unicode else "..."


SYMBOLS = "✓✗→…"


def cells(text: str) -> int:
    """The number of columns that `text` takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def line_cells(line: Iterable[Segment]) -> int:
    """The number of columns that a line takes."""
    return sum(cells(text) for _, text in line)


def printable(text: str) -> str:
    """`text` on one line, with what a terminal would obey instead of show written as an escape."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def shortened(text: str, width: int, look: Look) -> str:
    """`text` where it fits into `width` columns, else its beginning and an ellipsis."""
    if cells(text) <= width:
        return text
    kept = ""
    for character in text:
        if cells(kept + character) > width - cells(look.ellipsis):
            break
        kept += character
    return kept + look.ellipsis


def painted(lines: Iterable[Line], look: Look) -> str:
    """The lines as text, each ended by a newline; trailing spaces are dropped."""
    return "".join(_painted(line, look) + "\n" for line in lines)


def _painted(line: Line, look: Look) -> str:
    shown = "".join(text for _, text in line).rstrip()
    left = len(shown)
    parts = []
    current = PLAIN
    for style, whole in line:
        text = whole[:left]
        left -= len(text)
        # Spaces take the style of what is around them, which saves most of the escapes.
        if look.colour and style != current and text.strip():
            parts.append(_RESET if current else "")
            parts.append(f"\x1b[{_STYLES[style]}m" if style else "")
            current = style
        parts.append(text)
    return "".join(parts) + (_RESET if current else "")
