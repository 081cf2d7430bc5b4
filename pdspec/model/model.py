"""The Model: all that an engine, a report or another tool may know of a spec.

It is ground: parameters, quantifiers and argument domains are expanded, every action instance and every property
instance has a decision tree of its own over one flat tuple of slots. The order of everything here is the order in which
engines enumerate, so that runs repeat exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pdspec.model.shape import Domain, Shape, shape_text
from pdspec.model.tree import Choices, Tree
from pdspec.source import SourceSpan

PropertyKind = Literal["invariant", "step_invariant", "reachable", "always_possible"]


@dataclass(frozen=True, slots=True)
class SlotInfo:
    """One finite component of the state.

    `name` is for people: `request_status[0]`. `first` is the code that it holds where it means nothing.
    """

    name: str
    domain: Domain
    first: int


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """`fair` is "weak", "strong" or None; it concerns the set of all transitions of the process."""

    name: str
    fair: str | None


@dataclass(frozen=True, slots=True)
class Initial:
    """An initial state and the choices that made it."""

    state: tuple[int, ...]
    choices: Choices = ()


@dataclass(frozen=True, slots=True)
class ActionInstance:
    """An action with its arguments. `tree` ends in Update, Disabled, Raises or Overflow."""

    action: str
    process: str
    args: tuple[tuple[str, str], ...]
    tree: Tree
    span: SourceSpan | None = field(default=None, compare=False)

    def label(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in self.args)
        return f"{self.action}({inside})"


@dataclass(frozen=True, slots=True)
class PropertyInstance:
    """A property with its arguments.

    `trees` has one tree, or, for a step invariant, one for each action instance. They end in Answer or Raises.
    `without` are the numbers of the action instances that an always_possible does not count on.
    """

    property: str
    kind: PropertyKind
    args: tuple[tuple[str, str], ...]
    trees: tuple[Tree, ...]
    without: frozenset[int] = frozenset()
    span: SourceSpan | None = field(default=None, compare=False)

    def label(self) -> str:
        if not self.args:
            return self.property
        return f"{self.property}({', '.join(f'{name}={value}' for name, value in self.args)})"


@dataclass(frozen=True, slots=True)
class DerivedValue:
    """A named value of the state; `tree` ends in Shown or Raises."""

    name: str
    tree: Tree


@dataclass(frozen=True, slots=True)
class Model:
    """A spec with its parameters, ground."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    slots: tuple[SlotInfo, ...]
    variables: tuple[Variable, ...]
    processes: tuple[ProcessInfo, ...]
    initial: tuple[Initial, ...]
    actions: tuple[ActionInstance, ...]
    properties: tuple[PropertyInstance, ...]
    final: Tree | None
    derived: tuple[DerivedValue, ...]
    ignored: tuple[str, ...] = ()

    def domains(self) -> tuple[Domain, ...]:
        return tuple(slot.domain for slot in self.slots)

    def property_names(self) -> tuple[str, ...]:
        """The names of the properties, each once, in the order of the spec."""
        return tuple(dict.fromkeys(instance.property for instance in self.properties))


def variable_texts(model: Model, state: Sequence[int]) -> dict[str, str]:
    """Each variable's value in `state`, written as Python would."""
    domains = model.domains()
    return {variable.name: shape_text(variable.shape, domains, state) for variable in model.variables}
