"""What there is to say about a run: each scenario with its verdicts, beside what was asked and how.

The command line fills these in as scenarios finish; every format reads only them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdspec.errors import SpecError
from pdspec.model.model import Model
from pdspec.source import SourceSpan
from pdspec.trace import Trace
from pdspec.verdict import Evidence, Holds, Inconclusive, PropertyError, Verdict, Violation

ParameterValue = bool | int | str

# Exit codes, the worst first. 4 and 5 are kept for passes that show nothing and for drift.
EXIT_CODES = {
    70: "pdspec itself failed",
    2: "a spec, a source folder or the command line is wrong",
    1: "an expectation is not met",
    3: "inconclusive",
    4: "a pass that shows nothing",
    5: "the modelled source has changed",
    0: "everything is as expected",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's value in one scenario. `is_size` says that a larger one is another question."""

    name: str
    value: ParameterValue
    is_default: bool
    is_size: bool


@dataclass(frozen=True, slots=True)
class PropertyResult:
    """A property's verdict beside what was expected of it."""

    name: str
    kind: str
    verdict: Verdict
    expected: str
    met: bool

    def trace(self) -> Trace | None:
        """The behaviour that shows the verdict, where there is one."""
        match self.verdict:
            case Violation(trace) | Holds(trace) | PropertyError(trace):
                return trace
            case Inconclusive():
                return None


@dataclass(frozen=True, slots=True)
class SelfCheckResult:
    """How many valuations the Model was compared with the methods on, and where the two differ."""

    compared: int
    mismatches: tuple[str, ...]


@dataclass(frozen=True)
class ScenarioResult:
    """What came out of one scenario.

    Either `not_run` says why nothing was asked, or `problem` why it could not be, or `stopped` what ended it before
    there was any verdict, or there are verdicts. `expectations` says whose the expectations are where they are not
    the scenario's own. `ignored` is what lifted code was not followed into; `command` asks this scenario alone.
    """

    name: str
    spec: str
    parameters: tuple[Parameter, ...]
    exit_code: int
    command: tuple[str, ...] = ()
    why: str = ""
    span: SourceSpan | None = None
    model: Model | None = None
    evidence: Evidence | None = None
    properties: tuple[PropertyResult, ...] = ()
    not_run: str | None = None
    problem: SpecError | None = None
    stopped: str | None = None
    expectations: str | None = None
    source: str | None = None
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trace_seconds: float = 0.0
    self_check: SelfCheckResult | None = None

    def was_run(self) -> bool:
        """Whether there are verdicts."""
        return self.not_run is None and self.problem is None and self.stopped is None


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked: which file, how many of its scenarios, and which properties where not all.

    `roots` are folders that text leaves out of the names of files; `version` is pdspec's.
    """

    version: str
    file: str
    scenarios: int
    properties: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()


def worst(results: Sequence[ScenarioResult]) -> int:
    """The exit code of a run: the worst of its scenarios'. A run that answered nothing is inconclusive, not a pass."""
    codes = {result.exit_code for result in results}
    code = next((code for code in EXIT_CODES if code in codes), 0)
    return 3 if code == 0 and not any(result.was_run() for result in results) else code


def verdict_word(verdict: Verdict) -> str:
    """A verdict in one word."""
    match verdict:
        case Holds():
            return "holds"
        case Violation():
            return "violated"
        case Inconclusive():
            return "inconclusive"
        case PropertyError():
            return "error"


def kind_text(kind: str) -> str:
    """A property's kind as the text says it; nothing for the properties that every spec has."""
    return "" if kind in ("deadlock", "exceptions", "bounds") else kind.replace("_", " ")
