"""Where something stands in a source file. A span is data: it is shown to people and never opened by an engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class SourceSpan:
    """One line of one file, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"
