"""The dining philosophers (Dijkstra, 1971): a fork between any two neighbours, and who eats needs the two beside her.

Each takes one fork, then the other, eats, and puts them back one by one in the same order. Where all take the left one
first they can all wait for each other, in exactly one of the 3 ** n - 1 states (242 for five). One who takes the right
fork first breaks the circle; then there are 3 ** n states. Whoever takes her second fork without looking eats beside a
neighbour.
"""

from enum import Enum
from typing import Literal

from pdspec import *


class Phase(Enum):
    thinking = "thinking"
    holds_first = "holds first"
    eating = "eating"
    holds_second = "holds second"


philosopher = Process("philosopher")


def ids(spec: "Philosophers") -> range:
    return range(spec.philosophers)


class Philosophers(Spec):
    """Fork `i` lies to the left of philosopher `i`. The rule "careless" takes the second fork without looking."""

    philosophers: int = parameter(5, at_least=2)
    rule: Literal["left first", "one right first", "careless"] = "left first"

    def state(self) -> None:
        self.phase = Array(ids(self), Phase)
        self.taken = Set(ids(self))

    def first(self, i: int) -> int:
        return self.right(i) if self.rule == "one right first" and i == 0 else i

    def second(self, i: int) -> int:
        return i if self.rule == "one right first" and i == 0 else self.right(i)

    def right(self, i: int) -> int:
        return (i + 1) % self.philosophers

    @philosopher.action(i=ids)
    def take_first(self, i: int) -> None:
        require(self.phase[i] == Phase.thinking)
        require(self.first(i) not in self.taken)
        self.taken.add(self.first(i))
        self.phase[i] = Phase.holds_first

    @philosopher.action(i=ids)
    def take_second(self, i: int) -> None:
        require(self.phase[i] == Phase.holds_first)
        require(self.rule == "careless" or self.second(i) not in self.taken)
        self.taken.add(self.second(i))
        self.phase[i] = Phase.eating

    @philosopher.action(i=ids)
    def put_first(self, i: int) -> None:
        require(self.phase[i] == Phase.eating)
        self.taken.discard(self.first(i))
        self.phase[i] = Phase.holds_second

    @philosopher.action(i=ids)
    def put_second(self, i: int) -> None:
        require(self.phase[i] == Phase.holds_second)
        self.taken.discard(self.second(i))
        self.phase[i] = Phase.thinking

    @invariant(i=ids)
    def neighbours_do_not_eat_together(self, i: int) -> bool:
        return not (self.phase[i] == Phase.eating and self.phase[self.right(i)] == Phase.eating)

    @reachable(i=ids)
    def eats(self, i: int) -> bool:
        return self.phase[i] == Phase.eating

    @always_possible(i=ids)
    def eats_again(self, i: int) -> bool:
        return self.phase[i] == Phase.eating


SCENARIOS = [
    Scenario(
        "all left first",
        Philosophers(),
        expect={
            "deadlock": Violated(steps=5, last="take_first"),
            "eats_again": Violated(steps=5, last="take_first"),
        },
        why="Each holds her left fork and waits for the right one, which her neighbour holds: a circle.",
    ),
    Scenario(
        "one right first",
        Philosophers(rule="one right first"),
        why="Philosophers 0 and 1 both start with the fork between them, so one of them holds none while she waits.",
    ),
    Scenario(
        "careless",
        Philosophers(philosophers=2, rule="careless"),
        expect={"neighbours_do_not_eat_together": Violated(steps=4, last="take_second")},
        why="A fork that is taken without looking is in two hands.",
    ),
    Scenario(
        "seven, one right first",
        Philosophers(philosophers=7, rule="one right first"),
        why="However long the table, one philosopher who starts on the other side is enough.",
    ),
]
