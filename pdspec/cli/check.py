"""`pdspec check`: asks the chosen scenarios one after the other, and says what comes out as it comes.

A problem of one scenario does not lose the others' results. A keyboard interrupt ends the scenario that runs as
inconclusive, and those after it are not run.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

import pdspec
from pdspec.check.scenario import (
    Options,
    ScenarioReport,
    ask,
    check_properties,
    exit_code,
    select,
    with_settings,
)
from pdspec.cli.show import ProgressLine, say
from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.load import SpecFile, load_file
from pdspec.lang.scenario import Scenario
from pdspec.report.document import failed_document, written
from pdspec.report.formats import FORMATS
from pdspec.report.look import Look
from pdspec.report.run import Parameter, PropertyResult, Question, ScenarioResult, SelfCheckResult, worst
from pdspec.source import SourceSpan
from pdspec.verdict import Limits

_SLOW = "slow: give --all"


@dataclass(frozen=True, kw_only=True)
class Request:
    """A command line of `pdspec check`."""

    spec: Path
    scenarios: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    source: Path | None = None
    states_max: int | None = None
    seconds_max: float | None = None
    first: bool = False
    self_check: bool = False
    every: bool = False
    paths_max: int = 10_000
    form: str = "text"

    def command(self, scenario: Scenario) -> tuple[str, ...]:
        """The command that asks one of the scenarios alone."""
        words = ["pdspec", "check", str(self.spec)]
        names = self.scenarios if self.settings else (scenario.name,)
        words += [word for name in names for word in ("--scenario", name)]
        words += [word for name, value in self.settings.items() for word in ("--set", f"{name}={value}")]
        limits = {"--source": self.source, "--states-max": self.states_max, "--seconds-max": self.seconds_max}
        words += [word for name, value in limits.items() if value is not None for word in (name, str(value))]
        return (*words, "--first") if self.first else tuple(words)


@dataclass(frozen=True)
class _Chosen:
    scenario: Scenario
    properties: tuple[str, ...]
    not_run: str | None


def run_check(request: Request, look: Look) -> int:
    """Asks, says what comes out, and gives the exit code. SpecError for what is wrong before anything was asked."""
    try:
        question, answers = asked(request)
    except SpecError as problem:
        if request.form == "json":
            say(written(failed_document(pdspec.__version__, str(request.spec), problem)))
        raise
    results: list[ScenarioResult] = []
    for part in FORMATS[request.form](question, _kept(answers, results), look):
        say(part)
    return worst(results)


def asked(request: Request) -> tuple[Question, Iterator[ScenarioResult]]:
    """What there is to say: the question at once, and each scenario's result as it comes."""
    file = loaded(request.spec)
    if request.source is not None:
        check_source(request.source)
    chosen = _choose(request, file)
    roots = tuple(dict.fromkeys(str(root) for root in (request.source, Path.cwd()) if root is not None))
    question = Question(pdspec.__version__, str(request.spec), len(chosen), request.properties, roots)
    return question, _results(request, chosen)


def _kept(results: Iterator[ScenarioResult], kept: list[ScenarioResult]) -> Iterator[ScenarioResult]:
    for result in results:
        kept.append(result)
        yield result


def loaded(path: Path) -> SpecFile:
    """The spec file, run. What it prints goes to standard error."""
    if path.is_dir():
        inside = sorted(str(each) for each in path.glob("*.py"))
        hint = f"it has {', '.join(inside[:8])}" if inside else None
        raise SpecError("PD101", f"{path} is a folder, not a spec file", hint=hint)
    with redirect_stdout(sys.stderr):
        return load_file(path)


def check_source(source: Path) -> None:
    """SpecError PD401 where the folder of a release is not there."""
    if not source.is_dir():
        beside = [each.name for each in source.parent.glob("*") if each.is_dir()] if source.parent.is_dir() else []
        what = "is a file, not a folder" if source.exists() else "does not exist"
        hint = "the folder that holds the package, such as .cache/sglang/0.5.15"
        raise SpecError("PD401", f"the source {source} {what}{did_you_mean(source.name, beside)}", hint=hint)


