"""The reference on models whose counts are known from other tools."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Literal

import pytest

from pdspec.lang import (
    Array,
    Maybe,
    OneOf,
    Process,
    Range,
    Set,
    Spec,
    always_possible,
    invariant,
    reachable,
    require,
)
from pdspec.semantics import explore

anyone = Process("anyone")


class Manager(Enum):
    working = 0
    prepared = 1
    committed = 2
    aborted = 3


class Coordinator(Enum):
    init = 0
    committed = 1
    aborted = 2


coordinator = Process("coordinator")
manager = Process("manager")


def manager_ids(spec: TwoPhaseCommit) -> range:
    return range(spec.managers)


class TwoPhaseCommit(Spec):
    """The transaction commit of Gray and Lamport, as in TwoPhase.tla."""

    managers: int = 3

    def state(self) -> None:
        self.rm = Array(manager_ids(self), Manager)
        self.tm = Coordinator.init
        self.prepared = Set(manager_ids(self))
        self.messages: set[int | str] = Set([*manager_ids(self), "commit", "abort"])

    @coordinator.action(r=manager_ids)
    def receive_prepared(self, r: int) -> None:
        require(self.tm == Coordinator.init and r in self.messages)
        self.prepared.add(r)

    @coordinator.action
    def commit(self) -> None:
        require(self.tm == Coordinator.init and len(self.prepared) == self.managers)
        self.tm = Coordinator.committed
        self.messages.add("commit")

    @coordinator.action
    def abort(self) -> None:
        require(self.tm == Coordinator.init)
        self.tm = Coordinator.aborted
        self.messages.add("abort")

    @manager.action(r=manager_ids)
    def prepare(self, r: int) -> None:
        require(self.rm[r] == Manager.working)
        self.rm[r] = Manager.prepared
        self.messages.add(r)

    @manager.action(r=manager_ids)
    def choose_to_abort(self, r: int) -> None:
        require(self.rm[r] == Manager.working)
        self.rm[r] = Manager.aborted

    @manager.action(r=manager_ids)
    def receive_commit(self, r: int) -> None:
        require("commit" in self.messages)
        self.rm[r] = Manager.committed

    @manager.action(r=manager_ids)
    def receive_abort(self, r: int) -> None:
        require("abort" in self.messages)
        self.rm[r] = Manager.aborted

    @invariant
    def consistent(self) -> bool:
        return not (Manager.committed in self.rm and Manager.aborted in self.rm)

    @reachable
    def committed_everywhere(self) -> bool:
        return all(state == Manager.committed for state in self.rm)


def philosopher_ids(spec: Philosophers) -> range:
    return range(spec.philosophers)


class Philosophers(Spec):
    philosophers: int = 3

    def state(self) -> None:
        self.pc = Array(philosopher_ids(self), Range(0, 3))
        self.taken = Array(philosopher_ids(self), bool)

    def right_of(self, i: int) -> int:
        return (i + 1) % self.philosophers

    @anyone.action(i=philosopher_ids)
    def left(self, i: int) -> None:
        require(self.pc[i] == 0 and not self.taken[i])
        self.taken[i] = True
        self.pc[i] = 1

    @anyone.action(i=philosopher_ids)
    def right(self, i: int) -> None:
        require(self.pc[i] == 1 and not self.taken[self.right_of(i)])
        self.taken[self.right_of(i)] = True
        self.pc[i] = 2

    @anyone.action(i=philosopher_ids)
    def put_left(self, i: int) -> None:
        require(self.pc[i] == 2)
        self.taken[i] = False
        self.pc[i] = 3

    @anyone.action(i=philosopher_ids)
    def put_right(self, i: int) -> None:
        require(self.pc[i] == 3)
        self.taken[self.right_of(i)] = False
        self.pc[i] = 0

    @invariant(i=philosopher_ids)
    def no_neighbour_eats(self, i: int) -> bool:
        return not (self.pc[i] == 2 and self.pc[self.right_of(i)] == 2)

    @always_possible(i=philosopher_ids)
    def can_eat(self, i: int) -> bool:
        return self.pc[i] == 2


def worker_ids(spec: FilterLock) -> range:
    return range(spec.workers)


class FilterLock(Spec):
    """Peterson's lock for any number of workers."""

    workers: int = 3

    def state(self) -> None:
        self.pc = Array(worker_ids(self), Range(0, 3))
        self.level = Array(worker_ids(self), Range(0, self.workers - 1))
        self.victim = Array(worker_ids(self), OneOf(worker_ids(self)))

    def go(self, i: int) -> bool:
        others = [k for k in worker_ids(self) if k != i]
        free = all(self.level[k] < self.level[i] for k in others)
        return self.pc[i] == 2 and (self.victim[self.level[i]] != i or free)

    @anyone.action(i=worker_ids)
    def start(self, i: int) -> None:
        require(self.pc[i] == 0)
        self.level[i] = 1
        self.pc[i] = 1

    @anyone.action(i=worker_ids)
    def set_victim(self, i: int) -> None:
        require(self.pc[i] == 1)
        self.victim[self.level[i]] = i
        self.pc[i] = 2

    @anyone.action(i=worker_ids)
    def advance(self, i: int) -> None:
        require(self.go(i) and self.level[i] < self.workers - 1)
        self.level[i] += 1
        self.pc[i] = 1

    @anyone.action(i=worker_ids)
    def enter(self, i: int) -> None:
        require(self.go(i) and self.level[i] == self.workers - 1)
        self.pc[i] = 3

    @anyone.action(i=worker_ids)
    def leave(self, i: int) -> None:
        require(self.pc[i] == 3)
        self.level[i] = 0
        self.pc[i] = 0

    @invariant
    def one_inside(self) -> bool:
        return self.pc.count(3) <= 1


