"""The tracer on order and choices: what depends on the order of a loop is refused, a choice offers every option."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.written import compared, line_of, outcome, refusal, with_step

STATE = """
self.n = Range(0, 3)
self.s = Set(range(3))
self.c = Color.red
self.e = Set(Color)
self.d = Dict(range(2), Range(0, 2))
self.g = Bag(range(2), 2)
self.q = Queue(Range(0, 2), 3)
self.w = OneOf(("a", "b"))
"""

DEPENDING = [
    "for k in self.s: self.n = k",
    "for k in self.s:\n    self.q.append(k)",
    "for k in self.s:\n    if k > 0: break\n    self.n = 1",
    "for k in self.e: self.c = k",
    "for k in self.d: self.n = k",
    "for k, v in self.d.items(): self.n = v",
    "for v in self.d.values(): self.n = v",
    "for k in self.g: self.n = k",
    "for k in self.g.elements(): self.n = k",
    "self.n = list(self.s)[0]",
    "self.n = [k for k in self.s][-1]",
    "first, *rest = self.s\nself.n = first",
    "self.q = deque(self.s)",
    "self.q.extend(self.s)",
    "self.n = list(self.d.values())[0]",
    "self.n = self.g.most_common(1)[0][0]",
    "for k in set(self.s): self.n = k",
    "for k in {x + 1 for x in self.s if x < 2}: self.n = k",
    "for k in dict(self.d): self.n = k",
    "for k in self.s | {1}: self.n = k",
    "for word in {'a', 'b'}: self.w = word",
    "self.w = list({'b', 'a'})[0]",
    "self.w = ''.join({'b', 'a'})[0]",
    "self.w = deque({'b', 'a'})[0]",
    "self.w = list(dict.fromkeys({'b', 'a'}))[0]",
    "self.w = Counter({'b', 'a'}).most_common(1)[0][0]",
    "words = []\nwords.extend({'b', 'a'})\nself.w = words[0]",
    "for i, word in enumerate({'b', 'a'}): self.w = word",
    "self.w = sorted({'b', 'a'}, key=len)[0]",
    "self.w = max({'b', 'a'}, key=len)",
    "for k in self.s:\n    require(k != self.n)\n    self.n = k",
    "for k in self.s:\n    if k == self.n: raise ValueError\n    self.n = 3",
    "for k in self.d:\n    del self.d[k]\n    break",
]


@pytest.mark.parametrize("step", DEPENDING)
def test_an_outcome_that_depends_on_the_order_is_refused_with_the_line_of_the_loop(step: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, with_step(STATE, step))

    assert error.code == "PD107", error
    assert error.span is not None
    assert error.span.line == line_of(tmp_path, next(line for line in step.splitlines() if line != "words = []"))


INDEPENDENT = [
    ("for k in sorted(self.s): self.n = k", "s={0, 2}", "n = 2"),
    ("for k in sorted(self.e, key=lambda c: c.name): self.c = k", "e={Color.red, Color.blue}", "nothing"),
    ("for k in self.s: self.n = max(self.n, k)", "s={0, 2}", "n = 2"),
    ("for k in self.s: self.n += 1", "s={0, 2}", "n = 2"),
    ("self.n = sum(self.s)", "s={1, 2}", "n = 3"),
    ("self.n = len([k for k in self.s if k])", "s={0, 2}", "n = 1"),
    ("for k in self.s: self.d[k % 2] = 1", "s={1}", "d = {1: 1}"),
    ("for k, v in self.d.items(): self.d[k] = 2 - v", "d={0: 0, 1: 1}", "d = {0: 2, 1: 1}"),
    ("for k in list(self.s): self.s.discard(k)", "s={0, 2}", "s = {}"),
    ("for k in self.s: require(k > 0)", "s={0, 2}", "disabled"),
    ("for k in self.s: assert k > 0", "s={0, 2}", "raises AssertionError"),
    ("if any(k == 2 for k in self.s): self.n = 1", "s={0, 2}", "n = 1"),
    ("self.d = {k: 1 for k in self.s if k < 2}", "s={0, 2}", "d = {0: 1}"),
    ("self.s = {2 - k for k in self.s}", "s={0, 1}", "s = {1, 2}"),
    ("if sorted({'b', 'a'})[0] == self.w: self.n = 1", "", "n = 1"),
    ("self.n = max(self.d, default=0) + min(self.s, default=1)", "d={1: 0}", "n = 2"),
    ("self.n = self.g.most_common()[0][1]", "g=Counter({1: 2, 0: 1})", "n = 2"),
    ("self.q = deque(sorted(self.s))", "s={0, 2}", "q = [0, 2]"),
]


@pytest.mark.parametrize(("step", "start", "expected"), INDEPENDENT)
def test_a_loop_whose_outcome_is_the_same_in_any_order_is_traced(
    step: str, start: str, expected: str, tmp_path: Path
) -> None:
    state = "\n".join(line for line in STATE.splitlines() if line[5:6] and f"self.{line[5]}" in step)

    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "list(self.s)[:1] == [0]",
        "[k for k in self.s][-1] == 0",
        "next((k for k in self.s if k), 0) == 1",
        "list(self.d.values()) == [0, 1]",
    ],
)
def test_a_property_that_depends_on_the_order_is_refused(answer: str, tmp_path: Path) -> None:
    question = f"\n@invariant\ndef ordered(self):\n    return {answer}\n"

    assert refusal(tmp_path, with_step(STATE, "self.s.add(0)") + question).code == "PD107"


CHOICES = [
    ("self.n = choose(range(3))", "", "nothing | n = 1 | n = 2"),
    ("self.c = choose(Color)", "", "nothing | c = green | c = blue"),
    ("self.w = choose(['b', 'a', 'b'])", "", "w = b | nothing"),
    ("self.n = choose([1, True, 2])", "", "n = 1 | n = 2"),
    ("self.n = choose([])", "", "disabled"),
    ("self.n = choose(k for k in range(4) if k not in self.s)", "s={0, 2}", "n = 1 | n = 3"),
    ("self.n = choose(self.s)", "s={0, 2}", "nothing | n = 2"),
    ("self.n = choose(self.s)", "", ""),
    ("self.n = choose(self.d)", "d={1: 0}", "n = 1"),
    ("self.n = choose(self.d.values())", "d={0: 2, 1: 2}", "n = 2"),
    ("self.n = sum(choose(self.d.items()))", "d={0: 1, 1: 2}", "n = 1 | n = 3"),
    ("self.n = choose(self.q)", "q=deque([2, 1, 2])", "n = 2 | n = 1"),
    ("self.n = choose(self.g)", "g=Counter({0: 2})", "nothing"),
    ("self.n = self.s.pop()", "s={0, 2}", "s = {2} | n = 2, s = {0}"),
    ("self.n = self.s.pop() + self.s.pop()", "s={1, 2}", "n = 3, s = {} | n = 3, s = {}"),
    ("k, v = self.d.popitem()\nself.n = k + v", "d={0: 1, 1: 2}", "n = 1, d = {1: 2} | n = 3, d = {0: 1}"),
    ("self.n = next(iter(self.s))", "s={0, 2}", "nothing | n = 2"),
    ("self.n = next(iter(self.s), 3)", "", "n = 3"),
    ("it = iter(self.s)\nself.n = next(it) - next(it) + 1", "s={0, 1}", "nothing | n = 2"),
    ("copy = set(self.s)\nself.n = copy.pop()", "s={0, 2}", "nothing | n = 2"),
    ("require(choose(range(3)) > 1)\nself.n = 1", "", "n = 1"),
    ("x = choose(range(2))\ny = choose(range(x + 1))\nself.n = x + y", "", "nothing | n = 1 | n = 2"),
    ("self.s ^= {choose(range(2))}", "s={0}", "s = {} | s = {0, 1}"),
]


@pytest.mark.parametrize(("step", "start", "expected"), CHOICES)
def test_each_option_is_an_outcome_of_its_own(step: str, start: str, expected: str, tmp_path: Path) -> None:
    state = "\n".join(line for line in STATE.splitlines() if line[5:6] and f"self.{line[5]}" in step)

    assert outcome(tmp_path, state, step, start) == expected


def test_options_that_are_written_alike_are_told_apart(tmp_path: Path) -> None:
    found = compared(tmp_path, with_step("self.n = Range(0, 2)", "x = choose([1, '1'])\nself.n = 1"))

    assert found.differences == []
    assert found.evidence is not None
    assert found.evidence.transitions == 4
