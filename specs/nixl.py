"""The prefill side of a PD transfer over NIXL, and the wedge that no log showed.

A request enters flight, a decode peer aborts it, and the room stays in flight for ever: not failed, not logged, not
timed out. The only symptom is `num_prefill_inflight`, which never drains. Modelled are the threads of SGLang's prefill
side that share tables by room number: the scheduler (`prefill.py`), the bootstrap thread with the abort handler and the
transfer worker (`nixl/conn.py`), and the status store between them (`CommonKVManager.update_status` in
`common/conn.py`).

What each thread does between two writes to a shared table is one step here, `update_status` included: whether the store
itself needs a lock is not asked. The queue is one FIFO with one worker. RDMA always completes.
"""

from enum import Enum, IntEnum
from typing import Literal

from pdspec import *


class KVPoll(IntEnum):
    """A room's status (`base/conn.py`). Failed is the lowest value: right for the ranks' minimum, wrong for the store's
    max.
    """

    Failed = 0
    Bootstrapping = 1
    WaitingForInput = 2
    Transferring = 3
    Success = 4


class At(Enum):
    """Where the transfer worker is in its loop."""

    idle = "idle"
    guarding = "guarding"
    marking = "marking"
    sending = "sending"
    finishing = "finishing"


class Chunk(Record):
    room: int
    last: bool


scheduler = Process("scheduler", fair="weak")
bootstrap = Process("bootstrap thread", fair="weak")
worker = Process("transfer worker", fair="weak")
other_rank = Process("other rank", fair="weak")
decode = Process("decode peer")

OPENING = (KVPoll.Bootstrapping, KVPoll.WaitingForInput)
CONCLUDED = (KVPoll.Failed, KVPoll.Success)


class Role:
    """Stands for the source's `DisaggregationMode`."""

    PREFILL = "prefill"


# What `update_status` reaches in some release beside the status: the manager's role, and tables that no condition on a
# status reads.
CONSTANT = {"deferred_bootstrap": None, "disaggregation_mode": Role.PREFILL, "DisaggregationMode": Role}
IGNORED = ("req_to_decode_prefix_len", "_deferred_ack_targets", "_deferred_ack_poisoned_rooms", "_staging_outstanding")


def room_ids(spec: "Nixl") -> range:
    return range(spec.rooms)


