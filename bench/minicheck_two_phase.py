"""Two-phase commit for minicheck, as its documentation writes a model in Python: a `Protocol` over a tuple of fields.

The fields are those of `bare_two_phase.py`. `--transitions` counts the transitions too, in a run of its own that is not
for timing: `check_safety` counts states only.
"""

from __future__ import annotations

import json
import sys
import time

from minicheck import Protocol, check_safety

WORKING, PREPARED, COMMITTED, ABORTED = range(4)
UNDECIDED, DECIDED_COMMIT, DECIDED_ABORT = range(3)

State = tuple[tuple[int, ...], int, int, int]


def two_phase(count: int) -> Protocol:
    everyone = (1 << count) - 1
    commit, abort = 1 << count, 2 << count
    steps = ("receive_prepared", "prepare", "choose_to_abort", "receive_commit", "receive_abort")
    labels = [[f"{step}({i})" for step in steps] for i in range(count)]

    def step(s: State) -> list[tuple[str, State]]:
        managers, coordinator, prepared, messages = s
        out: list[tuple[str, State]] = []
        if coordinator == UNDECIDED:
            if prepared == everyone:
                out.append(("commit", (managers, DECIDED_COMMIT, prepared, messages | commit)))
            out.append(("abort", (managers, DECIDED_ABORT, prepared, messages | abort)))
        for i in range(count):
            bit = 1 << i
            receive_prepared, prepare, choose_to_abort, receive_commit, receive_abort = labels[i]
            before, after = managers[:i], managers[i + 1 :]
            if coordinator == UNDECIDED and messages & bit:
                out.append((receive_prepared, (managers, coordinator, prepared | bit, messages)))
            if managers[i] == WORKING:
                out.append((prepare, (before + (PREPARED,) + after, coordinator, prepared, messages | bit)))
                out.append((choose_to_abort, (before + (ABORTED,) + after, coordinator, prepared, messages)))
            if messages & commit:
                out.append((receive_commit, (before + (COMMITTED,) + after, coordinator, prepared, messages)))
            if messages & abort:
                out.append((receive_abort, (before + (ABORTED,) + after, coordinator, prepared, messages)))
        return out

    return Protocol(
        name="two-phase commit",
        candidate=True,
        fields=("managers", "coordinator", "prepared", "messages"),
        initial=((WORKING,) * count, UNDECIDED, 0, 0),
        transitions=step,
        invariants={"consistent": lambda d: not (COMMITTED in d["managers"] and ABORTED in d["managers"])},
    )


def counted(protocol: Protocol) -> list[int]:
    """A list of one number: how many transitions `protocol` has been asked for since."""
    step, total = protocol.transitions, [0]

    def counting(s: State) -> list[tuple[str, State]]:
        out: list[tuple[str, State]] = step(s)
        total[0] += len(out)
        return out

    protocol.transitions = counting
    return total


def main() -> None:
    protocol = two_phase(int(sys.argv[1]))
    transitions = counted(protocol) if "--transitions" in sys.argv else None
    start = time.process_time()
    result = check_safety(protocol, max_states=10**9)
    seconds = time.process_time() - start
    assert result["exhaustive"] and result["properties"]["consistent"]["holds"], result
    answer = {"states": result["reachable_states"], "seconds": seconds}
    if transitions:
        answer["transitions"] = transitions[0]
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
