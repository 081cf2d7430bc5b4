"""Which states can still reach a goal (CTL: EF), without counting on some of the steps.

The reversed graph is kept as arrays of machine ints, 4 bytes a state and 4 an edge (12 while it is made), and shared by
all questions that leave out the same steps. A state that was not expanded, or one of whose steps needs a larger bound,
may lead anywhere, so it counts as reaching the goal: what is reported as wedged is wedged.
"""

from __future__ import annotations

from array import array
from itertools import chain

from pdspec.explicit.compile import clusters, failing_leaves
from pdspec.explicit.explore import Exploration
from pdspec.explicit.generate import Question, StateCheck, StepCheck
from pdspec.model.model import Model, PropertyInstance
from pdspec.model.tree import Overflow, Tree

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
        stack = [*goals, *self._unexpanded, *self._overflowing(without)]
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

    def _overflowing(self, without: frozenset[int]) -> list[int]:
        """The states with a step that a larger bound would let go on."""
        if ("bound", None) not in self._exploration.found:
            return []
        questions: list[Question] = []
        for number, action in enumerate(self._model.actions):
            leaves = [leaf for _, leaf in failing_leaves(action.tree)]
            if number not in without and any(isinstance(leaf, Overflow) for leaf in leaves):
                marks = tuple(int(isinstance(leaf, Overflow)) for leaf in leaves)
                questions.append(StepCheck(action.tree, marks, ()))
        asked = [(cluster.mask, cluster.memory) for cluster in clusters(self._exploration.packing, questions)]
        return [
            number
            for number, state in enumerate(self.states)
            if any(1 in memory[state & mask] for mask, memory in asked)
        ]

    def _steps(self, without: frozenset[int]) -> list[tuple[int, dict[int, tuple[int, ...]]]]:
        if without not in self._clusters:
            kept = [cluster for cluster in self._exploration.steps if without.isdisjoint(cluster.numbers)]
            for cluster in self._exploration.steps:
                if not without.isdisjoint(cluster.numbers):
                    trees = [self._model.actions[number].tree for number in cluster.numbers if number not in without]
                    kept += clusters(self._exploration.packing, trees)
            self._clusters[without] = kept
        return [(cluster.mask, cluster.memory) for cluster in self._clusters[without]]

    def _predecessors(self, without: frozenset[int]) -> tuple[array[int], array[int]]:
        """For each state where its predecessors start, and the predecessors of all states."""
        if without in self._reversed:
            return self._reversed[without]
        number_of, steps = self._numbers.get, self._steps(without)
        edges_from, edges_to = array("I"), array("I")
        starts = array("I", bytes(4 * (len(self.states) + 1)))
        for source, state in enumerate(self.states):
            for mask, memory in steps:
                for difference in memory[state & mask]:
                    target = number_of(state + difference)
                    # Successors of the last level are unknown when the search was stopped.
                    if target is not None and target != source:
                        edges_from.append(source)
                        edges_to.append(target)
                        starts[target + 1] += 1
        for number in range(len(self.states)):
            starts[number + 1] += starts[number]
        at = starts[:]
        sources = array("I", bytes(4 * len(edges_from)))
        for source, target in zip(edges_from, edges_to, strict=True):
            sources[at[target]] = source
            at[target] += 1
        self._reversed[without] = starts, sources
        return starts, sources


def wedged(graph: Graph, instance: PropertyInstance) -> tuple[list[int], list[int]]:
    """The states from which the property can never be true again, and those where it raises."""
    goals, errors = graph.ask(instance.trees[0])
    return graph.cannot_reach(goals, instance.without), errors
