"""`pdspec model` and `pdspec table`: what a spec, or a function that it lifts, comes to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pdspec.check.scenario import needs_source, select, with_settings
from pdspec.cli.check import check_source, loaded, problem_of
from pdspec.cli.show import say
from pdspec.conform.table import table
from pdspec.errors import SpecError
from pdspec.lang.ground import ground
from pdspec.lang.load import SpecFile
from pdspec.lang.spec import Spec
from pdspec.lift.lifted import lifted_members, with_source
from pdspec.lift.meaning import SourceTree
from pdspec.model.json import model_json
from pdspec.report.document import written
from pdspec.report.grid import grid_lines
from pdspec.report.interleaving import place_text
from pdspec.report.look import Look, painted
from pdspec.report.outline import outline


def run_model(
    spec: Path,
    scenario: str | None,
    settings: Mapping[str, str],
    source: Path | None,
    paths_max: int,
    as_json: bool,
    look: Look,
) -> int:
    """Says the Model of a scenario, or of the default parameters."""
    file = loaded(spec)
    start = select(file, [scenario])[0] if scenario is not None else None
    chosen = with_settings(file, start, settings)
    asked = chosen.spec
    if source is not None:
        check_source(source)
        asked = with_source(asked, SourceTree(source))
    elif needs_source(chosen):
        raise SpecError("PD401", f"{chosen.name!r} is about a release's own source", hint="give --source DIR")
    try:
        model, _ = ground(asked, paths_max=paths_max)
    except Exception as error:
        problem = problem_of(error, spec)
        raise problem or error from None
    say(written(model_json(model)) if as_json else outline(model, look))
    return 0


def run_table(spec: Path, source: Path, reference: str | None, look: Look) -> int:
    """Says what a lifted function makes of every current and every written value."""
    file = loaded(spec)
    check_source(source)
    made = table(_lifting(file)(), SourceTree(source), reference)
    header = ("now \\ written", *made.written)
    rows = [(row.current, *row.after) for row in made.rows]
    place = place_text(made.span, (str(source), str(Path.cwd())))
    say(painted([[("strong", made.reference)], [("dim", f"  {place}")], [], *grid_lines(header, rows)], look))
    return 0


def _lifting(file: SpecFile) -> type[Spec]:
    """The spec of the file that lifts a function; where none does its only spec, so that it is said what is missing."""
    candidates = [cls for cls in file.specs if lifted_members(cls)] or list(file.specs)
    if len(candidates) != 1:
        names = ", ".join(cls.__name__ for cls in candidates) or "none"
        raise SpecError("PD204", f"{file.path} has several specs that could be meant ({names})")
    return candidates[0]
