"""A transfer that can be forgotten, with one of everything that a report shows."""

from enum import IntEnum
from typing import Literal

from pdspec import (
    Array,
    Bag,
    Dict,
    Maybe,
    OneOf,
    Process,
    Queue,
    Range,
    Record,
    Scenario,
    Set,
    Spec,
    Violated,
    always_possible,
    any_of,
    choose,
    derived,
    final,
    invariant,
    parameter,
    reachable,
    require,
    step_invariant,
)


class Status(IntEnum):
    Failed = 0
    Waiting = 1
    Transferring = 2
    Success = 3


class Chunk(Record):
    room: int
    last: bool


scheduler = Process("scheduler", fair="weak")
worker = Process("transfer worker", fair="weak")
decode = Process("decode peer")


def room_ids(spec: "Transfer") -> range:
    return range(spec.rooms)


class Transfer(Spec):
    """Rooms are started, transferred by one worker and polled; a peer may abort them."""

    rooms: int = parameter(1, at_least=1)
    chunks: int = parameter(2, at_least=1)
    store: Literal["max", "sticky"] = "max"
    poll_of: Literal["inflight rooms", "any room"] = "inflight rooms"
    queue_for: int = parameter(4, at_least=1)
    retries: bool = False

    def state(self) -> None:
        self.status = Dict(room_ids(self), Status)
        self.inflight = Set(room_ids(self))
        self.sent = Array(room_ids(self), Range(0, self.chunks))
        self.queue = Queue(Chunk.of(room=room_ids(self)), capacity=self.queue_for)
        self.chunk = Maybe(Chunk.of(room=room_ids(self)))
        self.aborted = Set(room_ids(self))
        self.tries = Bag(room_ids(self), most=2)
        self.transport = OneOf(("tcp", "rdma"), start=any_of(("tcp", "rdma")) if self.retries else "rdma")

    def update(self, room: int, status: Status) -> None:
        current = self.status.get(room)
        if current is None or status == Status.Failed:
            self.status[room] = status
        elif self.store == "sticky" and current == Status.Failed:
            return
        else:
            self.status[room] = max(current, status)

    @scheduler.action(room=room_ids)
    def start(self, room: int) -> None:
        require(room not in self.inflight and self.tries[room] < (2 if self.retries else 1))
        self.tries[room] += 1
        self.sent[room] = 0
        self.inflight.add(room)
        self.update(room, Status.Waiting)

    @scheduler.action(room=room_ids)
    def send(self, room: int) -> None:
        require(room in self.inflight and self.sent[room] < self.chunks)
        self.sent[room] += 1
        self.queue.append(Chunk(room, last=self.sent[room] == self.chunks))

    @worker.action
    def take(self) -> None:
        require(self.chunk is None and self.queue)
        self.chunk = self.queue.popleft()

    @worker.action
    def finish(self) -> None:
        chunk = self.chunk
        require(chunk is not None)
        assert chunk is not None
        self.chunk = None
        if chunk.room in self.aborted and self.status.get(chunk.room) != Status.Failed:
            return
        arrived = choose((True, False)) if self.retries else True
        if arrived:
            self.update(chunk.room, Status.Success if chunk.last else Status.Transferring)

    @scheduler.action(room=room_ids)
    def poll(self, room: int) -> None:
        require(room in self.inflight or self.poll_of == "any room")
        require(self.status[room] in (Status.Failed, Status.Success))
        self.inflight.remove(room)
        del self.status[room]

    @decode.action(room=room_ids)
    def abort(self, room: int) -> None:
        require(room in self.inflight and room not in self.aborted)
        self.aborted.add(room)
        self.update(room, Status.Failed)

    @derived
    def waiting(self) -> int:
        return len(self.inflight)

    @always_possible(room=room_ids, without=[abort])
    def drains(self, room: int) -> bool:
        """Nobody may count on an abort."""
        return room not in self.inflight

    @step_invariant(room=room_ids)
    def failed_stays(self, before: "Transfer", room: int) -> bool:
        was_failed = before.status.get(room) == Status.Failed
        return not was_failed or room not in self.inflight or self.status.get(room) == Status.Failed

    @reachable(room=room_ids)
    def succeeds(self, room: int) -> bool:
        return self.status.get(room) == Status.Success

    @invariant
    def short_queue(self) -> bool:
        return len(self.queue) <= self.chunks

    @final
    def done(self) -> bool:
        return not self.inflight


WEDGED = {"drains": Violated(last="finish"), "failed_stays": Violated(last="finish")}

SCENARIOS = [
    Scenario(
        "as shipped",
        Transfer(),
        expect={**WEDGED, "deadlock": "violated"},
        why="An abort writes Failed, the worker's max() revives the room, and its last chunk is dropped in silence.",
    ),
    Scenario("sticky", Transfer(store="sticky")),
    Scenario("two rooms", Transfer(rooms=2, chunks=1), slow=True),
    Scenario(
        "polled without looking",
        Transfer(store="sticky", poll_of="any room"),
        expect={"exceptions": Violated(steps=1, last="poll", exception=KeyError)},
    ),
    Scenario("too small a queue", Transfer(queue_for=1), expect={"bounds": "violated"}),
    Scenario(
        "retried",
        Transfer(store="sticky", retries=True, chunks=1),
        expect={"drains": Violated(steps=4, last="start"), "short_queue": "violated", "deadlock": "violated"},
    ),
]
