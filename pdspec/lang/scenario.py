"""Scenarios: a setting of parameters with the verdicts that it must have."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pdspec.errors import SpecError
from pdspec.lang.spec import Spec
from pdspec.source import SourceSpan


@dataclass(frozen=True, slots=True)
class Violated:
    """Expects a violation, and which one: its number of steps, last action and exception, where these are given."""

    steps: int | None = None
    last: str | None = None
    exception: type[BaseException] | None = None


Expectation = Literal["holds", "violated", "proved"] | Violated
Expected = Mapping[str, Expectation]


@dataclass(frozen=True)
class Scenario:
    """A named setting. Every property is expected to hold unless `expect` says otherwise.

    `why` explains the verdicts in a sentence. A `slow` scenario is run by `--all` only. `expect_source` maps the name
    of a release to what is expected with that release's source (`--source`).
    """

    name: str
    spec: Spec
    expect: Mapping[str, Expectation] = field(default_factory=dict)
    expect_source: Mapping[str, Mapping[str, Expectation]] = field(default_factory=dict, kw_only=True)
    why: str = field(default="", kw_only=True)
    slow: bool = field(default=False, kw_only=True)
    span: SourceSpan | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.span is None:
            frame = sys._getframe(2)
            object.__setattr__(self, "span", SourceSpan(frame.f_code.co_filename, frame.f_lineno))
        given: object = self.spec
        if not isinstance(given, Spec):
            hint = f"Scenario({self.name!r}, TheSpec(rooms=2), expect=...)"
            raise SpecError("PD202", f"scenario {self.name!r}: {given!r} is no spec", span=self.span, hint=hint)
        for expected in (self.expect, *self.expect_source.values()):
            for name, verdict in expected.items():
                if not isinstance(verdict, Violated) and verdict not in ("holds", "violated", "proved"):
                    raise SpecError(
                        "PD202",
                        f"scenario {self.name!r}: {name} is expected to be {verdict!r}; "
                        "allowed: 'holds', 'violated', 'proved', Violated(...)",
                        span=self.span,
                    )
