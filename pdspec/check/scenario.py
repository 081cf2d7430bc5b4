"""Asks one scenario: traces its spec, explores it, and compares the verdicts with what is expected."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdspec.check.expect import check_actions, check_names, expectation_text, meets
from pdspec.errors import SpecError, did_you_mean
from pdspec.explicit.answer import check_model
from pdspec.explicit.explore import Progress
from pdspec.lang.decorate import Property
from pdspec.lang.ground import ground
from pdspec.lang.load import SpecFile
from pdspec.lang.scenario import Expectation, Scenario
from pdspec.lang.spec import BUILT_IN_PROPERTIES, Spec, members
from pdspec.lang.trace import PATHS_MAX, OutOfTime
from pdspec.lift.lifted import ignored_names, with_source
from pdspec.model.model import Model
from pdspec.model.tree import Disabled, leaves
from pdspec.verdict import Evidence, Holds, Inconclusive, Limits, PropertyError, Verdict, Violation

if TYPE_CHECKING:
    from pdspec.lift.meaning import SourceTree
    from pdspec.semantics.oracle import SelfCheck


@dataclass(frozen=True)
class Options:
    """How to ask. `properties` restricts what is asked; `source` is the folder of a release."""

    limits: Limits = Limits()
    properties: tuple[str, ...] = ()
    first: bool = False
    self_check: bool = False
    paths_max: int = PATHS_MAX
    source: Path | None = None
    progress: Progress | None = None

    @functools.cached_property
    def tree(self) -> SourceTree:
        """The source folder, each file of it parsed once for all scenarios."""
        from pdspec.lift.meaning import SourceTree

        assert self.source is not None
        return SourceTree(self.source)


@dataclass(frozen=True, slots=True)
class PropertyReport:
    """A property's verdict beside what was expected of it."""

    name: str
    kind: str
    verdict: Verdict
    expected: str
    met: bool


@dataclass(frozen=True)
class ScenarioReport:
    """What came out of one scenario.

    `not_run` says why nothing was asked, `stopped` what ended it before there was an answer.
    """

    scenario: Scenario
    model: Model | None = None
    evidence: Evidence | None = None
    properties: tuple[PropertyReport, ...] = ()
    not_run: str | None = None
    stopped: str | None = None
    expectations: str = "the scenario's"
    source: str | None = None
    ignored: tuple[str, ...] = ()
    trace_seconds: float = 0.0
    self_check: SelfCheck | None = None
    notes: tuple[str, ...] = field(default=())

    def met(self) -> bool:
        """Whether every verdict is the expected one. A scenario that was not run fails nothing."""
        return all(report.met for report in self.properties)

    def interrupted(self) -> bool:
        """Whether a keyboard interrupt ended it."""
        by_hand = self.evidence is not None and self.evidence.stopped_by == "a keyboard interrupt"
        return by_hand or (self.stopped or "").startswith("interrupted")


def needs_source(scenario: Scenario) -> bool:
    """Whether the scenario is about a release's own source."""
    return bool(scenario.expect_source) or "source" in scenario.spec.parameters().values()


def select(file: SpecFile, names: Sequence[str]) -> list[Scenario]:
    """The scenarios of these names, in the order of the file; all where none is named. SpecError PD201 for an unknown
    one.
    """
    known = [scenario.name for scenario in file.scenarios]
    for name in names:
        if name not in known:
            possible = ", ".join(repr(each) for each in known)
            raise SpecError(
                "PD201", f"{file.path} has no scenario {name!r}; it has {possible}{did_you_mean(name, known)}"
            )
    return [scenario for scenario in file.scenarios if not names or scenario.name in names]


def with_settings(file: SpecFile, scenario: Scenario | None, settings: Mapping[str, str]) -> Scenario:
    """One run with some parameters changed, from a scenario or from the defaults, without expectations."""
    if scenario is None:
        if len(file.specs) != 1:
            possible = ", ".join(cls.__name__ for cls in file.specs)
            message = f"{file.path} defines several specs ({possible}): --set needs --scenario NAME to start from"
            raise SpecError("PD204", message)
        spec: Spec = file.specs[0]()
    else:
        spec = scenario.spec
    known = type(spec)._parameters
    values: dict[str, Any] = {}
    for name, text in settings.items():
        if name not in known:
            possible = ", ".join(known) or "none"
            message = f"{type(spec).__name__} has no parameter {name!r}; it has: {possible}{did_you_mean(name, known)}"
            raise SpecError("PD203", message)
        values[name] = known[name].parse(text)
    shown = ", ".join(f"{name}={text}" for name, text in settings.items())
    base = f"{scenario.name}, " if scenario is not None else ""
    return Scenario(f"{base}{shown}", spec.with_parameters(**values), span=scenario.span if scenario else None)