class Nixl(Spec):
    """Status store, bootstrap thread, scheduler, transfer worker and abort handler of one prefill rank."""

    rooms: int = parameter(1, at_least=1, doc="room numbers")
    chunks: int = parameter(2, at_least=1, doc="chunks of each request; the last one is marked")
    uses: int = parameter(1, at_least=1, doc="requests that use each room number, one after the other")
    store: Literal["max", "sticky", "source"] = "max"
    cell: Literal["nixl", "mooncake"] = "nixl"
    creates: Literal["any write", "opening"] = "any write"
    skip: Literal["silent", "fail"] = "silent"
    abort_pops: Literal["transfer_infos", "nothing"] = "transfer_infos"
    aborts: Literal["once", "unlimited"] = "once"
    sticky_success: bool = False
    age_limit: bool = False
    numbering: Literal["Failed lowest", "Failed highest"] = "Failed lowest"
    ranks: int = parameter(1, at_least=1, at_most=2, doc="ranks whose polls are reduced to their minimum")

    def state(self) -> None:
        rooms = room_ids(self)
        self.request_status = Dict(rooms, KVPoll)
        self.transfer_infos = Set(rooms)
        self.queue = Queue(Chunk.of(room=rooms), capacity=self.rooms * self.chunks * self.uses)
        self.inflight = Set(rooms)
        self.started = Array(rooms, Range(0, self.uses))
        self.sent = Array(rooms, Range(0, self.chunks))
        self.metadata_due = Set(rooms)
        self.aborted = Set(rooms)
        self.at = At.idle
        self.chunk = Maybe(Chunk.of(room=rooms))
        self.other_status = Dict(rooms, KVPoll)

    # The status store

    nixl_update_status = lift(
        "sglang/srt/disaggregation/nixl/conn.py::NixlKVManager.update_status",
        cell="request_status",
        constant=CONSTANT,
        ignored=IGNORED,
    )
    mooncake_update_status = lift(
        "sglang/srt/disaggregation/mooncake/conn.py::MooncakeKVManager.update_status",
        cell="request_status",
        constant=CONSTANT,
        ignored=IGNORED,
    )

    def update_status(self, room: int, status: KVPoll) -> None:
        if self.store == "source":
            lifted = self.nixl_update_status if self.cell == "nixl" else self.mooncake_update_status
            lifted(room, status)
            return
        current = self.request_status.get(room)
        if current is None:
            if self.creates == "any write" or status in OPENING:
                self.request_status[room] = status
        elif self.store == "sticky" and current == KVPoll.Failed:
            return
        elif self.sticky_success and current == KVPoll.Success:
            return
        elif status == KVPoll.Failed:
            self.request_status[room] = status
        else:
            self.request_status[room] = max(current, status, key=self.number)

    def number(self, status: KVPoll) -> int:
        return 5 if status == KVPoll.Failed and self.numbering == "Failed highest" else status

    # The scheduler

    @scheduler.action(room=room_ids)
    def start(self, room: int) -> None:
        """Asks whether the scheduler is done with the room, not whether the shared tables are empty."""
        require(room not in self.inflight and self.started[room] < self.uses)
        self.started[room] += 1
        self.sent[room] = 0
        self.aborted.discard(room)
        self.inflight.add(room)
        self.update_status(room, KVPoll.Bootstrapping)
        self.metadata_due.add(room)
        if self.ranks == 2:
            self.other_status[room] = KVPoll.Transferring

    @scheduler.action(room=room_ids)
    def send_chunk(self, room: int) -> None:
        require(room in self.inflight and room not in self.metadata_due)
        require(self.sent[room] < self.chunks)
        self.sent[room] += 1
        self.queue.append(Chunk(room, last=self.sent[room] == self.chunks))

    @scheduler.action(room=room_ids)
    def poll(self, room: int) -> None:
        """A room seen as Failed or Success is concluded; any other stays in flight and is polled again."""
        require(room in self.inflight)
        if self.polled(room) in CONCLUDED:
            self.inflight.discard(room)
            self.clear(room)

    @scheduler.action(room=room_ids)
    def give_up(self, room: int) -> None:
        """The age limit: at any time, for all that the model knows of time."""
        require(self.age_limit and room in self.inflight)
        self.inflight.discard(room)
        self.clear(room)

    def polled(self, room: int) -> KVPoll:
        """What the scheduler sees: the minimum over the ranks."""
        return min(self.statuses(room), key=self.number)

    def statuses(self, room: int) -> list[KVPoll]:
        others = [self.other_status[room]] if self.ranks == 2 else []
        return [self.request_status[room], *others]

    def clear(self, room: int) -> None:
        self.request_status.pop(room, None)
        self.transfer_infos.discard(room)
        self.other_status.pop(room, None)

    # The bootstrap thread and the decode peer

    @bootstrap.action(room=room_ids)
    def receive_metadata(self, room: int) -> None:
        require(room in self.metadata_due)
        self.metadata_due.discard(room)
        self.transfer_infos.add(room)
        self.update_status(room, KVPoll.WaitingForInput)

    @decode.action(room=room_ids)
    def abort(self, room: int) -> None:
        """The peer aborts the room's request, once; if it has not sent its metadata yet, it will not."""
        require(self.aborts == "unlimited" or room not in self.aborted)
        require(room in self.request_status and self.request_status[room] != KVPoll.Success)
        self.aborted.add(room)
        self.metadata_due.discard(room)
        self.update_status(room, KVPoll.Failed)
        if self.abort_pops == "transfer_infos":
            self.transfer_infos.discard(room)

    # The transfer worker

    @worker.action
    def take_chunk(self) -> None:
        require(self.at == At.idle and self.queue)
        self.chunk = self.queue.popleft()
        self.at = At.guarding

    @worker.action
    def skip_guard(self) -> None:
        """A room that is not in transfer_infos has nowhere to go: the chunk is dropped. Fix B fails its room first."""
        require(self.at == At.guarding)
        assert self.chunk is not None
        if self.chunk.room in self.transfer_infos:
            self.at = At.marking
            return
        if self.skip == "fail":
            self.update_status(self.chunk.room, KVPoll.Failed)
        self.rest()

    @worker.action
    def mark(self) -> None:
        require(self.at == At.marking)
        assert self.chunk is not None
        self.update_status(self.chunk.room, KVPoll.Transferring)
        self.at = At.sending

    @worker.action
    def send_data(self) -> None:
        require(self.at == At.sending)
        self.at = At.finishing

    @worker.action
    def finish(self) -> None:
        require(self.at == At.finishing)
        assert self.chunk is not None
        if self.chunk.last:
            self.update_status(self.chunk.room, KVPoll.Success)
            self.transfer_infos.discard(self.chunk.room)
        else:
            self.update_status(self.chunk.room, KVPoll.Transferring)
        self.rest()

    def rest(self) -> None:
        self.chunk = None
        self.at = At.idle

    @other_rank.action(room=room_ids)
    def other_rank_ends(self, room: int) -> None:
        """The other rank's transfer of the room succeeds or fails; all of it is one step here."""
        require(self.other_status.get(room) == KVPoll.Transferring)
        self.other_status[room] = choose(CONCLUDED)

    # What must be true

    @derived
    def num_prefill_inflight(self) -> int:
        return len(self.inflight)

    @always_possible(room=room_ids, without=[abort, give_up])
    def inflight_drains(self, room: int) -> bool:
        """The room can still be concluded, and nobody may count on an abort or on the age limit for that."""
        return room not in self.inflight

    @always_possible(room=room_ids)
    def inflight_drains_somehow(self, room: int) -> bool:
        """The same, counting on everybody: what a wedge hides behind."""
        return room not in self.inflight

    @step_invariant(room=room_ids)
    def failed_until_clear(self, before: "Nixl", room: int) -> bool:
        if before.request_status.get(room) != KVPoll.Failed:
            return True
        return self.request_status.get(room, KVPoll.Failed) == KVPoll.Failed

    @step_invariant(room=room_ids)
    def starts_clean(self, before: "Nixl", room: int) -> bool:
        """A request starts as Bootstrapping, whatever the last one with its room number left behind."""
        if room in before.inflight or room not in self.inflight:
            return True
        return self.request_status[room] == KVPoll.Bootstrapping

    @invariant(room=room_ids)
    def success_is_earned(self, room: int) -> bool:
        """A room in flight is Success only when all its chunks were sent, the last one by the worker."""
        return (
            room not in self.inflight or self.request_status[room] != KVPoll.Success or self.sent[room] == self.chunks
        )

    @invariant(room=room_ids)
    def failure_is_seen(self, room: int) -> bool:
        """A rank that failed fails the room for all."""
        return (
            room not in self.inflight or KVPoll.Failed not in self.statuses(room) or self.polled(room) == KVPoll.Failed
        )

    @invariant(room=room_ids)
    def nothing_left(self, room: int) -> bool:
        """Once nobody works on a room that is not in flight, no table knows it."""
        busy = self.at != At.idle or room in self.metadata_due or any(chunk.room == room for chunk in self.queue)
        return room in self.inflight or busy or (room not in self.request_status and room not in self.transfer_infos)

    @reachable(room=room_ids)
    def can_succeed(self, room: int) -> bool:
        return self.request_status.get(room) == KVPoll.Success

    @reachable(room=room_ids)
    def can_be_aborted(self, room: int) -> bool:
        return room in self.aborted and self.request_status.get(room) == KVPoll.Failed

    @reachable(room=room_ids)
    def last_use_can_succeed(self, room: int) -> bool:
        return self.started[room] == self.uses and self.request_status.get(room) == KVPoll.Success

    @final
    def at_rest(self) -> bool:
        return not self.inflight


