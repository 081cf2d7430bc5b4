"""The tracer on the rest of Python: helpers, classes, generators, C code, modules beside the spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agreement import compare_file
from tests.written import compared, outcome, refusal, with_step, written

B, N, M = "self.b = False\n", "self.n = Range(0, 3)\n", "self.m = Range(0, 3)\n"
Q, W, S = "self.q = Queue(Range(0, 2), 2)\n", "self.w = OneOf(('a', 'b'))\n", "self.s = Set(range(2))\n"

TOP = """
import copy
import functools
import itertools
import json
import math
import operator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

LIMIT = 2


@dataclass(frozen=True, order=True)
class Pair:
    x: int
    y: int = 1

    def total(self):
        return self.x + self.y


@dataclass
class Box:
    x: int


class Named(NamedTuple):
    x: int
    y: int


def plus(x, *more, by=1, **named):
    return x + by + sum(more) + len(named)


def is_one(x):
    return x is not None and x == 1


@contextmanager
def counting(spec):
    require(spec.n < 3)
    yield 1
    spec.n += 1


def upto(n):
    i = 0
    while i < n:
        yield i
        i += 1
"""

CALLS = [
    (N, "self.n = plus(self.n, 1, by=0)", "n=1", "n = 2"),
    (N, "self.n = plus(by=1, x=self.n)", "n=1", "n = 2"),
    (N, "self.n = (lambda x: x + LIMIT)(self.n)", "n=1", "n = 3"),
    (N, "self.n = functools.reduce(lambda x, y: x + y, [self.n, 1], 0)", "n=1", "n = 2"),
    (B + N, "self.b = is_one(self.n)", "n=1", "b = True"),
    (N, "with counting(self) as one:\n    self.n += one", "n=1", "n = 3"),
    (N, "with counting(self) as one:\n    self.n += one", "n=3", "disabled"),
    (N, "self.n = sum(upto(self.n))", "n=3", "nothing"),
    (N, "self.n = len([*upto(self.n), 0])", "n=2", "n = 3"),
    (N + Q, "self.n = sum(map(lambda x: x + 1, filter(None, self.q)))", "q=deque([0, 1])", "n = 2"),
    (B + Q, "self.b = list(zip(self.q, 'ab')) == [(1, 'a')]", "q=deque([1])", "b = True"),
    (N + Q, "first, *rest = [*self.q, 3]\nself.n = first", "q=deque([1])", "n = 1"),
    (N + M, "self.n = len({self.n, self.m})", "n=1, m=1", "nothing"),
    (N + M, "self.n = sorted([self.n, self.m])[0]", "n=3, m=1", "n = 1"),
    (N + M, "x = {self.n: 1}\nx[self.m] = 2\nself.n = sum(x.values())", "n=1, m=1", "n = 2"),
    (N, "self.n = [3, 2, 1, 0][self.n]", "n=1", "n = 2"),
    (N, "self.n = list(range(4))[self.n:][0]", "n=1", "nothing"),
    (N, "if (x := self.n) > 1 and x < 3: self.n = x - 2", "n=2", "n = 0"),
]
CLASSES = [
    (N, "self.n = Pair(self.n).total()", "n=1", "n = 2"),
    (B + N, "self.b = Pair(self.n) == Pair(1) and Pair(self.n) < Pair(2)", "n=1", "b = True"),
    (B + N, "self.b = Pair(self.n) in {Pair(1), Pair(2)}", "n=2", "b = True"),
    (N, "box = Box(self.n)\nbox.x += 1\nself.n = box.x", "n=1", "n = 2"),
    (N, "self.n = Named(self.n, 1).y + Named(1, self.n)._replace(x=0).x", "n=0", "n = 1"),
    (B + N, "self.b = Named(self.n, 1) == (1, 1)", "n=1", "b = True"),
    (B, "self.b = Color['red'] is Color('r') and Color.red in Color", "", "b = True"),
    (N, "self.n = list(Level)[self.n].value % 3", "n=0", "n = 2"),
]
C_CODE = [
    (B + W, "self.b = 'abc'.startswith(self.w) and 'xa'.endswith(self.w)", "", "b = True"),
    (B + W, "self.b = ','.join([self.w, 'x']) == 'a,x' and ','.join(c for c in self.w) == 'a'", "", "b = True"),
    (B + W, "self.b = ord(self.w) == 97 and 'a'.__eq__(self.w) and int(self.w, 16) == 10", "", "b = True"),
    (N, "self.n = (1).__add__(self.n)", "n=1", "n = 2"),
    (N, "self.n = math.gcd(self.n, 2) + math.floor(self.n / 2)", "n=2", "n = 3"),
    (N, "self.n = operator.add(self.n, 1)", "n=1", "n = 2"),
    (N, "self.n = bin(self.n).count('1')", "n=3", "n = 2"),
    (N, "self.n = int.from_bytes(bytes([self.n]), 'big')", "n=3", "nothing"),
    (N, "self.n = self.n.bit_length()", "n=3", "n = 2"),
    (B + N, "self.b = json.dumps({'n': self.n}) == '{\"n\": 1}'", "n=1", "b = True"),
    (N + Q, "self.n = list(itertools.accumulate(self.q))[-1]", "q=deque([1, 2])", "n = 3"),
    (Q, "self.q = copy.copy(self.q)\nself.q = copy.deepcopy(self.q)", "q=deque([1])", "nothing"),
    (B + N, "self.b = isinstance(self.n, int) and callable(len) and not callable(self.n)", "", "b = True"),
]


@pytest.mark.parametrize(("state", "step", "start", "expected"), [*CALLS, *CLASSES, *C_CODE])
def test_helpers_classes_and_library_functions_do_what_they_do_on_plain_values(
    state: str, step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, state, step, start, top=TOP) == expected


METHODS = {
    "a helper": (
        "self.n = self.helper(self.n)",
        "def helper(self, x):\n    if x > 1:\n        return 0\n    return x + 1",
    ),
    "a helper that changes": (
        "self.helper()\nself.helper()",
        "def helper(self):\n    require(self.n < 2)\n    self.n += 1",
    ),
    "a static method": ("self.n = self.helper(self.n)", "@staticmethod\ndef helper(x):\n    return 3 - x"),
    "a class method": ("self.n = self.helper(self.n)", "@classmethod\ndef helper(cls, x):\n    return 3 - x"),
    "a property": ("self.n = self.helper", "@property\ndef helper(self):\n    return 3 - self.n"),
    "a generator": ("self.n = sum(self.helper())", "def helper(self):\n    for x in range(self.n):\n        yield x"),
    "an action called": ("self.other()", "@p.action\ndef other(self):\n    require(self.n < 3)\n    self.n = 3"),
    "a constant": ("self.n = self.K[0] + self.size", "K = (1, 2)\nsize: int = 2"),
    "a closure": (
        "add = self.helper()\nself.n = add(add(0))",
        "def helper(self):\n    n = min(self.n, 1)\n    return lambda x: x + n",
    ),
    "recursion": (
        "self.n = self.helper(self.n)",
        "def helper(self, x):\n    return 0 if x == 0 else 1 + self.helper(x - 1)",
    ),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_the_spec_do_what_they_do_on_plain_values(name: str, tmp_path: Path) -> None:
    step, more = METHODS[name]

    found = compared(
        tmp_path, with_step(N, step) + "\n" + more + "\n\n@p.action\ndef any(self):\n    self.n = choose(range(4))\n"
    )

    assert found.differences == []


def test_a_spec_inherits_variables_steps_and_properties(tmp_path: Path) -> None:
    base = """
    class Base(Spec):
        size: int = 2

        def state(self):
            self.n = Range(0, self.size)

        def up(self, by):
            require(self.n + by <= self.size)
            self.n += by

        @p.action
        def one(self):
            self.up(1)

        @invariant
        def low(self):
            return self.n < self.size
    """
    members = "size: int = 3\n\ndef up(self, by):\n    super().up(by)\n    self.n = max(self.n, 2)\n"

    path = written(tmp_path, members, base)
    path.write_text(
        path.read_text().replace("class Written(Spec)", "class Written(Base)").replace("class Base", "class Base")
    )
    path.write_text(path.read_text() + '\n\nSCENARIOS = [Scenario("derived", Written())]\n')
    found = compare_file(path)

    assert found.differences == []
    assert found.verdicts["low"] == "violated"
    assert found.evidence is not None
    assert (found.evidence.states, found.evidence.depth) == (3, 2)


def test_a_module_beside_the_spec_is_asked_alike(tmp_path: Path) -> None:
    (tmp_path / "beside_the_spec.py").write_text("def known(x):\n    return x is not None and type(x) is int\n")
    members = with_step(
        "self.b = False\nself.o = Maybe(Range(0, 1))", "self.b = known(self.o)\nself.o = choose([None, 1])"
    )

    found = compared(tmp_path, members, "from beside_the_spec import known")

    assert found.differences == []
    assert found.evidence is not None
    assert found.evidence.states == 4


FOREIGN = """
import importlib.util

