"""The tracer on properties and derived values: what they answer and may not do, what a step invariant sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdspec.model.expr import evaluate
from pdspec.model.model import Model
from pdspec.model.tree import Raises, Shown, Tree, outcomes
from tests.written import compared, line_of, refusal, traced, with_step

STATE = """
self.n = Range(0, 3)
self.s = Set(range(2))
self.o = Maybe(Range(0, 1))
self.l = Level.mid
self.q = Queue(Range(0, 2), 2)
self.d = Dict(range(2), Range(0, 2))
"""
STEP = """
require(self.n < 3)
self.n += 1
"""


def asked(decorator: str, answer: str, arguments: str = "self") -> str:
    lines = "\n".join(f"    {line}" for line in answer.splitlines())
    return with_step(STATE, STEP) + f"\n{decorator}\ndef question({arguments}):\n{lines}\n"


def answer_of(tree: Tree, codes: tuple[int, ...], after: tuple[int, ...] = ()) -> str:
    ((_, leaf),) = outcomes(tree, codes, after)
    match leaf:
        case Raises(exception):
            return exception
        case Shown(text):
            return text
        case _:
            return str(bool(evaluate(leaf.truth, codes, after)))  # type: ignore[union-attr]


TRUTHS = [
    ("return self.n < 2", "True"),
    ("return self.n", "False"),
    ("return not self.n", "True"),
    ("return self.s", "False"),
    ("return self.q or self.l", "True"),
    ("return self.l", "True"),
    ("return len(self.q)", "False"),
    ("return self.o is None", "True"),
    ("return all(x > 0 for x in self.q) and not any(self.q)", "True"),
    ("return [self.n]", "True"),
    ("return ''", "False"),
    ("return 0.0", "False"),
    ("return self.q[0] > 1", "IndexError"),
    ("assert self.n\nreturn True", "AssertionError"),
    ("return 1 // self.n > 0", "ZeroDivisionError"),
    ("if self.n: return False\nreturn self.n < self.l", "True"),
    ("x = set(self.s)\nx.add(0)\nreturn x == {0}", "True"),
    ("return max(self.d.values(), default=self.n) == 0", "True"),
]


@pytest.mark.parametrize(("answer", "expected"), TRUTHS)
def test_a_property_answers_by_pythons_truth(answer: str, expected: str, tmp_path: Path) -> None:
    members = asked("@invariant", answer)

    _, model, _ = traced(tmp_path, members)

    assert answer_of(model.properties[0].trees[0], model.initial[0].state) == expected
    assert compared(tmp_path, members).differences == []


FORBIDDEN = [
    "self.n = 1\nreturn True",
    "self.s.add(0)\nreturn True",
    "self.s |= {0}\nreturn True",
    "self.d[0] = 1\nreturn True",
    "self.q.clear()\nreturn True",
    "require(self.n)\nreturn True",
    "return choose([True])",
    "return self.s.pop() == 0",
    "return next(iter(self.s)) == 0",
    "try:\n    self.n = 1\nexcept BaseException:\n    return True\nreturn True",
    "self.step()\nreturn True",
    "return None",
]


@pytest.mark.parametrize("decorator", ["@invariant", "@reachable", "@always_possible", "@final"])
@pytest.mark.parametrize("answer", FORBIDDEN)
def test_a_property_that_does_more_than_look_is_refused(decorator: str, answer: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, asked(decorator, answer))

    assert error.code == "PD108", error


def test_the_refusal_of_a_property_names_its_line(tmp_path: Path) -> None:
    error = refusal(tmp_path, asked("@invariant", "x = 1\nself.n = x\nreturn True"))

    assert error.span is not None
    assert error.span.line == line_of(tmp_path, "self.n = x")


STEP_ANSWERS = [
    ("return before.n < self.n", "True"),
    ("return self.n == before.n + 1", "True"),
    ("return before.s == self.s and before.q == self.q", "True"),
    ("return max(self.n, before.n) == before.n", "False"),
    ("return before.s is not self.s", "True"),
    ("return self.q[0] == before.n", "IndexError"),
    ("old, new = before.n, self.n\nreturn old + new == 1", "True"),
]


@pytest.mark.parametrize(("answer", "expected"), STEP_ANSWERS)
def test_a_step_invariant_sees_the_state_before_and_after(answer: str, expected: str, tmp_path: Path) -> None:
    members = asked("@step_invariant", answer, "self, before")

    _, model, layout = traced(tmp_path, members)

    before = model.initial[0].state
    after = layout.encode(layout.decode(before) | {"n": 1})
    assert answer_of(model.properties[0].trees[0], before, after) == expected
    assert compared(tmp_path, members).differences == []


@pytest.mark.parametrize(
    "answer", ["before.n = 1\nreturn True", "before.s.add(1)\nreturn True", "self.n = 1\nreturn True"]
)
def test_a_step_invariant_changes_neither_state(answer: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, asked("@step_invariant", answer, "self, before")).code == "PD108"


ACTIONS = """
def state(self):
    self.n = Range(0, 3)

