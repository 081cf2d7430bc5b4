"""What an author can get wrong, each with a code, a place and a way out.

A `SpecError` is the fault of a spec, a source folder or a command line, never of pdspec: what cannot happen is an
`assert`. Codes are stable, so that a message can be looked up; `CODES` is the table that the documentation prints.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pdspec.source import SourceSpan

CODES: dict[str, str] = {
    "PD101": "the spec file cannot be read or is not Python",
    "PD102": "a name or attribute that the spec does not declare",
    "PD103": "a type that is not finite, or a declaration that makes no sense",
    "PD104": "Python that cannot be traced",
    "PD105": "a step that does not repeat: two runs of the same path differ",
    "PD106": "a path, a loop or an action beyond its limit",
    "PD107": "an outcome that depends on the order of an unordered container",
    "PD108": "a property that does more than look",
    "PD109": "a value of one path that turns up in another",
    "PD110": "aliasing: one mutable object in two places",
    "PD201": "no such spec, scenario or property",
    "PD202": "an expectation that names no property or no verdict",
    "PD203": "a parameter that does not exist or has a wrong value",
    "PD204": "a command line that asks for something contradictory",
    "PD301": "a state or a trace that is not one of the spec's",
    "PD401": "no such source folder or file",
    "PD402": "no such class or function in the source",
    "PD403": "a decorator that the lift does not know to be harmless",
    "PD404": "a source file that cannot be read or is not Python",
    "PD405": "a name in lifted code that is neither modelled, constant nor ignored",
    "PD406": "an ignored value that the lifted code uses",
    "PD407": "a lifted function whose class chain cannot be followed",
}


class SpecError(Exception):
    """One problem that the author can mend: where, what, and what to write instead."""

    def __init__(self, code: str, message: str, *, span: SourceSpan | None = None, hint: str | None = None) -> None:
        assert code in CODES, code
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{place}{self.code}: {self.message}{hint}"


def did_you_mean(word: str, possible: Iterable[str]) -> str:
    """`; did you mean 'x'?` where one of `possible` is close to `word`, else nothing."""
    close = difflib.get_close_matches(word, list(possible), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
