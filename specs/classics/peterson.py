"""Peterson's lock for two threads ("Myths about the mutual exclusion problem", 1981).

A thread says that it wants in, then gives the turn away, and waits until the other does not want in or gives the turn
back: 20 states. The order of the two writes is the whole trick; in the other order both threads get in. Flags alone let
both wait for ever. The turn alone makes a thread wait for one that may never come, which shows only where nobody
may count on the other asking (`without=[ask]`).
"""

from enum import Enum
from typing import Literal

from pdspec import *


class Phase(Enum):
    idle = "idle"
    asking = "asking"
    waiting = "waiting"
    critical = "critical"


thread = Process("thread")


class Peterson(Spec):
    """Every write and every test is one atomic step; the test of the loop reads both variables at once."""

    writes: Literal["flag, turn", "turn, flag", "flag only", "turn only"] = "flag, turn"

    def state(self) -> None:
        self.phase = Array(range(2), Phase)
        self.wants = Array(range(2), bool)
        self.turn = Range(0, 1)

    @thread.action(i=range(2))
    def ask(self, i: int) -> None:
        require(self.phase[i] == Phase.idle)
        self.phase[i] = Phase.asking
        if self.writes.startswith("flag"):
            self.wants[i] = True
        else:
            self.turn = 1 - i

    @thread.action(i=range(2))
    def ask_on(self, i: int) -> None:
        require(self.phase[i] == Phase.asking)
        self.phase[i] = Phase.waiting
        if self.writes == "flag, turn":
            self.turn = 1 - i
        elif self.writes == "turn, flag":
            self.wants[i] = True

    @thread.action(i=range(2))
    def enter(self, i: int) -> None:
        require(self.phase[i] == Phase.waiting)
        free = self.writes != "turn only" and not self.wants[1 - i]
        mine = self.writes != "flag only" and self.turn == i
        require(free or mine)
        self.phase[i] = Phase.critical

    @thread.action(i=range(2))
    def leave(self, i: int) -> None:
        require(self.phase[i] == Phase.critical)
        self.phase[i] = Phase.idle
        self.wants[i] = False

    @invariant
    def mutual_exclusion(self) -> bool:
        return self.phase[0] != Phase.critical or self.phase[1] != Phase.critical

    @reachable(i=range(2))
    def gets_in(self, i: int) -> bool:
        return self.phase[i] == Phase.critical

    @always_possible(i=range(2), without=[ask])
    def nobody_waits_in_vain(self, i: int) -> bool:
        """Whoever has asked can get in, also when the other never asks again."""
        return self.phase[i] in (Phase.idle, Phase.critical)


SCENARIOS = [
    Scenario(
        "Peterson",
        Peterson(),
        why="Of two that have both raised their flags, the one that wrote the turn last waits.",
    ),
    Scenario(
        "turn before flag",
        Peterson(writes="turn, flag"),
        expect={"mutual_exclusion": Violated(steps=6, last="enter")},
        why="One gives the turn away, the other gives it back and sees no flag; then the turn lets the first in too.",
    ),
    Scenario(
        "flags alone",
        Peterson(writes="flag only"),
        expect={
            "deadlock": Violated(steps=4, last="ask_on"),
            "nobody_waits_in_vain": Violated(steps=2, last="ask"),
        },
        why="Both raise their flags, and each waits for the other's to go down.",
    ),
    Scenario(
        "turn alone",
        Peterson(writes="turn only"),
        expect={"nobody_waits_in_vain": Violated(steps=1, last="ask")},
        why="Only the other thread gives the turn back, and it may never want in.",
    ),
]
