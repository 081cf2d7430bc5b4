"""The formats of a report, by the name that `--format` gives them.

A format turns what was asked and the results, as they come in, into parts of its text. It asks for the next result
only after its caller has taken everything that could be said of those before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pdspec.report.document import json_text
from pdspec.report.look import Look
from pdspec.report.run import Question, ScenarioResult
from pdspec.report.terminal import text

Format = Callable[[Question, Iterable[ScenarioResult], Look], Iterator[str]]

FORMATS: dict[str, Format] = {"text": text, "json": json_text}