def check_properties(spec: Spec, wanted: Sequence[str]) -> None:
    """SpecError PD201 for a property that the spec does not have."""
    known = [name for name, member in members(type(spec)).items() if isinstance(member, Property)]
    for name in wanted:
        if name not in known and name not in BUILT_IN_PROPERTIES:
            possible = ", ".join([*known, *BUILT_IN_PROPERTIES])
            near = did_you_mean(name, [*known, *BUILT_IN_PROPERTIES])
            raise SpecError("PD201", f"{type(spec).__name__} has no property {name!r}; it has {possible}{near}")


def ask(scenario: Scenario, options: Options, *, expected: bool = True) -> ScenarioReport:
    """Runs the scenario. Without `expected` every property must hold, whatever the scenario says."""
    spec = scenario.spec
    check_properties(spec, options.properties)
    expect: Mapping[str, Expectation] = scenario.expect if expected else {}
    whose = "the scenario's" if expected else "none: every property must hold"
    release = None
    if needs_source(scenario):
        if options.source is None:
            return ScenarioReport(scenario, not_run="it is about a release's own source: give --source DIR")
        spec = with_source(spec, options.tree)
        release = options.source.resolve().name
        if expected and scenario.expect_source:
            known = scenario.expect_source.get(release)
            expect = known if known is not None else {}
            whose = f"those for {release}" if known is not None else f"none for {release}: every property must hold"
    started = time.monotonic()
    seconds = options.limits.seconds_max
    deadline = None if seconds is None else started + seconds
    try:
        model, layout = ground(
            spec, properties=options.properties or None, paths_max=options.paths_max, deadline=deadline
        )
    except OutOfTime:
        return ScenarioReport(scenario, stopped=f"the limit of {seconds:g} seconds while tracing")
    except (KeyboardInterrupt, MemoryError) as error:
        return ScenarioReport(scenario, stopped=f"{_ended_by(error)} while tracing")
    traced = time.monotonic() - started
    names = [name for name, member in members(type(spec)).items() if isinstance(member, Property)]
    for every in (scenario.expect, *scenario.expect_source.values()):
        check_names(scenario.name, every, [*names, *BUILT_IN_PROPERTIES], scenario.span)
        check_actions(scenario.name, every, [action.action for action in model.actions], scenario.span)
    checked = None
    try:
        if options.self_check:
            from pdspec.semantics.oracle import self_check

            checked = self_check(spec, model, layout)
        limits = options.limits
        if deadline is not None:
            limits = replace(limits, seconds_max=max(0.0, deadline - time.monotonic()))
        evidence, verdicts = check_model(model, limits, first=options.first, progress=options.progress)
    except (KeyboardInterrupt, MemoryError) as error:
        return ScenarioReport(scenario, model, stopped=f"{_ended_by(error)} while answering", trace_seconds=traced)
    for name in names:
        if name not in verdicts and (not options.properties or name in options.properties):
            verdicts[name] = Holds(None, "asked of nothing: its arguments have no value")
    found = members(type(spec))
    kinds = {name: str(member.kind) for name, member in found.items() if isinstance(member, Property)}
    reports = []
    for name, verdict in verdicts.items():
        # What makes the answer inconclusive is told, whether it was asked or not.
        told = name == "bounds" and isinstance(verdict, Violation)
        if options.properties and name not in options.properties and not told:
            continue
        wanted = expect.get(name, "holds")
        report = PropertyReport(name, kinds.get(name, name), verdict, expectation_text(wanted), meets(verdict, wanted))
        reports.append(report)
    return ScenarioReport(
        scenario,
        model,
        evidence,
        tuple(reports),
        expectations=whose,
        source=str(options.source) if release is not None else None,
        ignored=ignored_names(type(spec)) if release is not None else (),
        trace_seconds=traced,
        self_check=checked,
        notes=_never_enabled(model),
    )


def _ended_by(error: BaseException) -> str:
    return "interrupted" if isinstance(error, KeyboardInterrupt) else "out of memory"


def _never_enabled(model: Model) -> tuple[str, ...]:
    """A note on the actions that no state enables, reachable or not: a mistyped `require` is easily made."""
    asleep = dict.fromkeys(action.action for action in model.actions)
    for action in model.actions:
        if not all(isinstance(leaf, Disabled) for leaf in leaves(action.tree)):
            asleep.pop(action.action, None)
    return (f"never enabled, whatever the state: {', '.join(asleep)}",) if asleep else ()


def exit_code(reports: Sequence[ScenarioReport]) -> int:
    """The worst of: 70 the self-check failed, 2 a property failed, 1 an expectation is not met, 3 inconclusive, 0."""
    verdicts = [report for scenario in reports for report in scenario.properties]
    if any(report.self_check is not None and report.self_check.mismatches for report in reports):
        return 70
    if any(isinstance(report.verdict, PropertyError) for report in verdicts):
        return 2
    if any(not report.met and not isinstance(report.verdict, Inconclusive) for report in verdicts):
        return 1
    if any(report.stopped is not None for report in reports):
        return 3
    return 3 if any(isinstance(report.verdict, Inconclusive) for report in verdicts) else 0
