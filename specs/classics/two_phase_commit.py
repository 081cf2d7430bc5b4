"""Two-phase commit, as in the TLA+ examples (TwoPhase.tla, Lamport): a transaction manager and resource managers.

The transaction manager commits when every resource manager has told that it is prepared, and may abort at any time
before; a resource manager may abort by itself until it is prepared. Messages are never lost and never removed, so those
sent are a set and two flags. TLC, SPIN and hand-written searches agree on 288, 1,568, 8,832, 296,448 and 1,745,408
states for 3, 4, 5, 7 and 8 managers. In the broken variant one manager's word is enough to commit.
"""

from enum import Enum

from pdspec import *


class Manager(Enum):
    working = "working"
    prepared = "prepared"
    committed = "committed"
    aborted = "aborted"


class Coordinator(Enum):
    init = "init"
    committed = "committed"
    aborted = "aborted"


coordinator = Process("transaction manager")
resource = Process("resource manager")


def ids(spec: "TwoPhaseCommit") -> range:
    return range(spec.managers)


class TwoPhaseCommit(Spec):
    """`hasty` is the broken variant: the transaction manager commits when any manager is prepared."""

    managers: int = parameter(3, at_least=1)
    hasty: bool = False

    def state(self) -> None:
        self.manager = Array(ids(self), Manager)
        self.coordinator = Coordinator.init
        self.known_prepared = Set(ids(self))
        self.prepared_sent = Set(ids(self))
        self.commit_sent = False
        self.abort_sent = False

    @coordinator.action(m=ids)
    def receive_prepared(self, m: int) -> None:
        require(self.coordinator == Coordinator.init)
        require(m in self.prepared_sent)
        self.known_prepared.add(m)

    @coordinator.action
    def commit(self) -> None:
        require(self.coordinator == Coordinator.init)
        if self.hasty:
            require(self.known_prepared)
        else:
            require(all(m in self.known_prepared for m in ids(self)))
        self.coordinator = Coordinator.committed
        self.commit_sent = True

    @coordinator.action
    def abort(self) -> None:
        require(self.coordinator == Coordinator.init)
        self.coordinator = Coordinator.aborted
        self.abort_sent = True

    @resource.action(m=ids)
    def prepare(self, m: int) -> None:
        require(self.manager[m] == Manager.working)
        self.manager[m] = Manager.prepared
        self.prepared_sent.add(m)

    @resource.action(m=ids)
    def choose_to_abort(self, m: int) -> None:
        require(self.manager[m] == Manager.working)
        self.manager[m] = Manager.aborted

    @resource.action(m=ids)
    def receive_commit(self, m: int) -> None:
        require(self.commit_sent)
        self.manager[m] = Manager.committed

    @resource.action(m=ids)
    def receive_abort(self, m: int) -> None:
        require(self.abort_sent)
        self.manager[m] = Manager.aborted

    @invariant
    def consistent(self) -> bool:
        """No manager has aborted while another has committed."""
        return not (Manager.aborted in self.manager and Manager.committed in self.manager)

    @reachable
    def all_commit(self) -> bool:
        return all(state == Manager.committed for state in self.manager)

    @reachable
    def all_abort(self) -> bool:
        return all(state == Manager.aborted for state in self.manager)


SCENARIOS = [
    Scenario(
        "three managers",
        TwoPhaseCommit(managers=3),
        why="Commit needs everyone's word, and whoever gave it can no longer abort alone.",
    ),
    Scenario("five managers", TwoPhaseCommit(managers=5)),
    Scenario("seven managers", TwoPhaseCommit(managers=7), slow=True),
    Scenario(
        "hasty",
        TwoPhaseCommit(managers=3, hasty=True),
        expect={"consistent": Violated(steps=5, last="receive_commit")},
        why="With one manager's word only, another may still abort by itself.",
    ),
]
