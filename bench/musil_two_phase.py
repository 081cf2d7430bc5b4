"""Two-phase commit for musil, as its documentation writes a model: a frozen dataclass and guarded actions.

`--transitions` counts the transitions too, in a run of its own that is not for timing: `check` counts states only.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, replace

from musil import Action, Model, check, explore


@dataclass(frozen=True)
class TwoPhase:
    managers: tuple[str, ...]
    coordinator: str = "init"
    prepared: frozenset[int] = frozenset()
    messages: frozenset[int | str] = frozenset()


def moved(s: TwoPhase, i: int, phase: str) -> tuple[str, ...]:
    return s.managers[:i] + (phase,) + s.managers[i + 1 :]


def manager_actions(i: int) -> list[Action[TwoPhase]]:
    return [
        Action(
            f"receive_prepared({i})",
            lambda s: s.coordinator == "init" and i in s.messages,
            lambda s: replace(s, prepared=s.prepared | {i}),
        ),
        Action(
            f"prepare({i})",
            lambda s: s.managers[i] == "working",
            lambda s: replace(s, managers=moved(s, i, "prepared"), messages=s.messages | {i}),
        ),
        Action(
            f"choose_to_abort({i})",
            lambda s: s.managers[i] == "working",
            lambda s: replace(s, managers=moved(s, i, "aborted")),
        ),
        Action(
            f"receive_commit({i})",
            lambda s: "commit" in s.messages,
            lambda s: replace(s, managers=moved(s, i, "committed")),
        ),
        Action(
            f"receive_abort({i})",
            lambda s: "abort" in s.messages,
            lambda s: replace(s, managers=moved(s, i, "aborted")),
        ),
    ]


def two_phase(count: int) -> Model[TwoPhase]:
    return Model(
        init=TwoPhase(managers=("working",) * count),
        actions=[
            Action(
                "commit",
                lambda s: s.coordinator == "init" and len(s.prepared) == count,
                lambda s: replace(s, coordinator="committed", messages=s.messages | {"commit"}),
            ),
            Action(
                "abort",
                lambda s: s.coordinator == "init",
                lambda s: replace(s, coordinator="aborted", messages=s.messages | {"abort"}),
            ),
            *(action for i in range(count) for action in manager_actions(i)),
        ],
        invariants={"consistent": lambda s: not ("committed" in s.managers and "aborted" in s.managers)},
    )


def main() -> None:
    model = two_phase(int(sys.argv[1]))
    if "--transitions" in sys.argv:
        graph = explore(model, max_states=10**9)
        print(json.dumps({"states": len(graph.states), "transitions": sum(map(len, graph.edges.values()))}))
        return
    start = time.process_time()
    result = check(model, max_states=10**9)
    seconds = time.process_time() - start
    assert result.ok and not result.truncated, result
    print(json.dumps({"states": result.states_explored, "seconds": seconds}))


if __name__ == "__main__":
    main()
