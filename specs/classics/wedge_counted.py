"""The wedge of a prefill engine over NIXL, with its chunks only counted, so that other checkers can count it too.

A scheduler starts rooms (one request's transfer each) and enqueues their chunks. A worker takes a chunk, looks whether
its room is still registered, marks the room Transferring, transfers, and marks it again. The decode side may abort
a room once. The status store keeps the greater of two statuses, and Failed is the lowest: a mark that comes after an
abort brings the room back, and as it is no longer registered, nothing will ever conclude it. The scheduler polls
Transferring for ever.

The worker may take the oldest chunk of any room, so the one FIFO that the code has is among the behaviours. A room
lives once. States / transitions, on which TLC, SPIN and a hand-written search agree:

    rooms, chunks    no fix                 both fixes
    1, 2                  75 /       118         66 /       114
    2, 2               4,181 /    11,240      3,060 /     9,216
    3, 2             206,719 /   763,014    124,200 /   521,640
    3, 3           1,019,933 / 3,820,545    554,392 / 2,403,684

Of the two fixes, keeping a terminal status is enough; failing the room of a dropped chunk is not.
"""

from enum import Enum, IntEnum
from typing import Literal

from pdspec import *


class KVPoll(IntEnum):
    Failed = 0
    Bootstrapping = 1
    WaitingForInput = 2
    Transferring = 3
    Success = 4


class Phase(Enum):
    new = "new"
    inflight = "inflight"
    done = "done"


class Abort(Enum):
    none = "none"
    under_way = "under way"
    handled = "handled"


class Worker(Enum):
    idle = "idle"
    claimed = "claimed"
    marked = "marked"
    transferred = "transferred"


scheduler = Process("scheduler")
worker = Process("transfer worker")
listener = Process("bootstrap thread")
decode = Process("decode peer")

TERMINAL = (KVPoll.Failed, KVPoll.Success)


def room_ids(spec: "Wedge") -> range:
    return range(spec.rooms)


