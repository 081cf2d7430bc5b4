"""The path oracle: it notices what a Model gets wrong, and nothing where tracer and methods agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from pdspec.lang.ground import ground
from pdspec.lang.load import load_file
from pdspec.model.expr import FALSE, Const, Slot
from pdspec.model.model import Model
from pdspec.model.tree import Answer, Disabled, Overflow, Raises, Shown, Switch, Tree, Update
from pdspec.model.wellformed import all_states, count_states, objection, sampled_states, well_formed
from pdspec.semantics.oracle import Mismatch, self_check
from tests.random_specs import seeded_spec
from tests.written import traced, with_step

SPECS = Path(__file__).resolve().parent.parent / "specs"

EVERY_TYPE = {
    "scalars": "self.a = Range(-1, 1)\nself.b = False\nself.c = Level.high\nself.d = OneOf((None, 3, 'x'))",
    "maybe": "self.a = Maybe(Color)\nself.b = Maybe(Item)\nself.c = Maybe(Set(range(2)))",
    "records": "self.a = Wrap()\nself.b = Job(1)",
    "arrays": "self.a = Array(range(2), Maybe(Range(0, 1)))\nself.b = Array(range(2), Queue(bool, 1))",
    "dict of scalars": "self.a = Dict(Color, Range(0, 1))\nself.b = Dict(range(2), Maybe(bool))",
    "dict of containers": "self.a = Dict(range(2), Set(range(2)))\nself.b = Dict(range(1), Dict(range(1), Item))",
    "queues": "self.a = Queue(Range(0, 1), 3)\nself.b = Queue(Maybe(Item), 2)",
    "sets and bags": "self.a = Set(range(3))\nself.b = Bag(('a', 'b'), 2)",
}

COUNTER = """
def state(self):
    self.n = Range(0, 2)
    self.s = Set(range(2))

@p.action
def up(self):
    require(self.n < 2)
    self.n += 1

@p.action
def fails(self):
    if self.n == 2:
        raise ValueError("no")
    self.s.add(self.n)

@invariant
def low(self):
    return self.n < 2

@step_invariant
def grows(self, before):
    return before.n <= self.n

@derived
def twice(self):
    return self.n * 2

@final
def done(self):
    return self.n == 2
