"""From a spec with its parameters to the Model: every action and property instance traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.declare import declare
from pdspec.lang.decorate import Action, Derived, Final, Process, Property, Step, span_of
from pdspec.lang.layout import Layout, shape_of
from pdspec.lang.spec import Spec, argument_values, members
from pdspec.lang.trace import (
    PATHS_MAX,
    Tracing,
    trace_derived,
    trace_property,
    trace_step,
    trace_step_property,
)
from pdspec.model.model import (
    ActionInstance,
    DerivedValue,
    Initial,
    Model,
    ProcessInfo,
    PropertyInstance,
    Variable,
)
from pdspec.model.text import value_text
from pdspec.model.tree import Tree

Args = tuple[tuple[str, str], ...]


def ground(
    spec: Spec,
    *,
    properties: Sequence[str] | None = None,
    paths_max: int = PATHS_MAX,
    deadline: float | None = None,
) -> tuple[Model, Layout]:
    """The Model of `spec`, and the layout that tells which slots are which variable.

    `properties` restricts which are traced; all are by default. SpecError for whatever the author can mend,
    OutOfTime when `deadline`, a time of `time.monotonic`, passes.
    """
    types, starts = declare(spec)
    layout = Layout()
    for name, of in types.items():
        layout.add(name, of)
    tracing = Tracing(spec, layout, paths_max, deadline)
    found = members(type(spec))
    grounded = _actions(tracing, found)
    actions = tuple(instance for instance, _ in grounded)
    unique: dict[tuple[int, ...], Initial] = {}
    for choices, values in starts:
        state = layout.encode(values)
        unique.setdefault(state, Initial(state, choices))
    model = Model(
        name=type(spec).__name__,
        parameters=tuple((name, value_text(value)) for name, value in spec.parameters().items()),
        slots=tuple(layout.slots),
        variables=tuple(Variable(name, shape_of(place)) for name, place in layout.places.items()),
        processes=_processes(found),
        initial=tuple(sorted(unique.values(), key=lambda initial: initial.state)),
        actions=actions,
        properties=_properties(tracing, found, grounded, properties),
        final=_final(tracing, found),
        derived=tuple(
            DerivedValue(name, trace_derived(tracing, f"derived {name}", member.function))
            for name, member in found.items()
            if isinstance(member, Derived)
        ),
    )
    return model, layout


def args_text(args: dict[str, Any]) -> Args:
    """Arguments as the Model names them."""
    return tuple((name, value_text(value)) for name, value in args.items())


def _label(name: str, args: Args) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in args)})" if args else name


# An action instance with the values of its arguments, which the Model knows as texts only.
_Grounded = tuple[ActionInstance, dict[str, Any]]


def _actions(tracing: Tracing, found: dict[str, Any]) -> tuple[_Grounded, ...]:
    instances = []
    for name, member in found.items():
        if not isinstance(member, Action):
            continue
        span = span_of(member.function)
        for args in argument_values(tracing.spec, member):
            texts = args_text(args)
            tree = trace_step(tracing, f"action {_label(name, texts)}", member.function, args)
            instances.append((ActionInstance(name, member.process.name, texts, tree, span), args))
    if not instances:
        raise SpecError(
            "PD103", f"{type(tracing.spec).__name__} has no action", hint="@process.action makes a method one"
        )
    return tuple(instances)


def _processes(found: dict[str, Any]) -> tuple[ProcessInfo, ...]:
    known: dict[str, Process] = {}
    for member in found.values():
        if isinstance(member, Action):
            other = known.setdefault(member.process.name, member.process)
            if other.fair != member.process.fair:
                raise SpecError("PD103", f"two processes are called {other.name!r} and differ in fairness")
    return tuple(ProcessInfo(process.name, process.fair) for process in known.values())


def _properties(
    tracing: Tracing, found: dict[str, Any], grounded: Sequence[_Grounded], wanted: Sequence[str] | None
) -> tuple[PropertyInstance, ...]:
    instances = []
    for name, member in found.items():
        if not isinstance(member, Property) or (wanted is not None and name not in wanted):
            continue
        without = _without(name, member, [action for action, _ in grounded])
        for args in argument_values(tracing.spec, member):
            texts = args_text(args)
            what = f"property {_label(name, texts)}"
            if member.kind == "step_invariant":
                trees = _step_trees(tracing, what, member, args, grounded)
            else:
                trees = (trace_property(tracing, what, member.function, args),)
            span = span_of(member.function)
            instances.append(PropertyInstance(name, member.kind, texts, trees, without, span))
    return tuple(instances)


def _step_trees(
    tracing: Tracing, what: str, member: Property, args: dict[str, Any], grounded: Sequence[_Grounded]
) -> tuple[Tree, ...]:
    trees: list[Tree] = []
    shared: dict[Tree, Tree] = {}
    for action, values in grounded:
        step = Step(action.action, action.process, values)
        tree, looked = trace_step_property(tracing, what, member.function, args, step)
        if not looked:
            # No path asks which step it is, so one tree serves all.
            return (tree,) * len(grounded)
        trees.append(shared.setdefault(tree, tree))
    return tuple(trees)


def _without(name: str, member: Property, actions: Sequence[ActionInstance]) -> frozenset[int]:
    excluded: set[int] = set()
    for item in member.without:
        known = {action.action for action in actions} | {action.process for action in actions}
        label = item.name if isinstance(item, Process) else getattr(item, "name", getattr(item, "__name__", item))
        if label not in known:
            possible = ", ".join(sorted(known))
            near = did_you_mean(str(label), known)
            message = f"property {name}: without={label!r} is no action and no process; there are {possible}{near}"
            raise SpecError("PD103", message, span=span_of(member.function))
        for number, action in enumerate(actions):
            # A name may be an action's or a process's; what is given as one of them is that.
            names = [action.process] if isinstance(item, Process) else [action.action]
            if isinstance(item, str):
                names.append(action.process)
            if label in names:
                excluded.add(number)
    return frozenset(excluded)


def _final(tracing: Tracing, found: dict[str, Any]) -> Tree | None:
    members = [member for member in found.values() if isinstance(member, Final)]
    if len(members) > 1:
        names = " and ".join(member.name for member in members)
        message = f"{type(tracing.spec).__name__} has several @final: {names}"
        raise SpecError("PD103", message, span=span_of(members[1].function), hint="say it in one of them")
    return trace_property(tracing, f"final {members[0].name}", members[0].function, {}) if members else None
