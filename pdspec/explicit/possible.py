"""Which states can still reach a goal (CTL: EF), without counting on some of the steps.

The reversed graph is kept as two arrays of machine ints, 4 bytes a state and 4 an edge, and shared by all questions that leave out the same steps. A
state that was not expanded may lead anywhere, so it counts as reaching the goal: what is reported as wedged is wedged.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain

from pdspec.explicit.compile import StateCheck, clusters
from pdspec.explicit.explore import Exploration
from pdspec.model.model import Model, PropertyInstance
from pdspec.model.tree import Tree

_GOAL, _ERROR = 1, 2


class Graph:
    """The states by number, least depth first, and who leads to them."""

    def __init__(self, model: Model, exploration: Exploration) -> None:
        self._model = model
        self._exploration = exploration
        self.states = list(chain.from_iterable(exploration.levels))
        self._numbers = {state: number for number, state in enumerate(self.states)}
        self._unexpanded = [self._numbers[state] for state in exploration.unexpanded()]
        self._clusters = {frozenset[int](): exploration.steps}
        self._reversed: dict[frozenset[int], tuple[array[int], array[int]]] = {}

    def depth(self, number: int) -> int:
        """The breadth-first level of a state."""
        for depth, level in enumerate(self._exploration.levels):
            number -= len(level)
            if number < 0:
                return depth
        raise AssertionError(number)

    def ask(self, tree: Tree) -> tuple[list[int], list[int]]:
        """The numbers of the states where a property is true, and where it raises."""
        question = StateCheck(tree, _GOAL, None, _ERROR)
        (cluster,) = clusters(self._exploration.packing, [question])
        mask, memory = cluster.mask, cluster.memory
        true: list[int] = []
        error: list[int] = []
        for number, state in enumerate(self.states):
            for answer in memory[state & mask]:
                (true if answer == _GOAL else error).append(number)
        return true, error

    def cannot_reach(self, goals: list[int], without: frozenset[int]) -> list[int]:
        """The states from which no goal can be reached by the other steps, ascending."""
        starts, sources = self._predecessors(without)
        reached = bytearray(len(self.states))
        stack = [*goals, *self._unexpanded]
        for number in stack:
            reached[number] = 1
        while stack:
            number = stack.pop()
            for source in sources[starts[number] : starts[number + 1]]:
                if not reached[source]:
                    reached[source] = 1
                    stack.append(source)
        return [number for number in range(len(self.states)) if not reached[number]]

    def onward(self, number: int, without: frozenset[int], most: int) -> int:
        """How many states can be reached from one by the other steps, itself included, counted up to `most`."""
        seen = {self.states[number]}
        stack = list(seen)
        steps = self._steps(without)
        while stack and len(seen) < most:
            state = stack.pop()
            for mask, memory in steps:
                for difference in memory[state & mask]:
                    if state + difference not in seen:
                        seen.add(state + difference)
                        stack.append(state + difference)
        return len(seen)

    def _steps(self, without: frozenset[int]) -> list[tuple[int, dict[int, tuple[int, ...]]]]:
        if without not in self._clusters:
            trees = [action.tree for number, action in enumerate(self._model.actions) if number not in without]
            self._clusters[without] = clusters(self._exploration.packing, trees)
        return [(cluster.mask, cluster.memory) for cluster in self._clusters[without]]

    def _edges(self, without: frozenset[int]) -> Iterator[tuple[int, int]]:
        numbers, steps = self._numbers, self._steps(without)
        for source, state in enumerate(self.states):
            for mask, memory in steps:
                for difference in memory[state & mask]:
                    target = numbers.get(state + difference)
                    if target is not None:
                        yield source, target

    def _predecessors(self, without: frozenset[int]) -> tuple[array[int], array[int]]:
        if without not in self._reversed:
            starts = array("I", bytes(4 * (len(self.states) + 1)))
            for _, target in self._edges(without):
                starts[target + 1] += 1
            for number in range(len(self.states)):
                starts[number + 1] += starts[number]
            at = starts[:]
            sources = array("I", bytes(4 * starts[-1]))
            for source, target in self._edges(without):
                sources[at[target]] = source
                at[target] += 1
            self._reversed[without] = starts, sources
        return self._reversed[without]


def wedged(graph: Graph, instance: PropertyInstance) -> tuple[list[int], list[int]]:
    """The states from which the property can never be true again, and those where it raises."""
    goals, errors = graph.ask(instance.trees[0])
    return graph.cannot_reach(goals, instance.without), errors