"""


@pytest.mark.parametrize("name", EVERY_TYPE)
def test_the_states_of_every_type_are_the_well_formed_valuations(name: str, tmp_path: Path) -> None:
    _, model, layout = traced(tmp_path, with_step(EVERY_TYPE[name], "pass"))

    states = list(all_states(model))

    everything = product(*(slot.domain.codes for slot in model.slots))
    assert sorted(states) == [codes for codes in sorted(everything) if well_formed(model, codes)]
    assert count_states(model) == len(states) == len(set(states))
    assert all(layout.encode(layout.decode(codes)) == codes for codes in states)


def test_what_means_nothing_must_hold_its_first_code(tmp_path: Path) -> None:
    _, model, _ = traced(tmp_path, with_step("self.q = Queue(Range(1, 2), 2)\nself.m = Maybe(Item)", "pass"))

    said = {codes: objection(model, codes) for codes in [(0, 1, 1, 0, 0, 0), (1, 2, 2, 0, 0, 0), (0, 1, 1, 0, 1, 0)]}

    assert said[0, 1, 1, 0, 0, 0] is None
    assert "q[1] means nothing here and holds 2, not 1" in str(said[1, 2, 2, 0, 0, 0])
    assert "m.kind means nothing here" in str(said[0, 1, 1, 0, 1, 0])


def test_a_code_outside_of_its_domain_is_no_state(tmp_path: Path) -> None:
    _, model, _ = traced(tmp_path, with_step("self.n = Range(0, 2)", "pass"))

    assert not well_formed(model, (3,))
    assert not well_formed(model, (0, 0))


def test_sampled_states_are_distinct_well_formed_and_the_same_each_time(tmp_path: Path) -> None:
    _, model, _ = traced(tmp_path, with_step("self.q = Queue(Item, 3)\nself.d = Dict(range(3), Wrap)", "pass"))

    states = sampled_states(model, 200)

    assert states == sampled_states(model, 200) != sampled_states(model, 200, seed=1)
    assert len(states) == len(set(states)) > 100
    assert all(well_formed(model, codes) for codes in states)
    assert {codes[0] for codes in states} == {0, 1, 2, 3}


def test_nothing_is_found_where_the_tracer_is_right(tmp_path: Path) -> None:
    spec, model, layout = traced(tmp_path, COUNTER)

    found = self_check(spec, model, layout)

    assert (found.valuations, found.sampled, found.mismatches) == (12, False, ())


def changed_action(model: Model, number: int, tree: Tree) -> Model:
    actions = list(model.actions)
    actions[number] = replace(actions[number], tree=tree)
    return replace(model, actions=tuple(actions))


def changed_property(model: Model, number: int, tree: Tree) -> Model:
    properties = list(model.properties)
    properties[number] = replace(properties[number], trees=tuple(tree for _ in properties[number].trees))
    return replace(model, properties=tuple(properties))


CHANGES: dict[str, tuple[Callable[[Model], Model], str, str]] = {
    "another update": (lambda m: changed_action(m, 0, Update(((0, Const(0)),))), "up()", "leads to n = 0"),
    "no update": (lambda m: changed_action(m, 0, Update(())), "up()", "leads to n = 0, s = {}"),
    "always disabled": (lambda m: changed_action(m, 0, Disabled()), "up()", "no such"),
    "a value outside": (lambda m: changed_action(m, 0, Update(((0, Const(7)),))), "up()", "leads to no state"),
    "an exception": (lambda m: changed_action(m, 0, Raises("KeyError", "")), "up()", "raises KeyError"),
    "another exception": (lambda m: changed_action(m, 1, Raises("KeyError", "")), "fails()", "raises KeyError"),
    "a bound": (lambda m: changed_action(m, 0, Overflow("")), "up()", "meets a bound"),
    "no case": (
        lambda m: changed_action(m, 0, Switch(Slot(0), (((2,), Disabled()),))),
        "up()",
        "has no case",
    ),
    "two cases": (
        lambda m: changed_action(m, 0, Switch(Slot(0), (((0, 1, 2), Disabled()), ((2,), Update(()))))),
        "up()",
        "several for [2]",
    ),
    "an invariant": (lambda m: changed_property(m, 0, Answer(FALSE)), "low", "is False"),
    "a property that raises": (lambda m: changed_property(m, 0, Raises("ValueError", "")), "low", "raises ValueError"),
    "a step invariant": (lambda m: changed_property(m, 1, Answer(FALSE)), "grows of up()", "is False"),
    "final": (lambda m: replace(m, final=Answer(FALSE)), "final", "is False"),
    "derived": (
        lambda m: replace(m, derived=(replace(m.derived[0], tree=Shown("0")),)),
        "derived twice",
        "shows 0",
    ),
    "an initial state": (
        lambda m: replace(m, initial=(replace(m.initial[0], state=(5, 0, 0)),)),
        "state()",
        "not in its domain",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_model_is_noticed(name: str, tmp_path: Path) -> None:
    spec, model, layout = traced(tmp_path, COUNTER)
    change, instance, got = CHANGES[name]

    found = self_check(spec, change(model), layout).mismatches

    assert any(mismatch.instance.startswith(instance) and got in mismatch.got for mismatch in found), found


def test_a_mismatch_says_where_what_was_expected_and_what_the_model_says(tmp_path: Path) -> None:
    spec, model, layout = traced(tmp_path, COUNTER)

    found = self_check(spec, changed_action(model, 0, Update(())), layout, mismatches_max=1).mismatches

    (mismatch,) = found
    assert isinstance(mismatch, Mismatch)
    assert mismatch.span == model.actions[0].span
    expected, got = "leads to n = 1, s = {}", "leads to n = 0, s = {}"
    assert str(mismatch) == f"{mismatch.span}: up() in n = 0, s = {{}}: expected {expected}; the Model says {got}"


def test_a_disabled_resolution_may_be_missing_on_either_side(tmp_path: Path) -> None:
    members = with_step(
        "self.s = Set(range(3))", "k = choose(self.s)\nif choose([True, False]):\n    self.s.discard(k)"
    )
    spec, model, layout = traced(tmp_path, members)

    found = self_check(spec, model, layout)

    assert (found.valuations, found.mismatches) == (8, ())


def test_many_valuations_are_sampled_near_the_initial_states_and_anywhere(tmp_path: Path) -> None:
    state = "self.n = Range(0, 999)\nself.q = Queue(Range(0, 9), 4)"
    spec, model, layout = traced(tmp_path, with_step(state, "require(self.n < 999)\nself.n += 1"))
    wrong = Switch(Slot(0), (((7,), Update(())), (tuple(n for n in range(1000) if n != 7), model.actions[0].tree)))

    right = self_check(spec, model, layout, limit=100)
    found = self_check(spec, changed_action(model, 0, wrong), layout, limit=100)

    assert (right.sampled, right.mismatches) == (True, ())
    assert 50 < right.valuations <= 100
    assert [mismatch.valuation for mismatch in found.mismatches] == ["n = 7, q = []"]


def test_at_most_as_many_mismatches_are_collected_as_asked_for(tmp_path: Path) -> None:
    spec, model, layout = traced(tmp_path, COUNTER)

    found = self_check(spec, changed_action(model, 0, Disabled()), layout, mismatches_max=3)

    assert len(found.mismatches) == 3


def test_a_model_restricted_to_some_properties_is_compared_for_these(tmp_path: Path) -> None:
    spec, _, _ = traced(tmp_path, COUNTER)
    model, layout = ground(spec, properties=["grows"])

    found = self_check(spec, changed_property(model, 0, Answer(FALSE)), layout).mismatches

    assert {mismatch.instance.split(" ")[0] for mismatch in found} == {"grows"}


@pytest.mark.parametrize("file", sorted(SPECS.rglob("*.py")), ids=lambda file: file.stem)
def test_the_tracer_is_right_about_every_bundled_spec(file: Path) -> None:
    for scenario in load_file(file).scenarios:
        if not scenario.slow and not scenario.expect_source:
            model, layout = ground(scenario.spec)

            assert self_check(scenario.spec, model, layout, limit=60).mismatches == ()


def test_all_valuations_of_random_specs_agree(tmp_path: Path) -> None:
    mismatches = {}
    for seed in range(5_000, 5_010):
        spec = load_file(seeded_spec(seed).written_to(tmp_path)).scenarios[0].spec
        model, layout = ground(spec)
        mismatches[seed] = self_check(spec, model, layout, limit=700).mismatches

    assert not any(mismatches.values()), mismatches
