"""Two-phase commit as a breadth-first search written by hand: the least that any checker in Python has to do.

A state is `(managers, coordinator, prepared, messages)`: a tuple of manager phases, the coordinator's phase, and two
bit masks, of the managers that the coordinator knows to be prepared and of the messages sent (none is ever removed).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator

WORKING, PREPARED, COMMITTED, ABORTED = range(4)
UNDECIDED, DECIDED_COMMIT, DECIDED_ABORT = range(3)

State = tuple[tuple[int, ...], int, int, int]


def successors(state: State) -> Iterator[State]:
    managers, coordinator, prepared, messages = state
    count = len(managers)
    everyone = (1 << count) - 1
    commit, abort = 1 << count, 2 << count
    if coordinator == UNDECIDED:
        if prepared == everyone:
            yield managers, DECIDED_COMMIT, prepared, messages | commit
        yield managers, DECIDED_ABORT, prepared, messages | abort
    for i, phase in enumerate(managers):
        bit = 1 << i
        if coordinator == UNDECIDED and messages & bit:
            yield managers, coordinator, prepared | bit, messages
        if phase == WORKING:
            yield managers[:i] + (PREPARED,) + managers[i + 1 :], coordinator, prepared, messages | bit
            yield managers[:i] + (ABORTED,) + managers[i + 1 :], coordinator, prepared, messages
        if messages & commit:
            yield managers[:i] + (COMMITTED,) + managers[i + 1 :], coordinator, prepared, messages
        if messages & abort:
            yield managers[:i] + (ABORTED,) + managers[i + 1 :], coordinator, prepared, messages


def consistent(state: State) -> bool:
    managers = state[0]
    return not (COMMITTED in managers and ABORTED in managers)


def search(count: int) -> tuple[int, int]:
    """The numbers of states and of transitions; raises AssertionError at a state that is not consistent."""
    initial: State = ((WORKING,) * count, UNDECIDED, 0, 0)
    seen = {initial}
    frontier = [initial]
    transitions = 0
    while frontier:
        following = []
        for state in frontier:
            assert consistent(state), state
            for successor in successors(state):
                transitions += 1
                if successor not in seen:
                    seen.add(successor)
                    following.append(successor)
        frontier = following
    return len(seen), transitions


def main() -> None:
    count = int(sys.argv[1])
    start = time.process_time()
    states, transitions = search(count)
    seconds = time.process_time() - start
    print(json.dumps({"states": states, "transitions": transitions, "seconds": seconds}))


if __name__ == "__main__":
    main()
