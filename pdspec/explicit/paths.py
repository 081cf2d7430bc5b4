"""The trace to a state: going back from it, each time the least predecessor of the level before.

No predecessor is stored while searching; a level is asked again which of its states lead to the wanted one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from pdspec.explicit.explore import Exploration
from pdspec.model.model import ActionInstance, Model
from pdspec.model.tree import Choices, Update, apply, outcomes
from pdspec.trace import State, Step, Trace


def trace_to(model: Model, exploration: Exploration, state: int, depth: int) -> Trace:
    """The shortest trace to a state of level `depth` that every engine shows."""
    packing = exploration.packing
    steps = [(cluster.mask, cluster.memory) for cluster in exploration.steps]
    states = [state]
    for level in reversed(exploration.levels[:depth]):
        target = states[-1]
        before = [s for s in level if any(target - s in memory[s & mask] for mask, memory in steps)]
        states.append(min(before))
    states.reverse()
    initial = packing.unpack(states[0])
    choices = next(known.choices for known in model.initial if known.state == initial)
    made = [step_between(model, packing.unpack(a), packing.unpack(b)) for a, b in pairwise(states)]
    return Trace(initial, choices, tuple(made))


def successors(model: Model, before: State) -> Iterator[tuple[int, ActionInstance, Choices, State]]:
    """Every transition of a state, in the order of the Model."""
    for number, action in enumerate(model.actions):
        for choices, leaf in outcomes(action.tree, before):
            if isinstance(leaf, Update):
                yield number, action, choices, apply(leaf, before)


def step_between(model: Model, before: State, after: State, accept: Callable[[int], bool] = lambda _: True) -> Step:
    """The first transition from one state to the other, of the action instances whose number is accepted."""
    for number, action, choices, state in successors(model, before):
        if state == after and accept(number):
            return as_step(action, choices, state)
    raise AssertionError("no such transition")


def as_step(action: ActionInstance, choices: Choices, state: State) -> Step:
    """A transition as a trace shows it."""
    return Step(action.action, action.process, action.args, choices, state, action.span)
