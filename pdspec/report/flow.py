"""Lines that fit: words that flow into columns, and never a word that is cut where it could have been moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pdspec.report.look import PLAIN, Line, Segment, cells, line_cells

# A word is not broken unless it is wider than a line; a group is kept on one line where it fits on one.
Word = Sequence[Segment]
Group = Sequence[Word]


def words(text: str, style: str = PLAIN) -> list[Word]:
    """The words of a text, to flow one by one."""
    return [((style, word),) for word in text.split()]


def paragraph(text: str, width: int, indent: int = 0, style: str = PLAIN, hanging: int = 0) -> list[Line]:
    """A text as lines of at most `width` columns, all indented, those after the first by `hanging` more."""
    return flow([[word] for word in words(text, style)], width, indent, indent + hanging)


def flow(groups: Iterable[Group], width: int, indent: int = 0, hanging: int | None = None) -> list[Line]:
    """The groups, a space between words, as lines of at most `width` columns.

    The first line is indented by `indent`, the others by `hanging`, which is `indent` by default.
    """
    hanging = indent if hanging is None else hanging
    lines: list[Line] = []
    margin = indent
    line: Line = []
    room = max(width - indent, 8)

    def end() -> None:
        nonlocal line, margin, room
        lines.append([(PLAIN, " " * margin), *line])
        line, margin, room = [], hanging, max(width - hanging, 8)

    for group in groups:
        together = sum(line_cells(word) for word in group) + len(group) - 1
        if line and line_cells(line) + 1 + together > room and (together <= max(width - hanging, 8)):
            end()
        for word in group:
            size = line_cells(word)
            if line and line_cells(line) + 1 + size > room:
                end()
            pieces = _broken(word, room) if size > room else [word]
            for piece in pieces[:-1]:
                line.extend(piece)
                end()
            if line:
                line.append((PLAIN, " "))
            line.extend(pieces[-1])
    if line:
        end()
    return lines


def _broken(word: Word, room: int) -> list[Word]:
    """A word that is wider than a line, in pieces that are not."""
    pieces: list[Word] = []
    piece: list[Segment] = []
    used = 0
    for style, text in word:
        for character in text:
            if used + cells(character) > room:
                pieces.append(piece)
                piece, used = [], 0
            if piece and piece[-1][0] == style:
                piece[-1] = style, piece[-1][1] + character
            else:
                piece.append((style, character))
            used += cells(character)
    return [*pieces, piece]


def column(text: str, width: int, style: str = PLAIN) -> Segment:
    """A text filled with spaces to `width` columns."""
    return style, text + " " * max(0, width - cells(text))


def spread(left: Line, right: Line, width: int) -> list[Line]:
    """`right` at the right end of the line, or on a line of its own where both do not fit."""
    gap = width - line_cells(left) - line_cells(right)
    if gap >= 2:
        return [[*left, (PLAIN, " " * gap), *right]]
    return [left, [(PLAIN, " " * max(0, width - line_cells(right))), *right]]
