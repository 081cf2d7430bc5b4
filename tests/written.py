"""Spec files that a test writes, and what the tracer, the engine and the reference make of them."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent, indent

from pdspec.errors import SpecError
from pdspec.lang.ground import ground
from pdspec.lang.layout import Layout
from pdspec.lang.load import load_file
from pdspec.lang.spec import Spec
from pdspec.model.model import Model, variable_texts
from pdspec.model.tree import Disabled, Leaf, Overflow, Raises, Update, apply, outcomes
from pdspec.semantics.oracle import self_check
from tests.agreement import Comparison, compare_file
from tests.random_values import PRELUDE


def written(folder: Path, members: str, top: str = "") -> Path:
    """A file with one Spec of these members, after the classes of random specs and what stands in `top`."""
    path = folder / "written_spec.py"
    body = indent(dedent(members).strip("\n"), "    ")
    path.write_text(f"{PRELUDE}\n{dedent(top)}\n\nclass Written(Spec):\n{body}\n")
    return path


def with_step(state: str, step: str) -> str:
    """The members of a spec with these variables and one step of these lines."""
    declared = indent(dedent(state).strip("\n"), "    ")
    lines = indent(dedent(step).strip("\n"), "    ")
    return f"def state(self):\n{declared}\n\n@p.action\ndef step(self):\n{lines}\n"


def traced(folder: Path, members: str, top: str = "") -> tuple[Spec, Model, Layout]:
    """The spec, its Model and its layout."""
    spec = load_file(written(folder, members, top)).scenarios[0].spec
    return (spec, *ground(spec))


def outcome(folder: Path, state: str, step: str, start: str = "", *, more: str = "", top: str = "") -> str:
    """What a step does: the variables that it changes, "nothing", "disabled", "bound" or "raises X".

    It starts from the first initial state, changed by `start`, as in "n=1, c=Color.red". Of a step that chooses, the
    outcomes that are not disabled stand in order, joined by " | ". Fails unless the method on plain values does the
    same in all states, or in many of them.
    """
    spec, model, layout = traced(folder, with_step(state, step) + dedent(more), top)
    assert self_check(spec, model, layout, limit=400).mismatches == ()
    values = eval(f"dict({start})", vars(sys.modules[type(spec).__module__]))
    codes = layout.encode(layout.decode(model.initial[0].state) | values)
    found = [(choices, _said(model, codes, leaf)) for choices, leaf in outcomes(model.actions[0].tree, codes)]
    if len(found) == 1:
        return found[0][1]
    return " | ".join(said for _, said in found if said != "disabled")


def _said(model: Model, before: tuple[int, ...], leaf: Leaf) -> str:
    match leaf:
        case Update():
            old, new = variable_texts(model, before), variable_texts(model, apply(leaf, before))
            return ", ".join(f"{name} = {text}" for name, text in new.items() if text != old[name]) or "nothing"
        case Disabled():
            return "disabled"
        case Raises(exception):
            return f"raises {exception}"
        case Overflow():
            return "bound"
        case _:
            raise AssertionError(leaf)


def compared(folder: Path, members: str, top: str = "") -> Comparison:
    """What both sides say of it; fails where it is refused."""
    found = compare_file(written(folder, members, top), valuations=150)
    assert found.refused is None, found.refused
    return found


def refusal(folder: Path, members: str, top: str = "") -> SpecError:
    """The error that it is refused with; fails where it is not."""
    found = compare_file(written(folder, members, top), valuations=1)
    assert found.refused is not None, "it was traced"
    return found.refused


def line_of(folder: Path, text: str) -> int:
    """The number of the only line of the written file that holds `text`."""
    lines = (folder / "written_spec.py").read_text().splitlines()
    found = [number for number, line in enumerate(lines, start=1) if text in line]
    assert len(found) == 1, found
    return found[0]