class Status(IntEnum):
    absent = 0
    failed = 1
    bootstrapping = 2
    waiting = 3
    transferring = 4
    success = 5


def room_ids(spec: Wedge) -> range:
    return range(spec.rooms)


scheduler = Process("scheduler")
worker = Process("worker")
peer = Process("peer")


class Wedge(Spec):
    """The founding case in integers: a failure that is overwritten by `max`, and a request that never leaves."""

    rooms: int = 1
    chunks: int = 2
    fixed: bool = False

    def state(self) -> None:
        self.status = Array(room_ids(self), Status)
        self.phase = Array(room_ids(self), OneOf(("new", "inflight", "done")))
        self.registered = Set(room_ids(self))
        self.sent = Array(room_ids(self), Range(0, self.chunks))
        self.queued = Array(room_ids(self), Range(0, self.chunks))
        self.abort = Array(room_ids(self), OneOf(("none", "sent", "handled")))
        self.pc = OneOf(("idle", "claimed", "marked", "transferred"))
        self.room = Maybe(OneOf(room_ids(self)))

    def update(self, r: int, new: Status) -> None:
        if self.fixed and self.status[r] in (Status.absent, Status.failed, Status.success):
            return
        self.status[r] = max(self.status[r], new)

    def at(self, pc: Literal["idle", "claimed", "marked", "transferred"], r: int) -> bool:
        return self.pc == pc and self.room == r

    @scheduler.action(r=room_ids)
    def bootstrap(self, r: int) -> None:
        require(self.phase[r] == "new")
        self.phase[r] = "inflight"
        self.status[r] = max(self.status[r], Status.bootstrapping)

    @peer.action(r=room_ids)
    def register(self, r: int) -> None:
        require(self.status[r] == Status.bootstrapping and r not in self.registered)
        self.registered.add(r)
        self.status[r] = Status.waiting

    @scheduler.action(r=room_ids)
    def enqueue(self, r: int) -> None:
        require(self.phase[r] == "inflight" and r in self.registered and self.sent[r] < self.chunks)
        self.sent[r] += 1
        self.queued[r] += 1

    @peer.action(r=room_ids)
    def send_abort(self, r: int) -> None:
        require(self.phase[r] == "inflight" and self.abort[r] == "none")
        self.abort[r] = "sent"

    @peer.action(r=room_ids)
    def handle_abort(self, r: int) -> None:
        require(self.abort[r] == "sent")
        self.abort[r] = "handled"
        if self.status[r] not in (Status.absent, Status.success):
            self.status[r] = Status.failed
            self.registered.discard(r)

    @scheduler.action(r=room_ids)
    def poll(self, r: int) -> None:
        require(self.phase[r] == "inflight" and self.status[r] in (Status.failed, Status.success))
        self.phase[r] = "done"
        self.status[r] = Status.absent
        self.registered.discard(r)

    @worker.action(r=room_ids)
    def claim(self, r: int) -> None:
        require(self.pc == "idle" and self.queued[r] > 0)
        self.queued[r] -= 1
        self.pc = "claimed"
        self.room = r

    @worker.action(r=room_ids)
    def mark(self, r: int) -> None:
        require(self.at("claimed", r) and r in self.registered)
        self.update(r, Status.transferring)
        self.pc = "marked"

    @worker.action(r=room_ids)
    def skip(self, r: int) -> None:
        require(self.at("claimed", r) and r not in self.registered)
        if self.fixed and Status.bootstrapping <= self.status[r] <= Status.transferring:
            self.status[r] = Status.failed
        self.pc = "idle"
        self.room = None

    @worker.action(r=room_ids)
    def transfer(self, r: int) -> None:
        require(self.at("marked", r))
        self.pc = "transferred"

    @worker.action(r=room_ids)
    def finish(self, r: int) -> None:
        require(self.at("transferred", r))
        if self.sent[r] == self.chunks and self.queued[r] == 0:
            self.update(r, Status.success)
            self.registered.discard(r)
        else:
            self.update(r, Status.transferring)
        self.pc = "idle"
        self.room = None

    @invariant(r=room_ids)
    def no_wedge(self, r: int) -> bool:
        return not (
            self.phase[r] == "inflight"
            and self.status[r] == Status.transferring
            and r not in self.registered
            and self.queued[r] == 0
            and self.abort[r] != "sent"
            and (self.pc == "idle" or self.room != r)
        )

    @always_possible(r=room_ids)
    def concluded(self, r: int) -> bool:
        return self.phase[r] == "done"

    @always_possible(r=room_ids, without=[send_abort])
    def concluded_without_abort(self, r: int) -> bool:
        return self.phase[r] == "done"


