"""The filter lock: Peterson's lock for n threads (Herlihy and Shavit, "The Art of Multiprocessor Programming", 2.4).

    def lock(me):                                               def unlock(me):
        for l in range(1, n):                                       level[me] = 0
            level[me] = l
            victim[l] = me
            while victim[l] == me and any(level[k] >= l for k in threads if k != me):
                pass

Each of the n - 1 levels holds back one thread, its victim. TLC, SPIN and a hand-written search agree on 20, 288, 4,752,
88,560 and 1,827,936 states for 2 to 6 threads. Two broken variants: one is off by one (`range(1, n - 1)` has a level
too few, and two threads get through), one has no victims (two on the same level wait for each other).
"""

from enum import Enum
from typing import Literal

from pdspec import *


class Phase(Enum):
    idle = "idle"
    climbing = "climbing"
    waiting = "waiting"
    critical = "critical"


thread = Process("thread")


def ids(spec: "FilterLock") -> range:
    return range(spec.threads)


def levels(spec: "FilterLock") -> range:
    return range(1, spec.threads)


class FilterLock(Spec):
    """The test of the loop reads all levels at once."""

    threads: int = parameter(3, at_least=2)
    fault: Literal["none", "a level missing", "no victims"] = "none"

    def state(self) -> None:
        self.phase = Array(ids(self), Phase)
        self.level = Array(ids(self), Range(0, self.threads - 1))
        self.victim = Array(ids(self), OneOf(ids(self)))  # use 1 .. threads - 1

    def top(self) -> int:
        return self.threads - 2 if self.fault == "a level missing" else self.threads - 1

    def may_go_on(self, me: int) -> bool:
        mine = self.level[me]
        if self.fault != "no victims" and self.victim[mine] != me:
            return True
        return all(self.level[k] < mine for k in ids(self) if k != me)

    @thread.action(me=ids)
    def start(self, me: int) -> None:
        require(self.phase[me] == Phase.idle)
        self.level[me] = 1
        self.phase[me] = Phase.climbing

    @thread.action(me=ids)
    def become_victim(self, me: int) -> None:
        require(self.phase[me] == Phase.climbing)
        self.victim[self.level[me]] = me
        self.phase[me] = Phase.waiting

    @thread.action(me=ids)
    def advance(self, me: int) -> None:
        require(self.phase[me] == Phase.waiting and self.level[me] < self.top())
        require(self.may_go_on(me))
        self.level[me] += 1
        self.phase[me] = Phase.climbing

    @thread.action(me=ids)
    def enter(self, me: int) -> None:
        require(self.phase[me] == Phase.waiting and self.level[me] == self.top())
        require(self.may_go_on(me))
        self.phase[me] = Phase.critical

    @thread.action(me=ids)
    def leave(self, me: int) -> None:
        require(self.phase[me] == Phase.critical)
        self.level[me] = 0
        self.phase[me] = Phase.idle

    @invariant
    def mutual_exclusion(self) -> bool:
        return sum(phase == Phase.critical for phase in self.phase) <= 1

    @invariant(level=levels)
    def each_level_holds_one_back(self, level: int) -> bool:
        """At most n - l threads are past level l: why the lock is one."""
        past = [self.level[i] > level or self.phase[i] == Phase.critical for i in ids(self)]
        return sum(past) <= self.threads - level

    @reachable(me=ids)
    def gets_in(self, me: int) -> bool:
        return self.phase[me] == Phase.critical

    @always_possible(me=ids, without=[start])
    def nobody_waits_in_vain(self, me: int) -> bool:
        """Whoever has asked can get in, also when nobody else asks again."""
        return self.phase[me] in (Phase.idle, Phase.critical)


SCENARIOS = [
    Scenario(
        "two threads",
        FilterLock(threads=2),
        why="With one level this is Peterson's lock.",
    ),
    Scenario(
        "three threads",
        FilterLock(threads=3),
        why="Whoever comes last to a level stays there while anybody else is as high, so each level keeps one back.",
    ),
    Scenario("four threads", FilterLock(threads=4)),
    Scenario("five threads", FilterLock(threads=5), slow=True),
    Scenario(
        "a level missing",
        FilterLock(threads=3, fault="a level missing"),
        expect={
            "mutual_exclusion": Violated(steps=8, last="enter"),
            "each_level_holds_one_back": Violated(steps=8, last="enter"),
        },
        why="The only level left holds back one of three threads.",
    ),
    Scenario(
        "no victims",
        FilterLock(threads=3, fault="no victims"),
        expect={
            "nobody_waits_in_vain": Violated(steps=2, last="start"),
            "deadlock": Violated(steps=6, last="become_victim"),
        },
        why="Two that are on the same level each wait for the other to be lower.",
    ),
]
