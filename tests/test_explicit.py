"""The python engine: what it says after a limit, at a bound, and which trace it shows."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from pdspec.explicit.answer import check_model
from pdspec.explicit.compile import clusters
from pdspec.explicit.explore import explore
from pdspec.explicit.pack import packing_of
from pdspec.lang.ground import ground
from pdspec.lang.load import load_file
from pdspec.model.constraints import Constraints
from pdspec.model.expr import Add, Const, Equal, Expr, Less, Max, Member, Min, Not, Or, Scale, Slot, evaluate
from pdspec.model.model import Model
from pdspec.model.tree import Update, apply, outcomes
from pdspec.verdict import Holds, Inconclusive, Limits, PropertyError, Violation

CLASSICS = Path(__file__).parent.parent / "specs" / "classics"

COUNTER = """
from pdspec import *

user = Process("user")
timer = Process("timer")


class Counter(Spec):
    top: int = 5
    bound: int = 9
    trap: bool = False
    broken: bool = False

    def state(self) -> None:
        self.n = Range(0, self.bound)
        self.stuck = False
        self.ticks = any_of((False, True))

    @user.action
    def up(self) -> None:
        require(not self.stuck and self.n < self.top)
        self.n += 1

    @user.action
    def reset(self) -> None:
        require(not self.stuck)
        self.n = 0

    @user.action
    def fall(self) -> None:
        require(self.trap and self.n == 3)
        self.stuck = True

    @timer.action
    def rescue(self) -> None:
        require(self.stuck and self.ticks)
        self.stuck = False

    @timer.action
    def crash(self) -> None:
        require(self.broken and self.n == 2)
        assert self.n != 2, "two"

    @invariant
    def below_four(self) -> bool:
        return self.n < 4

    @reachable
    def at_five(self) -> bool:
        return self.n == 5

    @always_possible
    def back(self) -> bool:
        return self.n == 0

    @always_possible(without=[timer])
    def back_alone(self) -> bool:
        return self.n == 0

    @step_invariant
    def by_one(self, before: "Counter", step: Step) -> bool:
        return step.action == "reset" or abs(self.n - before.n) <= 1