def problem_of(error: Exception, spec: Path) -> SpecError | None:
    """The author's problem that an exception stands for, where it was raised by the spec and not by pdspec."""
    if isinstance(error, SpecError):
        return error
    ours, theirs = Path(pdspec.__file__).resolve().parent, spec.resolve().parent
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename).resolve()
        if path.is_relative_to(ours) or frame.filename.startswith("<pdspec"):
            # An unknown attribute of a spec is the author's, although it is looked up by pdspec.
            if frame.name == "__getattr__" and isinstance(error, AttributeError):
                continue
            return None
        if path.is_relative_to(theirs):
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            span = SourceSpan(frame.filename, frame.lineno or 1)
            return SpecError("PD101", f"{frame.name} raises {what}", span=span)
    return None


def _choose(request: Request, file: SpecFile) -> list[_Chosen]:
    scenarios = select(file, request.scenarios)
    if request.settings:
        if len(request.scenarios) > 1:
            raise SpecError("PD204", "--set changes one scenario, and --scenario names several")
        scenarios = [with_settings(file, scenarios[0] if request.scenarios else None, request.settings)]
    for name in request.properties:
        if not any(_has(scenario, name) for scenario in scenarios):
            check_properties(scenarios[0].spec, [name])
    by_name = bool(request.scenarios or request.settings)
    chosen = []
    for scenario in scenarios:
        properties = tuple(name for name in request.properties if _has(scenario, name))
        reason = None
        if request.properties and not properties:
            reason = f"{type(scenario.spec).__name__} has no such property"
        elif scenario.slow and not request.every and not by_name:
            reason = _SLOW
        chosen.append(_Chosen(scenario, properties, reason))
    return chosen


def _has(scenario: Scenario, name: str) -> bool:
    try:
        check_properties(scenario.spec, [name])
    except SpecError:
        return False
    return True


def _results(request: Request, chosen: Sequence[_Chosen]) -> Iterator[ScenarioResult]:
    progress = ProgressLine()
    options = Options(
        limits=Limits(request.states_max, request.seconds_max),
        first=request.first,
        self_check=request.self_check,
        paths_max=request.paths_max,
        source=request.source,
        progress=progress.update,
    )
    interrupted = False
    for each in chosen:
        blank = _blank(request, each.scenario)
        if each.not_run is not None:
            result = replace(blank, not_run=each.not_run)
        elif interrupted:
            result = replace(blank, not_run="interrupted before", exit_code=3)
        else:
            progress.begin(each.scenario.name)
            try:
                with redirect_stdout(sys.stderr):
                    report = ask(
                        each.scenario, replace(options, properties=each.properties), expected=not request.settings
                    )
            except KeyboardInterrupt:
                interrupted = True
                result = replace(blank, stopped="interrupted", exit_code=3)
            except Exception as error:
                problem = problem_of(error, request.spec)
                if problem is None:
                    raise
                problem.span = problem.span or each.scenario.span
                result = replace(blank, problem=problem, exit_code=2)
            else:
                interrupted = report.interrupted()
                result = _filled(blank, report)
            finally:
                progress.erase()
        yield result


def _blank(request: Request, scenario: Scenario) -> ScenarioResult:
    spec = scenario.spec
    parameters = []
    for name, value in spec.parameters().items():
        known = type(spec)._parameters[name]
        is_size = known.type is int and known.allowed is None
        shown = value.name if isinstance(value, Enum) else value
        parameters.append(Parameter(name, shown, value == known.default, is_size))
    return ScenarioResult(
        name=scenario.name,
        spec=type(spec).__name__,
        parameters=tuple(parameters),
        exit_code=0,
        command=request.command(scenario),
        why=scenario.why,
        span=scenario.span,
    )


def _filled(blank: ScenarioResult, report: ScenarioReport) -> ScenarioResult:
    checked = report.self_check
    own = report.expectations == "the scenario's"
    return replace(
        blank,
        exit_code=exit_code([report]),
        model=report.model,
        evidence=report.evidence,
        properties=tuple(PropertyResult(p.name, p.kind, p.verdict, p.expected, p.met) for p in report.properties),
        not_run=report.not_run,
        stopped=report.stopped,
        expectations=None if own else report.expectations.replace(": ", ", "),
        source=report.source,
        ignored=report.ignored,
        notes=report.notes,
        trace_seconds=report.trace_seconds,
        self_check=SelfCheckResult(checked.valuations, tuple(map(str, checked.mismatches))) if checked else None,
    )
