"""The tracer on `match`: every kind of pattern asks what it asks of plain values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.written import outcome

B, N, C, L = "self.b = False\n", "self.n = Range(0, 3)\n", "self.c = Color.red\n", "self.l = Level.mid\n"
OPT, R, RO = "self.o = Maybe(Range(0, 1))\n", "self.r = Item(Color.red)\n", "self.ro = Maybe(Item)\n"
Q, D = "self.q = Queue(bool, 2)\n", "self.d = Dict(range(2), bool)\n"
A, S, MODE, W = (
    "self.a = Array(range(2), bool)\n",
    "self.s = Set(range(2))\n",
    "self.mode = Mode.off\n",
    "self.w = OneOf(('a', 'b'))\n",
)

CLASSES = """
from dataclasses import dataclass
from typing import NamedTuple


@dataclass
class Pair:
    first: object
    second: object = 0


class Triple(NamedTuple):
    first: object
    second: object
    third: object
"""


def match(subject: str, *cases: str) -> str:
    return f"match {subject}:\n" + "\n".join(f"    case {case}" for case in cases)


VALUES = [
    (B + N, match("self.n", "0 | 2: self.b = True"), "n=2", "b = True"),
    (B + N, match("self.n", "0 | 2: self.b = True"), "n=1", "nothing"),
    (N, match("self.n", "int(x) if x > 1: self.n = x - 2", "_: self.n = 3"), "n=3", "n = 1"),
    (N, match("self.n", "int(x) if x > 1: self.n = x - 2", "_: self.n = 3"), "n=1", "n = 3"),
    (N, match("self.n", "str(): self.n = 1", "x: self.n = x + 1"), "n=1", "n = 2"),
    (C, match("self.c", "Color.red: self.c = Color.green", "Color.green: self.c = Color.blue"), "", "c = green"),
    (
        C,
        match("self.c", "Color.red | Color.blue as x: self.c = Color.green if x is Color.blue else x"),
        "c=Color.blue",
        "c = green",
    ),
    (B + C, match("self.c", "Color.red if self.b: self.c = Color.blue", "Color(): self.b = True"), "", "b = True"),
    (L, match("self.l", "2: self.l = Level.high", "-1: self.l = Level.mid"), "l=Level.low", "l = mid"),
    (W, match("self.w", '"a": self.w = "b"', 'str(): self.w = "a"'), "w='b'", "w = a"),
    (N + C, match("(self.n, self.c)", "(0 | 1), Color.red: self.n = 3", "n, _: self.n = 3 - n"), "n=2", "n = 1"),
    (N, match("[self.n, 1]", "[0, x]: self.n = x", "[*rest]: self.n = rest[1] + 1"), "n=3", "n = 2"),
    (N, match("{'k': self.n}", "{'k': 1}: self.n = 3", "{'k': x, **rest}: self.n = len(rest)"), "n=2", "n = 0"),
]

TRUTH = [
    (B, match("self.b", "True: self.b = False", "False: self.b = True"), "b=True", "b = False"),
    (B, match("self.b", "1: self.b = False", "0: self.b = True"), "b=True", "b = False"),
    (N + B, match("self.n", "True: self.b = True", "1: self.n = 0"), "n=1", "n = 0"),
    (MODE, match("self.mode", "True: self.mode = Mode.off", "Mode.on: self.mode = 0"), "mode=Mode.on", "mode = off"),
    (B + N, match("(self.b, 1)", "(True, 1): self.n = 1", "_: self.n = 2"), "b=True", "n = 1"),
    (B + N, match("[[self.b]]", "[[True]]: self.n = 1", "_: self.n = 2"), "b=True", "n = 1"),
    (B + N, match("{'k': [self.b]}", "{'k': [True]}: self.n = 1", "_: self.n = 2"), "b=True", "n = 1"),
    (B + N, match("deque([self.b])", "[True]: self.n = 1", "_: self.n = 2"), "b=True", "n = 1"),
    (B + N, match("Pair(self.b)", "Pair(first=True): self.n = 1", "_: self.n = 2"), "b=True", "n = 1"),
    (B + N, match("Pair([self.b])", "Pair([True], 0): self.n = 1", "_: self.n = 2"), "b=True", "n = 1"),
    (B + N, match("Triple(self.b, 1, 2)", "(True, *_): self.n = 1", "_: self.n = 2"), "b=True", "n = 1"),
    (Q + N, match("self.q", "[True]: self.n = 1", "[False, True]: self.n = 2"), "q=deque([False, True])", "n = 2"),
    (A + N, match("self.a", "[True, _]: self.n = 1", "[_, True]: self.n = 2"), "a=[False, True]", "n = 2"),
    (D + N, match("self.d", "{0: True}: self.n = 1", "{1: False}: self.n = 2"), "d={0: True, 1: False}", "n = 1"),
    (D + N, match("self.d", "{0: True}: self.n = 1", "{1: False}: self.n = 2"), "d={0: False, 1: False}", "n = 2"),
    (R + N, match("self.r", "Item(last=True): self.n = 1", "Item(last=False): self.n = 2"), "", "n = 2"),
]

NONE_AND_RECORDS = [
    (OPT, match("self.o", "None: self.o = 0", "int(): self.o = None"), "", "o = 0"),
    (OPT, match("self.o", "int(): self.o = None", "_: self.o = 1"), "", "o = 1"),
    (B + OPT, match("(self.b, self.o)", "(False, None): self.b = True", "_: self.o = None"), "", "b = True"),
    (R, match("self.r", "Item(kind=Color.red, last=False): self.r.last = True"), "", "r = Item(kind=red, last=True)"),
    (B + R, match("self.r", "Item(kind=k): self.b = k is Color.red"), "", "b = True"),
    (
        RO,
        match("self.ro", "Item(last=True): self.ro = None", "None: self.ro = Item(Color.red, True)"),
        "",
        "ro = Item(kind=red, last=True)",
    ),
    (RO, match("self.ro", "Item(last=True): self.ro = None", "None: pass"), "ro=Item(Color.red, True)", "ro = None"),
    (
        N + "self.x = OneOf((None, 3, 'x'))",
        match("self.x", "None: self.n = 1", "3: self.n = 2", "str(): self.n = 3"),
        "x='x'",
        "n = 3",
    ),
]

CONTAINERS = [
    (Q, match("self.q", "[]: self.q.append(True)", "[x, *_]: self.q.clear()"), "", "q = [True]"),
    (Q, match("self.q", "[]: self.q.append(True)", "[x, *_]: self.q.clear()"), "q=deque([True])", "q = []"),
    (N + S, match("self.s", "set(): self.n = len(self.s)"), "s={0, 1}", "n = 2"),
    (N + S, match("self.s", "[*_]: self.n = 1", "_: self.n = 2"), "", "n = 2"),
    (
        D,
        match("self.d", "{0: x, **rest}: self.d[1] = not x", "{}: self.d[0] = True"),
        "d={0: False}",
        "d = {0: False, 1: True}",
    ),
    (Q, match("self.q", "[x] as queue: queue.append(not x)"), "q=deque([False])", "q = [False, True]"),
]


@pytest.mark.parametrize(("state", "step", "start", "expected"), VALUES)
def test_values_alternatives_guards_and_captures_match_as_in_python(
    state: str, step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(("state", "step", "start", "expected"), TRUTH)
def test_true_and_false_match_the_truth_values_only_however_deep(
    state: str, step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, state, step, start, top=CLASSES) == expected


@pytest.mark.parametrize(("state", "step", "start", "expected"), NONE_AND_RECORDS)
def test_none_and_class_patterns_match_as_in_python(
    state: str, step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(("state", "step", "start", "expected"), CONTAINERS)
def test_containers_of_the_state_match_like_the_built_in_ones(
    state: str, step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, state, step, start) == expected