spec = importlib.util.spec_from_file_location("foreign_code", {path!r})
foreign = importlib.util.module_from_spec(spec)
spec.loader.exec_module(foreign)
"""


@pytest.mark.parametrize(
    "body",
    [
        "return x is True",
        "return type(x) is bool",
        "return id(x) == id(True)",
        "return inner(x)\n\n\ndef inner(x):\n    return x is True",
    ],
)
def test_a_function_from_elsewhere_that_asks_identity_is_refused_with_its_line(body: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = elsewhere / "foreign_code.txt.py"
    path.write_text(f"def ask(x):\n    {body}\n")

    error = refusal(tmp_path, with_step(B, "require(foreign.ask(self.b))"), FOREIGN.format(path=str(path)))

    assert error.code == "PD104"
    assert str(path) in error.message


def test_a_function_from_elsewhere_that_asks_values_is_traced(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = elsewhere / "foreign_code.py"
    path.write_text("def ask(x):\n    return x > 1 or x in (0, 7)\n")

    assert (
        outcome(tmp_path, N, "require(foreign.ask(self.n))\nself.n = 3", top=FOREIGN.format(path=str(path))) == "n = 3"
    )


@pytest.mark.parametrize("define", ["yield", "await nothing()"])
def test_a_generator_or_coroutine_is_no_step(define: str, tmp_path: Path) -> None:
    members = with_step(N, define).replace("def step", "async def step" if "await" in define else "def step")

    assert refusal(tmp_path, members, "async def nothing(): pass").code == "PD104"
