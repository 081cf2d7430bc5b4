"""The commands, and what a process says and exits with when something goes wrong.

The commands of click only read the arguments; each returns what there is to do, which then runs outside of click.
Exit codes, the worst first: 70 pdspec itself failed, 2 a spec, a source or the command line is wrong, 1 an
expectation is not met, 3 inconclusive, 0. A reader that closes the pipe ends pdspec silently with 141, as SIGPIPE
does.
"""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from pdspec import __version__
from pdspec.cli.show import complain, looking
from pdspec.errors import SpecError

Job = Callable[[], int]

_BROKEN_PIPE = 141


def main() -> NoReturn:
    """Runs the command of this process and exits with its code."""
    # Tracing makes many small objects that live as long as a path; the default collects far too often for that.
    gc.set_threshold(50_000, 20, 20)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs a command and gives its exit code. All that is left of an exception is a message on standard error."""
    try:
        job = cli.main(list(arguments), prog_name="pdspec", standalone_mode=False)
        code: int = job() if callable(job) else job or 0
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SpecError as error:
        complain(str(error))
        return 2
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        return 3
    except BrokenPipeError:
        # What is left in the buffer would be written, and fail, once more when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except MemoryError:
        complain("out of memory: --states-max ends a run before that")
        return 3
    except Exception as error:
        _our_bug(error)
        return 70
    return code


def _our_bug(error: Exception) -> None:
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    complain(
        f"pdspec failed: {what}\n"
        "  This is a bug of pdspec, not of your spec. Please report it, with the spec and the command."
    )
    if os.environ.get("PDSPEC_TRACEBACK") == "1":
        import traceback

        complain("".join(traceback.format_exception(error)).rstrip())
    else:
        complain("  PDSPEC_TRACEBACK=1 adds the traceback.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="pdspec", message="%(prog)s %(version)s")
def cli() -> None:
    """A model checker for Python engineers: a specification is a Python class that reads like the code it models."""


def _settings(_context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{text!r} is not NAME=VALUE; for example --set rooms=2")
        if name.strip() in settings:
            raise click.BadParameter(f"{name.strip()!r} is set twice")
        settings[name.strip()] = value.strip()
    return settings


def _seconds(_context: click.Context, _parameter: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None and not (seconds > 0 and math.isfinite(seconds)):
        raise click.BadParameter(f"{seconds:g} is not a number of seconds above 0")
    return seconds


def _path(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Path | None:
    return None if text is None else Path(text)


_spec = click.argument("spec", metavar="SPEC", callback=_path)
_set = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_settings,
    help="Change a parameter, from its default or from --scenario; then every property is expected to hold.",
)
_source = click.option("--source", metavar="DIR", callback=_path, help="The source of a release, for lifted functions.")
_paths_max = click.option(
    "--paths-max",
    metavar="N",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Refuse an action with more paths.",
)
_color = click.option(
    "--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True, help="Colours."
)


@cli.command()
@_spec
@click.option("--scenario", "scenarios", multiple=True, metavar="NAME", help="Ask this scenario only, slow or not.")
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="Ask this property only, and show its trace."
)
@_set
@_source
@click.option("--states-max", metavar="N", type=click.IntRange(min=1), help="Stop after N states: inconclusive.")
@click.option("--seconds-max", metavar="S", type=float, callback=_seconds, help="Stop after S seconds: inconclusive.")
@click.option("--first", is_flag=True, help="Stop at the first violation; what is not decided by then is inconclusive.")
@click.option("--self-check", is_flag=True, help="Compare what was traced with plain runs of the methods, too.")
@click.option("--all", "every", is_flag=True, help="Ask slow scenarios, too.")
@_paths_max
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Output."
)
@_color
def check(form: str, color: str, **arguments: Any) -> Job:
    """Ask the scenarios of a spec file.

    A property is expected to hold unless its scenario says otherwise. Exit code 0: every verdict is the expected one;
    1: one is not; 3: a limit was met; 2: a spec or this command line is wrong; 70: pdspec failed.
    """

    def job() -> int:
        from pdspec.cli.check import Request, run_check

        return run_check(Request(form=form, **arguments), looking(color))

    return job


@cli.command()
@_spec
@click.option("--scenario", metavar="NAME", help="The Model of this scenario; of the default parameters otherwise.")
@_set
@_source
@_paths_max
@click.option("--json", "as_json", is_flag=True, help="The whole Model in its canonical JSON form (docs/json.md).")
@_color
def model(as_json: bool, color: str, **arguments: Any) -> Job:
    """Show what a spec is traced to: slots, guarded steps, properties."""

    def job() -> int:
        from pdspec.cli.model import run_model

        return run_model(**arguments, as_json=as_json, look=looking(color))

    return job


@cli.command()
@_spec
@click.option("--source", metavar="DIR", required=True, callback=_path, help="The source of a release.")
@click.option(
    "--lift", "reference", metavar="FILE::NAME", help="This function in place of the one that the spec lifts."
)
@_color
def table(spec: Path, source: Path, reference: str | None, color: str) -> Job:
    """Print what a lifted function makes of each value."""

    def job() -> int:
        from pdspec.cli.model import run_table

        return run_table(spec, source, reference, looking(color))

    return job
