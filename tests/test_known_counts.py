"""Distinct states, transitions and states without a step, as TLC, SPIN or a search written by hand have counted them.

A transition is a state with an enabled action and its arguments, self-loops included. None of the numbers here
comes from pdspec, and a search that misses or invents anything gets them wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pdspec.explicit.answer import check_model
from pdspec.lang.ground import ground
from pdspec.lang.load import load_file
from pdspec.verdict import Evidence, Holds, Verdict, Violation

CLASSICS = Path(__file__).parent.parent / "specs" / "classics"


def explored(file: str, invariant: str, **parameters: object) -> tuple[Evidence, dict[str, Verdict]]:
    """The whole state space of a spec, with one invariant and the built-in properties asked."""
    spec = load_file(CLASSICS / f"{file}.py").specs[0]
    model, _ = ground(spec(**parameters), properties=[invariant])
    evidence, verdicts = check_model(model)
    assert evidence.complete
    return evidence, verdicts


def counts(evidence: Evidence) -> tuple[int, int, int]:
    return evidence.states, evidence.transitions, evidence.terminal


def violations(verdicts: dict[str, Verdict]) -> dict[str, tuple[int, str | None]]:
    """The number of steps and the last action of each violation; everything else holds."""
    found = {}
    for name, verdict in verdicts.items():
        if isinstance(verdict, Violation):
            assert verdict.trace is not None
            found[name] = (verdict.trace.length(), verdict.trace.last())
        else:
            assert isinstance(verdict, Holds)
    return found


@pytest.mark.parametrize(
    ("managers", "states", "transitions"),
    [
        (3, 288, 1_145),
        (4, 1_568, 8_257),
        (5, 8_832, 58_145),
        (7, 296_448, 2_744_705),
        pytest.param(8, 1_745_408, 18_507_777, marks=pytest.mark.slow),
    ],
)
def test_two_phase_commit_has_the_published_counts(managers: int, states: int, transitions: int) -> None:
    evidence, verdicts = explored("two_phase_commit", "consistent", managers=managers)

    # A manager that is told of the commit again does not change: a self-loop, so no state is without a step.
    assert counts(evidence) == (states, transitions, 0)
    assert violations(verdicts) == {}


@pytest.mark.parametrize("philosophers", [2, 3, 4, 5, 6, 7, 8, 9, 10, pytest.param(12, marks=pytest.mark.slow)])
def test_philosophers_reach_every_consistent_state_but_one_and_one_deadlock(philosophers: int) -> None:
    evidence, verdicts = explored("philosophers", "neighbours_do_not_eat_together", philosophers=philosophers)

    # The phases agree about the forks in 3 ** n ways; that all have put back the first fork only is never reached. Each
    # philosopher has a step in two thirds of them, and in the missing one all have.
    n = philosophers
    assert counts(evidence) == (3**n - 1, 2 * n * 3 ** (n - 1) - n, 1)
    assert violations(verdicts) == {"deadlock": (n, "take_first")}


@pytest.mark.parametrize(
    ("threads", "states", "transitions"),
    [
        (2, 20, 34),
        (3, 288, 651),
        (4, 4_752, 13_080),
        (5, 88_560, 286_985),
        pytest.param(6, 1_827_936, 6_803_688, marks=pytest.mark.slow),
    ],
)
def test_the_filter_lock_has_the_known_counts(threads: int, states: int, transitions: int) -> None:
    evidence, verdicts = explored("filter_lock", "mutual_exclusion", threads=threads)

    assert counts(evidence) == (states, transitions, 0)
    assert violations(verdicts) == {}


def test_the_lock_of_peterson_is_the_filter_lock_of_two_threads() -> None:
    evidence, verdicts = explored("peterson", "mutual_exclusion")

    assert counts(evidence) == (20, 34, 0)
    assert violations(verdicts) == {}


WEDGE_WITHOUT_FIX = [
    (1, 2, (75, 118, 9)),
    (1, 3, (137, 231, 12)),
    (2, 2, (4_181, 11_240, 81)),
    (2, 3, (12_685, 35_214, 144)),
    (3, 2, (206_719, 763_014, 729)),
    pytest.param(3, 3, (1_019_933, 3_820_545, 1_728), marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("rooms", "chunks", "known"), WEDGE_WITHOUT_FIX)
def test_the_wedge_has_the_known_counts_and_nine_steps_at_every_size(
    rooms: int, chunks: int, known: tuple[int, int, int]
) -> None:
    evidence, verdicts = explored("wedge_counted", "no_wedge", rooms=rooms, chunks=chunks)

    # All other rooms must be done before a wedged one is a deadlock: four steps for a room that is aborted at once.
    assert counts(evidence) == known
    assert violations(verdicts) == {"no_wedge": (9, "finish"), "deadlock": (9 + 4 * (rooms - 1), "finish")}


WEDGE_WITH_BOTH_FIXES = [
    (1, 2, (66, 114, 4)),
    (1, 3, (118, 219, 5)),
    (2, 2, (3_060, 9_216, 16)),
    (2, 3, (8_740, 27_492, 25)),
    (3, 2, (124_200, 521_640, 64)),
    pytest.param(3, 3, (554_392, 2_403_684, 125), marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("rooms", "chunks", "known"), WEDGE_WITH_BOTH_FIXES)
def test_the_fixed_wedge_has_the_known_counts_and_no_wedge(
    rooms: int, chunks: int, known: tuple[int, int, int]
) -> None:
    evidence, verdicts = explored("wedge_counted", "no_wedge", rooms=rooms, chunks=chunks, fix="both")

    assert counts(evidence) == known
    assert violations(verdicts) == {}


def test_a_room_of_one_chunk_has_no_wedge_without_any_fix() -> None:
    evidence, verdicts = explored("wedge_counted", "no_wedge", rooms=1, chunks=1)

    assert evidence.states == 31
    assert violations(verdicts) == {}
