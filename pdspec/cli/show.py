"""Writing: standard output with what was asked for, standard error with the rest."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from pdspec.report.look import SYMBOLS, Look, shortened

_WIDTH_WITHOUT_TERMINAL = 100
_WIDTH_MIN = 40


def say(text: str) -> None:
    """Writes to standard output at once. What its encoding cannot do is written as an escape."""
    sys.stdout.write(_encodable(text, sys.stdout))
    sys.stdout.flush()


def complain(text: str) -> None:
    """Writes a line to standard error."""
    sys.stderr.write(_encodable(text, sys.stderr) + "\n")
    sys.stderr.flush()


def looking(color: str) -> Look:
    """How to write to standard output. `color` is always, never or auto: on a terminal, unless NO_COLOR is set."""
    terminal = sys.stdout.isatty()
    automatic = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size().columns if terminal else _WIDTH_WITHOUT_TERMINAL
    try:
        SYMBOLS.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        unicode = False
    else:
        unicode = True
    return Look(max(width, _WIDTH_MIN), color == "always" or (color == "auto" and automatic), unicode)


class ProgressLine:
    """A line on a terminal's standard error that is written over, and erased before anything else is said."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._name = ""
        self._length = 0

    def begin(self, name: str) -> None:
        """Says that a scenario is being traced."""
        self._name = name
        self._write(f"{name}: tracing")

    def update(self, states: int, waiting: int, seconds: float) -> None:
        """Says how far the exploration is."""
        rate = f"{states / seconds:,.0f} states/s, " if seconds > 0 else ""
        self._write(f"{self._name}: {states:,} states, {waiting:,} to expand, {rate}{seconds:.0f} s")

    def erase(self) -> None:
        """Leaves the terminal as it was."""
        if self._length:
            sys.stderr.write("\r" + " " * self._length + "\r")
            sys.stderr.flush()
            self._length = 0

    def _write(self, text: str) -> None:
        if self._shown:
            line = shortened(text, shutil.get_terminal_size().columns - 1, Look(unicode=False))
            sys.stderr.write("\r" + _encodable(line.ljust(self._length), sys.stderr))
            sys.stderr.flush()
            self._length = max(self._length, len(line))


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
