"""Do the python engine, the reference and the path oracle agree on a spec?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pdspec.errors import SpecError
from pdspec.explicit.answer import check_model
from pdspec.lang.ground import ground
from pdspec.lang.layout import Layout
from pdspec.lang.load import load_file
from pdspec.lang.spec import Spec
from pdspec.model.model import Model
from pdspec.semantics import explore, objection
from pdspec.semantics.oracle import self_check
from pdspec.verdict import Evidence, Holds, Inconclusive, Limits, PropertyError, Verdict, Violation

NAMES = {Holds: "holds", Violation: "violated", Inconclusive: "inconclusive", PropertyError: "error"}


@dataclass
class Comparison:
    """What the two sides said, and every difference. `refused` has the code where the spec was refused."""

    refused: SpecError | None = None
    evidence: Evidence | None = None
    verdicts: dict[str, str] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)


def compare_file(path: Path, *, valuations: int = 200, paths_max: int = 2_000) -> Comparison:
    """Compares the first spec of a file."""
    try:
        spec = load_file(path).scenarios[0].spec
        model, layout = ground(spec, paths_max=paths_max)
    except SpecError as error:
        return Comparison(refused=error)
    return compare(spec, model, layout, valuations)


def compare(spec: Spec, model: Model, layout: Layout, valuations: int = 200) -> Comparison:
    """Compares a spec and its Model: counts, verdicts, lengths, traces, and all trees on some valuations."""
    limits = Limits(states_max=5_000)
    evidence, verdicts = check_model(model, limits)
    comparison = Comparison(None, evidence, {name: NAMES[type(verdict)] for name, verdict in verdicts.items()})
    report = comparison.differences.append
    try:
        reference = explore(spec, limits)
    except SpecError as error:
        report(f"the reference refuses what was traced: {error}")
        return comparison
    for name in ("states", "transitions", "depth", "terminal", "complete"):
        ours, theirs = getattr(evidence, name), getattr(reference.evidence, name)
        if ours != theirs:
            report(f"{name}: the engine counts {ours}, the reference {theirs}")
    if comparison.verdicts != dict(reference.verdicts):
        for name in sorted({*comparison.verdicts, *reference.verdicts}):
            ours, theirs = comparison.verdicts.get(name), reference.verdicts.get(name)
            if ours != theirs:
                report(f"{name}: the engine says {ours}, the reference {theirs}")
    for name, verdict in verdicts.items():
        for problem in _about(spec, layout, name, verdict, reference.lengths.get(name)):
            report(problem)
    for mismatch in self_check(spec, model, layout, valuations, mismatches_max=5).mismatches:
        report(f"oracle: {mismatch}")
    return comparison


def _about(spec: Spec, layout: Layout, name: str, verdict: Verdict, length: int | None) -> list[str]:
    """What is wrong with the trace of a verdict."""
    match verdict:
        case Violation(trace, instance, _):
            kind = "violated"
        case PropertyError(trace, instance, _, _):
            kind = "error"
        case Holds(trace, _):
            instance, kind = "", "holds"
        case Inconclusive():
            return []
    found = []
    if (trace.length() if trace else None) != length and not (kind == "holds" and length is None):
        found.append(f"{name}: the engine's trace has {trace and trace.length()} steps, the shortest {length}")
    if trace is not None and instance:
        problem = objection(spec, instance, trace, layout.decode, kind)
        if problem:
            found.append(f"{name}: the trace is not confirmed: {problem}")
    return found
