"""Expectations: what a scenario says of a property, and whether a verdict meets it. Inconclusive and error meet
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.scenario import Expectation, Violated
from pdspec.source import SourceSpan
from pdspec.verdict import Holds, Inconclusive, PropertyError, Verdict, Violation


def expectation_text(expectation: Expectation) -> str:
    """An expectation as reports write it: `holds`, `violated (9 steps, last poll)`."""
    if not isinstance(expectation, Violated):
        return expectation
    parts = []
    if expectation.steps is not None:
        parts.append(f"{expectation.steps} step{'' if expectation.steps == 1 else 's'}")
    if expectation.last is not None:
        parts.append(f"last {expectation.last}")
    if expectation.exception is not None:
        parts.append(f"raising {expectation.exception.__name__}")
    return "violated" + (f" ({', '.join(parts)})" if parts else "")


def meets(verdict: Verdict, expectation: Expectation) -> bool:
    """Whether the verdict is the expected one. No engine of this version proves, so `proved` is never met."""
    match verdict:
        case Holds():
            return expectation == "holds"
        case Violation(trace):
            if not isinstance(expectation, Violated):
                return expectation == "violated"
            if expectation.steps is not None and (trace is None or trace.length() != expectation.steps):
                return False
            if expectation.last is not None and (trace is None or trace.last() != expectation.last):
                return False
            if expectation.exception is None:
                return True
            failure = trace.failure if trace is not None else None
            return failure is not None and failure.message.split(":")[0] == expectation.exception.__name__
        case Inconclusive() | PropertyError():
            return False
        case _:
            assert_never(verdict)


def check_names(
    scenario: str, expected: Mapping[str, Expectation], possible: Iterable[str], span: SourceSpan | None
) -> None:
    """SpecError PD202 for an expectation about a property that does not exist."""
    known = list(possible)
    for name in expected:
        if name not in known:
            message = f"scenario {scenario!r} expects something of {name!r}, which is no property; "
            message += f"there are {', '.join(known)}"
            raise SpecError("PD202", message + did_you_mean(name, known), span=span)


def check_actions(
    scenario: str, expected: Mapping[str, Expectation], possible: Iterable[str], span: SourceSpan | None
) -> None:
    """SpecError PD202 for an expectation whose last action does not exist."""
    known = list(dict.fromkeys(possible))
    for name, expectation in expected.items():
        last = expectation.last if isinstance(expectation, Violated) else None
        if last is not None and last not in known:
            message = f"scenario {scenario!r} expects {name} to be violated by {last!r}, which is no action; "
            raise SpecError("PD202", f"{message}there are {', '.join(known)}{did_you_mean(last, known)}", span=span)