WEDGED: Expected = {
    "inflight_drains": Violated(steps=7, last="mark"),
    "inflight_drains_somehow": Violated(steps=7, last="mark"),
    "failed_until_clear": Violated(steps=7, last="mark"),
    "nothing_left": Violated(steps=10, last="finish"),
}
STICKY: Expected = {"nothing_left": Violated(steps=10, last="finish")}
LATE_FAILED: Expected = {"nothing_left": Violated(steps=6, last="skip_guard")}
CLEAN: Expected = {}
UNFAILABLE: Expected = {
    "inflight_drains": Violated(steps=2, last="abort"),
    "inflight_drains_somehow": Violated(steps=2, last="abort"),
    "can_be_aborted": "violated",
}

RELEASES = ("0.5.5", "0.5.9", "0.5.10", "0.5.11", "0.5.12", "0.5.15", "0.5.16", "0.5.18", "0.5.19", "0.5.20", "0.5.23")

SCENARIOS = [
    Scenario(
        "as shipped",
        Nixl(),
        expect=WEDGED,
        why="The abort writes Failed between the worker's guard and its mark; max() revives the room, its last chunk "
        "is dropped in silence, and nobody writes its status again.",
    ),
    Scenario(
        "fix A",
        Nixl(store="sticky"),
        expect=STICKY,
        why="A store that keeps Failed until clear() ends the wedge. The store still creates a room that was cleared: "
        "the worker's late Transferring stays behind.",
    ),
    Scenario(
        "fix B",
        Nixl(skip="fail"),
        expect={"failed_until_clear": Violated(steps=7, last="mark"), **LATE_FAILED},
        why="A dropped chunk fails its room once more, so the scheduler hears of it; Failed is still replaced "
        "meanwhile.",
    ),
    Scenario(
        "both fixes",
        Nixl(store="sticky", skip="fail"),
        expect=LATE_FAILED,
        why="Neither wedge nor revival. A chunk that is dropped after clear() writes Failed for a room that nobody "
        "has.",
    ),
    Scenario(
        "both fixes, opening writes only",
        Nixl(store="sticky", skip="fail", creates="opening"),
        why="Where only Bootstrapping and WaitingForInput create a room (SGLang from 0.5.20), late writes leave "
        "nothing.",
    ),
    Scenario(
        "both fixes, Success sticky too",
        Nixl(store="sticky", skip="fail", creates="opening", sticky_success=True),
        why="Keeping Success as well blocks nothing here: the abort handler never fails a room that is Success.",
    ),
    Scenario(
        "abort keeps the metadata",
        Nixl(abort_pops="nothing"),
        expect={
            "failed_until_clear": Violated(steps=7, last="mark"),
            "nothing_left": Violated(steps=10, last="finish"),
        },
        why="If the abort does not pop transfer_infos (0.5.16 and later), chunks go on and the room ends as Success, "
        "aborted or not.",
    ),
    Scenario(
        "two rooms",
        Nixl(rooms=2),
        expect=WEDGED,
        slow=True,
        why="A second room neither makes the wedge shorter nor rescues the first.",
    ),
    Scenario(
        "two rooms, both fixes",
        Nixl(rooms=2, store="sticky", skip="fail", creates="opening"),
        slow=True,
        why="Rooms share the queue and the worker, and no more than that.",
    ),
    Scenario(
        "room used again",
        Nixl(uses=2, store="sticky", skip="fail"),
        expect={
            "starts_clean": Violated(steps=7, last="start"),
            "success_is_earned": Violated(steps=14, last="finish"),
            **LATE_FAILED,
        },
        why="Fix A meets what the last request left: a Failed written after clear() fails the next request before it "
        "begins, and a last chunk still in flight makes it Success before it has sent anything.",
    ),
    Scenario(
        "room used again, opening writes only",
        Nixl(uses=2, store="sticky", skip="fail", creates="opening"),
        expect={
            "success_is_earned": Violated(steps=14, last="finish"),
            "nothing_left": Violated(steps=9, last="receive_metadata"),
        },
        why="Requests start clean, but the old worker's Success and Failed still reach the new request: rooms have no "
        "generation.",
    ),
    Scenario(
        "age limit",
        Nixl(age_limit=True),
        expect={
            "inflight_drains": Violated(steps=7, last="mark"),
            "failed_until_clear": Violated(steps=7, last="mark"),
            "nothing_left": Violated(steps=3, last="receive_metadata"),
        },
        why="Giving up rescues every wedged room, so the wedge is hidden from the question that counts on everybody.",
    ),
    Scenario(
        "aborts without limit",
        Nixl(aborts="unlimited"),
        expect={name: verdict for name, verdict in WEDGED.items() if name != "inflight_drains_somehow"},
        why="A second abort rescues the room in the model; in life nobody sends one.",
    ),
    Scenario(
        "Failed highest",
        Nixl(numbering="Failed highest"),
        expect=STICKY,
        why="With Failed as the highest value max() keeps it by itself: right for the store.",
    ),
    Scenario(
        "Failed highest, two ranks",
        Nixl(numbering="Failed highest", ranks=2),
        expect={
            "failure_is_seen": Violated(steps=2, last="abort"),
            "nothing_left": Violated(steps=11, last="finish"),
        },
        why="The ranks' polls are reduced to their minimum, which then prefers anything to Failed: one rank's failure "
        "is not seen.",
    ),
    Scenario(
        "both fixes, two ranks",
        Nixl(store="sticky", skip="fail", creates="opening", ranks=2),
        expect={"nothing_left": Violated(steps=4, last="receive_metadata")},
        why="With Failed lowest one rank's failure fails all; metadata that arrives after that is never removed.",
    ),
    Scenario("three rooms", Nixl(rooms=3), expect=WEDGED, slow=True, why="The wedge needs one room only."),
    Scenario(
        "source of NIXL",
        Nixl(store="source"),
        expect_source={
            RELEASES[0]: UNFAILABLE,
            **dict.fromkeys(RELEASES[1:6], WEDGED),
            **dict.fromkeys(RELEASES[6:9], STICKY),
            **dict.fromkeys(RELEASES[9:], CLEAN),
        },
        why="The store of the release in place of ours: it could not even record Failed at first, was revived by max() "
        "up to 0.5.15, and is sticky since 0.5.16.",
    ),
    Scenario(
        "source of Mooncake",
        Nixl(store="source", cell="mooncake"),
        expect_source={
            **{
                release: WEDGED
                for release in ("0.5.5", "0.5.9", "0.5.10", "0.5.11", "0.5.12", "0.5.15", "0.5.16", "0.5.18", "0.5.19")
            },
            **{release: {} for release in ("0.5.20", "0.5.23")},
        },
        why="Mooncake's store under the same threads: it keeps Failed since 0.5.20 only.",
    ),
]