"""


@pytest.fixture
def counter(tmp_path: Path) -> type:
    (tmp_path / "counter.py").write_text(COUNTER)
    return load_file(tmp_path / "counter.py").specs[0]


def model_of(cls: type, **parameters: object) -> Model:
    return ground(cls(**parameters))[0]


def test_a_wedge_that_only_the_timer_ends_is_one_without_the_timer(counter: type) -> None:
    _, verdicts = check_model(model_of(counter, trap=True))

    back, alone = verdicts["back"], verdicts["back_alone"]
    assert isinstance(back, Violation)
    assert isinstance(alone, Violation)
    assert back.trace is not None
    assert alone.trace is not None
    assert [step.action for step in alone.trace.steps] == ["up", "up", "up", "fall"]
    # Both are shown in the least state: without ticks nothing rescues at all.
    assert back.trace.initial == alone.trace.initial
    assert "it stays so" in back.reason


def test_a_bound_makes_everything_inconclusive_that_would_hold(counter: type) -> None:
    _, verdicts = check_model(model_of(counter, bound=2))

    assert isinstance(verdicts["bounds"], Violation)
    assert verdicts["bounds"].trace is not None
    assert verdicts["bounds"].trace.length() == 3
    assert all(isinstance(verdict, Inconclusive) for name, verdict in verdicts.items() if name != "bounds")


def test_a_state_that_needs_a_larger_bound_is_no_wedge(tmp_path: Path) -> None:
    text = COUNTER.replace("self.n = 0\n", "require(self.n > 3)\n        self.n = 0\n")
    (tmp_path / "bounded.py").write_text(text)
    cls = load_file(tmp_path / "bounded.py").specs[0]

    _, verdicts = check_model(model_of(cls, bound=2))

    assert isinstance(verdicts["back"], Inconclusive)


def test_an_exception_is_told_and_the_others_are_answered_up_to_it(counter: type) -> None:
    _, verdicts = check_model(model_of(counter, broken=True))

    raised, above = verdicts["exceptions"], verdicts["by_one"]
    assert isinstance(raised, Violation)
    assert raised.trace is not None
    assert raised.trace.failure is not None
    assert raised.trace.failure.message == "AssertionError: two"
    assert raised.trace.length() == 3
    assert isinstance(above, Holds)
    assert "up to the exception" in above.note


@pytest.mark.parametrize("states_max", range(1, 25))
def test_a_limit_never_changes_a_verdict_it_only_withholds_it(counter: type, states_max: int) -> None:
    for parameters in ({}, {"trap": True}, {"broken": True}, {"bound": 2}):
        model = model_of(counter, **parameters)
        complete, whole = check_model(model)

        evidence, part = check_model(model, Limits(states_max=states_max))

        assert evidence.complete == (complete.states <= states_max)
        for name, verdict in part.items():
            if not isinstance(verdict, Inconclusive):
                assert type(verdict) is type(whole[name]), (name, states_max, parameters)
            if isinstance(verdict, Violation) and not isinstance(whole[name], Violation):
                raise AssertionError(name)


def test_after_a_limit_nothing_holds_but_what_was_found_to_be_reachable(counter: type) -> None:
    evidence, verdicts = check_model(model_of(counter), Limits(states_max=11))

    assert not evidence.complete
    assert {name for name, verdict in verdicts.items() if isinstance(verdict, Holds)} <= {"at_five"}


def test_stopping_at_the_first_violation_prints_no_final_counts(counter: type) -> None:
    evidence, verdicts = check_model(model_of(counter), first=True)

    assert not evidence.complete
    assert isinstance(verdicts["below_four"], Violation)
    assert isinstance(verdicts["back"], Inconclusive)


def test_a_property_that_raises_is_an_error_with_the_shortest_trace(tmp_path: Path) -> None:
    text = COUNTER.replace("return self.n < 4", "return 6 // (3 - self.n) > -9")
    (tmp_path / "raising.py").write_text(text)

    _, verdicts = check_model(model_of(load_file(tmp_path / "raising.py").specs[0]))

    error = verdicts["below_four"]
    assert isinstance(error, PropertyError)
    assert error.trace.length() == 3
    assert error.message.startswith("ZeroDivisionError")


def test_every_cluster_answers_as_the_trees_do() -> None:
    for name in ("two_phase_commit", "filter_lock", "wedge_counted"):
        model, _ = ground(load_file(CLASSICS / f"{name}.py").scenarios[0].spec)
        packing = packing_of(model)
        made = clusters(packing, [action.tree for action in model.actions])

        for level in explore(model).levels[:12]:
            for packed in level[:50]:
                state = packing.unpack(packed)
                expected = sorted(
                    packing.pack(apply(leaf, state)) - packed
                    for action in model.actions
                    for _, leaf in outcomes(action.tree, state)
                    if isinstance(leaf, Update)
                )
                assert sorted(d for each in made for d in each.memory[packed & each.mask]) == expected


def drawn(rng: random.Random, depth: int) -> Expr:
    """A random condition over three slots."""
    if depth == 0:
        leaves: list[Expr] = [Slot(0), Slot(1), Slot(2), Const(rng.randint(-2, 3))]
        return rng.choice(leaves)
    one, other = drawn(rng, depth - 1), drawn(rng, depth - 1)
    kinds: list[Expr] = [
        Add((one, other)),
        Scale(rng.randint(-2, 2), one),
        Max(one, other),
        Min(one, other),
        Equal(one, other),
        Less(one, other),
        Member(one, tuple(sorted({rng.randint(-3, 4) for _ in range(3)}))),
        Not(one),
        Or((Equal(one, other), Less(other, one))),
    ]
    return rng.choice(kinds)


@pytest.mark.parametrize("seed", range(150))
def test_constraints_never_rule_out_what_is_possible(seed: int) -> None:
    rng = random.Random(seed)
    domains = [tuple(sorted({rng.randint(-2, 3) for _ in range(3)})) for _ in range(3)]
    constraints = Constraints(domains)
    models = list(product(*domains))
    for _ in range(4):
        condition = Not(drawn(rng, 2)) if rng.random() < 0.5 else Member(drawn(rng, 2), (0, 1, 2))
        wanted = rng.random() < 0.5
        truths = {bool(evaluate(condition, state)) for state in models}
        known = constraints.truth(condition)
        assert known is None or truths <= {known}
        assert {evaluate(condition, state) for state in models} <= set(constraints.possible(condition))
        models = [state for state in models if bool(evaluate(condition, state)) == wanted]
        feasible = constraints.assume(condition, (int(wanted),))
        assert feasible or not models
        if not feasible:
            return
        for state in models:
            assert all(code in constraints.allowed[slot] for slot, code in enumerate(state))
        assert constraints.satisfiable() == bool(models)
