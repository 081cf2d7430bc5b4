"""A Model in short, for people: its variables and what each can hold, its steps, its properties."""

from __future__ import annotations

from pdspec.model.model import Model
from pdspec.model.tree import Update, leaves
from pdspec.report.grid import grid_lines
from pdspec.report.look import PLAIN, Line, Look, painted, printable, shortened
from pdspec.report.run import kind_text

_DOMAIN_MAX = 60


def outline(model: Model, look: Look) -> str:
    """The Model's slots, actions and properties, a line each."""
    slots = []
    for slot in model.slots:
        values = ", ".join(printable(name) for name in slot.domain.names)
        shown = shortened(values, min(_DOMAIN_MAX, look.width - 40), look)
        slots.append((slot.name, str(len(slot.domain.codes)), shown))
    actions = []
    for action in model.actions:
        updates = sum(isinstance(leaf, Update) for leaf in leaves(action.tree))
        actions.append((action.label(), action.process, str(updates)))
    properties = [(instance.label(), kind_text(instance.kind)) for instance in model.properties]
    lines: list[Line] = [[("strong", model.name)]]
    if model.parameters:
        inside = ", ".join(f"{name}={value}" for name, value in model.parameters)
        lines.append([(PLAIN, f"  {printable(inside)}")])
    lines.append([(PLAIN, f"  {len(model.initial):,} initial state{'' if len(model.initial) == 1 else 's'}")])
    lines.extend([[], *grid_lines(("slot", "size", "values"), slots)])
    lines.extend([[], *grid_lines(("action", "process", "paths"), actions)])
    if properties:
        lines.extend([[], *grid_lines(("property", "kind"), properties)])
    return painted(lines, look)