@p.action(k=Mode)
def up(self, k):
    require(self.n < 3)
    self.n += k

@q.action(w=("a", "b"))
def down(self, w):
    require(self.n > 0 and w == "a")
    self.n -= 1

@step_invariant
def question(self, before, step):
    return {answer}
"""


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("step.action == 'up'", [True, True, False, False]),
        ("step.process == 'q'", [False, False, True, True]),
        ("step.args.get('k') is Mode.on", [False, True, False, False]),
        ("step.args.get('k', 5) + 1 == 2", [False, True, False, False]),
        ("step.args == {'w': 'b'}", [False, False, False, True]),
        ("step.action in ('up', 'down') and len(step.args) == 1", [True, True, True, True]),
    ],
)
def test_a_step_invariant_is_asked_of_each_action_with_its_arguments(
    answer: str, expected: list[bool], tmp_path: Path
) -> None:
    members = ACTIONS.format(answer=answer)

    _, model, _ = traced(tmp_path, members)

    answers = [answer_of(tree, (1,), (2,)) for tree in model.properties[0].trees]
    assert answers == [str(each) for each in expected]
    assert compared(tmp_path, members).differences == []


def shown(model: Model) -> str:
    return answer_of(model.derived[0].tree, model.initial[0].state)


@pytest.mark.parametrize(
    ("value", "start", "text"),
    [
        ("self.n + 1", "n=2", "3"),
        ("self.l", "", "mid"),
        ("self.o", "", "None"),
        ("self.n > 1", "n=2", "True"),
        ("self.s", "s={1, 0}", "{0, 1}"),
        ("self.d", "d={1: 2, 0: 1}", "{0: 1, 1: 2}"),
        ("{k: v * 2 for k, v in self.d.items()}", "d={1: 2, 0: 1}", "{0: 2, 1: 4}"),
        ("self.q", "q=deque([2, 1])", "[2, 1]"),
        ("[self.n, {self.n}]", "n=2", "[2, {2}]"),
        ("sorted(self.s)", "s={1}", "[1]"),
        ("f'{self.n} of 3'", "n=2", "2 of 3"),
        ("(x + 1 for x in self.q)", "q=deque([1])", "[2]"),
        ("1 // self.n", "", "ZeroDivisionError"),
    ],
)
def test_a_derived_value_is_shown_as_text(value: str, start: str, text: str, tmp_path: Path) -> None:
    members = asked("@derived", f"return {value}")

    _, model, layout = traced(tmp_path, members)

    changed = eval(f"dict({start})", {"deque": __import__("collections").deque})
    codes = layout.encode(layout.decode(model.initial[0].state) | changed)
    assert answer_of(model.derived[0].tree, codes) == text
    assert compared(tmp_path, members).differences == []


def test_a_derived_value_can_be_asked_in_steps_and_properties(tmp_path: Path) -> None:
    members = asked("@derived", "return self.n * 2").replace("question", "twice")
    members += "\n@invariant\ndef low(self):\n    return self.twice < 6\n"
    members += "\n@p.action\ndef half(self):\n    require(self.twice == 4)\n    self.n = self.twice // 4\n"

    found = compared(tmp_path, members)

    assert found.differences == []
    assert found.verdicts["low"] == "violated"


@pytest.mark.parametrize("value", ["self.s.pop()", "next(iter(self.s))", "choose([1])"])
def test_a_derived_value_only_looks(value: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, asked("@derived", f"return {value}")).code == "PD108"
