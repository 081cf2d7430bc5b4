"""The lock of docs/language.md."""

from enum import IntEnum
from typing import Literal

from pdspec import Array, Maybe, OneOf, Process, Scenario, Spec, Violated, invariant, parameter, require


class Phase(IntEnum):
    idle = 0
    trying = 1
    critical = 2


worker = Process("worker")


def worker_ids(spec: "Lock") -> range:
    return range(spec.workers)


class Lock(Spec):
    """Some workers and one lock. `kind="none"` forgets to take it."""

    workers: int = parameter(2, at_least=1)
    kind: Literal["lock", "none"] = "lock"

    def state(self) -> None:
        self.phase = Array(worker_ids(self), Phase)
        self.holder = Maybe(OneOf(worker_ids(self)))

    @worker.action(i=worker_ids)
    def acquire(self, i: int) -> None:
        require(self.phase[i] == Phase.idle)
        if self.kind == "lock":
            require(self.holder is None)
            self.holder = i
        self.phase[i] = Phase.critical

    @worker.action(i=worker_ids)
    def release(self, i: int) -> None:
        require(self.phase[i] == Phase.critical)
        self.phase[i] = Phase.idle
        if self.holder == i:
            self.holder = None

    @invariant
    def mutual_exclusion(self) -> bool:
        return sum(phase == Phase.critical for phase in self.phase) <= 1


SCENARIOS = [
    Scenario("with the lock", Lock(), expect={"mutual_exclusion": "holds"}),
    Scenario("without", Lock(kind="none"), expect={"mutual_exclusion": Violated(steps=2, last="acquire")}),
]
