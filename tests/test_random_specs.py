"""Random specs: the python engine, the reference and the path oracle agree on everything that is drawn.

What the generator draws is counted for fixed seeds, so that agreement keeps meaning something.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.agreement import compare_file
from tests.random_specs import RandomSpec, random_specs, seeded_spec

SEEDS = range(600)
VERDICT_SEEDS = range(1_000, 1_060)

TYPES = """
    Arr, Among, Bool, Counts, Int, IntEnum, Line, Map, Member, Members, Optional, Rec, negative Int, sparse
    IntEnum, Item, Job, Wrap, Arr in Arr, Bool in Map, Counts in Map, Int in Arr, Int in Line, Int in Map, Item
    in Arr, Item in Line, Item in Map, Item in Optional, Line in Arr, Line in Map, Line in Optional, Map in Arr,
    Map in Map, Member in Map, Members in Arr, Members in Map, Members in Optional, Optional in Arr, Optional in
    Line, Optional in Map, Int in Optional, sparse IntEnum in Map, Wrap in Line
"""
FORMS = """
    and, any(), all(), any_of, append, appendleft, assert, augmented assignment, augmented through, bag += 1,
    bag -= 1, bag update, bool as int, break or continue, chained comparison, change through a local, changed
    while looping, choose from a queue, choose from a view, choose from all, choose from some, choose from
    sorted, closure, compare !=, compare <, compare <=, compare ==, compare >, compare >=, conditional
    expression, container ==, counted, d[k] = v, del, del item, dict clear, dict get, dict view, discard, early
    return, elif, else, enumerate, except, except BaseException, extend, f-string, finally, for else, for range,
    for sequence, for sorted, for sorted items, for symbolic range, for unordered, foreign value, guarded,
    helper method, helper with result, if, if before, in a range, in a tuple, in a view, insert, int for a
    member, is None, is True, is a member, isinstance, len, local, match None, match True, match class, match
    guard, match literal, match or, match sequence, match value, max and min nested, max of members, max of
    numbers, member attribute, min of numbers, not, old content, operator %, operator *, operator +, operator -,
    operator //, or, pop, pop default, popitem, popleft, queue +=, queue clear, queue item, queue pop, queue
    remove, raise, remove, replace, require before, require first, require in the middle, return in finally,
    reverse, rotate, set clear, set comparison, set operator, set operator asked, set pop, set update,
    setdefault, snapshot, sorted, step looked at, suppress, swap, symbolic index, symbolic key, truthy answer,
    try else, type(), unary or call, undeclared key, update, walrus, while True, while counter, while queue,
    whole container, without, |= dict, @always_possible, @derived, @final, @invariant, @reachable,
    @step_invariant, action with argument
"""


def named(text: str) -> list[str]:
    return [name.strip() for name in " ".join(text.split()).split(",")]


def differences(spec: RandomSpec) -> list[str]:
    """Where two ways of asking differ about the spec; none also where it is refused."""
    with TemporaryDirectory() as folder:
        return compare_file(spec.written_to(Path(folder)), valuations=80).differences


@settings(
    max_examples=70,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(random_specs())
def test_engine_reference_and_oracle_agree_on_random_specs(spec: RandomSpec) -> None:
    assert differences(spec) == []


@pytest.mark.slow
@settings(
    max_examples=400,
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(random_specs())
def test_engine_reference_and_oracle_agree_on_many_more_random_specs(spec: RandomSpec) -> None:
    assert differences(spec) == []


@pytest.mark.slow
def test_engine_reference_and_oracle_agree_on_numbered_specs() -> None:
    disagreeing = {seed: found for seed in range(300) if (found := differences(seeded_spec(seed)))}

    assert disagreeing == {}


def test_every_type_and_form_is_drawn_often_enough() -> None:
    drawn: Counter[str] = Counter()
    for seed in SEEDS:
        drawn.update(seeded_spec(seed).tags.keys())

    wanted = [*(f"type {name}" for name in named(TYPES)), *named(FORMS)]
    assert {name: drawn[name] for name in wanted if drawn[name] < len(SEEDS) // 200} == {}


def test_random_specs_have_every_verdict_and_are_seldom_refused_or_trivial(tmp_path: Path) -> None:
    verdicts: Counter[str] = Counter()
    refused = trivial = 0
    for seed in VERDICT_SEEDS:
        found = compare_file(seeded_spec(seed).written_to(tmp_path), valuations=1)
        verdicts.update(
            {f"{name}: {verdict}" for name, verdict in found.verdicts.items() if not name.startswith("question")}
        )
        verdicts.update({verdict for name, verdict in found.verdicts.items() if name.startswith("question")})
        refused += found.refused is not None
        trivial += found.evidence is not None and found.evidence.states < 3

    shares = {name: count / len(VERDICT_SEEDS) for name, count in verdicts.items()}
    assert refused / len(VERDICT_SEEDS) < 0.1
    assert trivial / len(VERDICT_SEEDS) < 0.3
    assert shares["holds"] > 0.3
    assert shares["violated"] > 0.5
    assert shares["error"] > 0.03
    assert shares["inconclusive"] > 0.1
    assert 0.2 < shares["exceptions: violated"] < 0.7
    assert 0.1 < shares["bounds: violated"] < 0.5
    assert 0.05 < shares["deadlock: violated"] < 0.7