class Wedge(Spec):
    """`fix`: "sticky" keeps a terminal status against every mark, "skip fails" fails the room of a dropped chunk."""

    rooms: int = parameter(1, at_least=1)
    chunks: int = parameter(2, at_least=1)
    fix: Literal["none", "sticky", "skip fails", "both"] = "none"

    def state(self) -> None:
        self.request_status = Dict(room_ids(self), KVPoll)
        self.phase = Array(room_ids(self), Phase)
        self.transfer_infos = Set(room_ids(self))
        self.sent = Array(room_ids(self), Range(0, self.chunks))
        self.queued = Array(room_ids(self), Range(0, self.chunks))
        self.abort = Array(room_ids(self), Abort)
        self.worker = Worker.idle
        self.worker_room = Maybe(OneOf(room_ids(self)))

    def update_status(self, room: int, status: KVPoll) -> None:
        """The store of the worker's marks."""
        current = self.request_status.get(room)
        if self.fix in ("sticky", "both") and (current is None or current in TERMINAL):
            return
        self.request_status[room] = status if current is None else max(current, status)

    @scheduler.action(room=room_ids)
    def bootstrap(self, room: int) -> None:
        require(self.phase[room] == Phase.new)
        self.phase[room] = Phase.inflight
        self.request_status[room] = KVPoll.Bootstrapping

    @listener.action(room=room_ids)
    def register(self, room: int) -> None:
        require(self.request_status.get(room) == KVPoll.Bootstrapping)
        require(room not in self.transfer_infos)
        self.transfer_infos.add(room)
        self.request_status[room] = KVPoll.WaitingForInput

    @scheduler.action(room=room_ids)
    def enqueue(self, room: int) -> None:
        require(self.phase[room] == Phase.inflight and room in self.transfer_infos)
        require(self.sent[room] < self.chunks)
        self.sent[room] += 1
        self.queued[room] += 1

    @decode.action(room=room_ids)
    def send_abort(self, room: int) -> None:
        require(self.phase[room] == Phase.inflight and self.abort[room] == Abort.none)
        self.abort[room] = Abort.under_way

    @listener.action(room=room_ids)
    def handle_abort(self, room: int) -> None:
        require(self.abort[room] == Abort.under_way)
        self.abort[room] = Abort.handled
        if room in self.request_status and self.request_status[room] != KVPoll.Success:
            self.request_status[room] = KVPoll.Failed
            self.transfer_infos.discard(room)

    @scheduler.action(room=room_ids)
    def poll(self, room: int) -> None:
        require(self.phase[room] == Phase.inflight)
        require(self.request_status.get(room) in TERMINAL)
        self.phase[room] = Phase.done
        del self.request_status[room]
        self.transfer_infos.discard(room)

    @worker.action(room=room_ids)
    def claim(self, room: int) -> None:
        require(self.worker == Worker.idle and self.queued[room] > 0)
        self.queued[room] -= 1
        self.worker = Worker.claimed
        self.worker_room = room

    @worker.action(room=room_ids)
    def mark(self, room: int) -> None:
        require(self.worker == Worker.claimed and self.worker_room == room)
        require(room in self.transfer_infos)
        self.update_status(room, KVPoll.Transferring)
        self.worker = Worker.marked

    @worker.action(room=room_ids)
    def skip(self, room: int) -> None:
        require(self.worker == Worker.claimed and self.worker_room == room)
        require(room not in self.transfer_infos)
        if self.fix in ("skip fails", "both"):
            if room in self.request_status and self.request_status[room] not in TERMINAL:
                self.request_status[room] = KVPoll.Failed
        self.worker = Worker.idle
        self.worker_room = None

    @worker.action(room=room_ids)
    def transfer(self, room: int) -> None:
        require(self.worker == Worker.marked and self.worker_room == room)
        self.worker = Worker.transferred

    @worker.action(room=room_ids)
    def finish(self, room: int) -> None:
        require(self.worker == Worker.transferred and self.worker_room == room)
        # Nobody else dequeues, so the chunk at hand is the last one when all were sent and none is left.
        if self.sent[room] == self.chunks and self.queued[room] == 0:
            self.update_status(room, KVPoll.Success)
            self.transfer_infos.discard(room)
        else:
            self.update_status(room, KVPoll.Transferring)
        self.worker = Worker.idle
        self.worker_room = None

    @invariant(room=room_ids)
    def no_wedge(self, room: int) -> bool:
        """No room in flight is Transferring with nothing left that could ever move it."""
        forgotten = room not in self.transfer_infos and self.queued[room] == 0 and self.worker_room != room
        return not (
            self.phase[room] == Phase.inflight
            and self.request_status.get(room) == KVPoll.Transferring
            and forgotten
            and self.abort[room] != Abort.under_way
        )

    @always_possible(room=room_ids, without=[send_abort])
    def concludes(self, room: int) -> bool:
        return self.phase[room] == Phase.done

    @reachable(room=room_ids)
    def succeeds(self, room: int) -> bool:
        return self.request_status.get(room) == KVPoll.Success

    @reachable(room=room_ids)
    def aborts(self, room: int) -> bool:
        return self.phase[room] == Phase.done and self.abort[room] == Abort.handled

    @final
    def all_done(self) -> bool:
        return all(phase == Phase.done for phase in self.phase)


SCENARIOS = [
    Scenario(
        "no fix",
        Wedge(),
        expect={
            "no_wedge": Violated(steps=9, last="finish"),
            "concludes": Violated(steps=9, last="finish"),
            "deadlock": Violated(steps=9, last="finish"),
        },
        why="The abort comes between the worker's look at transfer_infos and its last mark, which undoes the failure.",
    ),
    Scenario(
        "no fix, two rooms",
        Wedge(rooms=2),
        expect={
            "no_wedge": Violated(steps=9, last="finish"),
            "concludes": Violated(steps=9, last="finish"),
            "deadlock": Violated(steps=13, last="finish"),
        },
        why="The other room goes on, so a search for deadlocks sees the wedge only when that one is done as well.",
    ),
    Scenario(
        "no fix, one chunk",
        Wedge(rooms=2, chunks=1),
        why="The only chunk is the last one, so the mark after the transfer is Success, which the scheduler concludes.",
    ),
    Scenario(
        "sticky",
        Wedge(rooms=2, fix="sticky"),
        why="A failure stays until the scheduler has seen it, so no mark can bring the room back.",
    ),
    Scenario(
        "skip fails",
        Wedge(fix="skip fails"),
        expect={
            "no_wedge": Violated(steps=9, last="finish"),
            "concludes": Violated(steps=9, last="finish"),
            "deadlock": Violated(steps=9, last="finish"),
        },
        why="An unregistered room gets no more chunks, so where none is queued there is none to drop.",
    ),
    Scenario(
        "both",
        Wedge(rooms=2, chunks=3, fix="both"),
        why="With the sticky store a room that was aborted has failed already when its chunk is dropped.",
    ),
    Scenario("both, three rooms", Wedge(rooms=3, fix="both"), slow=True),
]