@pytest.mark.parametrize(
    ("spec", "states", "transitions"),
    [
        (TwoPhaseCommit(managers=3), 288, 1_145),
        (Philosophers(philosophers=3), 26, None),
        (Philosophers(philosophers=5), 242, None),
        (FilterLock(workers=2), 20, 34),
        (FilterLock(workers=3), 288, 651),
        (Wedge(), 75, 118),
        (Wedge(fixed=True), 66, 114),
        (Wedge(chunks=3), 137, 231),
        (Wedge(chunks=3, fixed=True), 118, 219),
    ],
    ids=str,
)
def test_models_with_known_counts_have_these_counts(spec: Spec, states: int, transitions: int | None) -> None:
    evidence = explore(spec).evidence

    assert evidence.states == states
    assert transitions in (None, evidence.transitions)
    assert evidence.complete


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "states", "transitions"),
    [
        (TwoPhaseCommit(managers=4), 1_568, 8_257),
        (FilterLock(workers=4), 4_752, 13_080),
        (Wedge(rooms=2), 4_181, 11_240),
        (Wedge(rooms=2, fixed=True), 3_060, 9_216),
    ],
    ids=str,
)
def test_larger_models_with_known_counts_have_these_counts(spec: Spec, states: int, transitions: int) -> None:
    evidence = explore(spec).evidence

    assert (evidence.states, evidence.transitions) == (states, transitions)


def test_two_phase_commit_is_consistent_and_commits_after_10_steps() -> None:
    found = explore(TwoPhaseCommit(managers=3))

    assert set(found.verdicts.values()) == {"holds"}
    assert found.lengths == {"committed_everywhere": 10}


def test_the_philosophers_have_one_deadlock_from_which_nobody_eats() -> None:
    found = explore(Philosophers(philosophers=3))

    assert found.evidence.terminal == 1
    assert found.verdicts == {
        "deadlock": "violated",
        "exceptions": "holds",
        "bounds": "holds",
        "no_neighbour_eats": "holds",
        "can_eat": "violated",
    }
    assert found.lengths == {"deadlock": 3, "can_eat": 3, **{f"can_eat(i={i})": 3 for i in range(3)}}


def test_the_wedge_is_found_in_9_steps_and_the_fixes_remove_it() -> None:
    broken = explore(Wedge())
    fixed = explore(Wedge(fixed=True))

    assert broken.evidence.terminal == 9
    assert fixed.evidence.terminal == 4
    assert broken.verdicts["no_wedge"] == "violated"
    assert broken.lengths["no_wedge"] == 9
    assert broken.lengths["no_wedge(r=0)"] == 9
    assert broken.verdicts["concluded_without_abort"] == "violated"
    assert broken.lengths["concluded_without_abort(r=0)"] <= 9
    assert fixed.verdicts["no_wedge"] == "holds"
    assert fixed.verdicts["concluded"] == "holds"
    assert fixed.verdicts["concluded_without_abort"] == "holds"
