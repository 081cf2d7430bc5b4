"""The tracer on control flow: what ends a path from inside cannot be swallowed, exceptions are Python's, loops end."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdspec.errors import SpecError
from pdspec.lang.ground import ground
from pdspec.lang.load import load_file
from tests.written import compared, line_of, outcome, refusal, traced, with_step, written

B, N, S = "self.b = False\n", "self.n = Range(0, 3)\n", "self.s = Set(range(2))\n"
Q, D, A = (
    "self.q = Queue(Range(0, 2), 2)\n",
    "self.d = Dict(range(2), Range(0, 2))\n",
    "self.a = Array(range(2), bool)\n",
)

REQUIRES = {
    "bare except": "try:\n    require(self.b)\nexcept:\n    pass\nself.n = 1",
    "except BaseException": "try:\n    require(self.b)\nexcept BaseException:\n    self.n = 1",
    "except Exception": "try:\n    require(self.b)\nexcept Exception:\n    self.n = 1",
    "finally": "try:\n    require(self.b)\nfinally:\n    self.n = 1",
    "return in finally": "try:\n    require(self.b)\nfinally:\n    return",
    "break in finally": "while True:\n    try:\n        require(self.b)\n    finally:\n        break\nself.n = 1",
    "suppress": "with suppress(BaseException):\n    require(self.b)\nself.n = 1",
    "exit that swallows": "with Swallows():\n    require(self.b)\nself.n = 1",
    "before a require": "self.n = 1\nrequire(self.b)",
    "in a helper": "ask(self.b)\nself.n = 1",
    "nothing to choose": "try:\n    choose([])\nexcept:\n    self.n = 1",
}
TOP = """
class Swallows:
    def __enter__(self): return 1
    def __exit__(self, *error): return True


def ask(condition):
    try:
        require(condition)
    except:
        return
"""


@pytest.mark.parametrize("name", REQUIRES)
def test_a_failed_require_disables_the_step_although_it_is_swallowed(name: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, B + N, REQUIRES[name], top=TOP) == "disabled"


def test_after_a_swallowed_require_the_first_one_counts(tmp_path: Path) -> None:
    step = "try:\n    require(self.b)\nexcept:\n    self.n = 9"

    assert outcome(tmp_path, B + N, step) == "disabled"
    assert outcome(tmp_path, B + N, step, "b=True") == "nothing"


@pytest.mark.parametrize(
    "step",
    [
        "try:\n    self.n = 9\nexcept:\n    self.n = 1",
        "try:\n    self.n = 9\nfinally:\n    return",
        "with suppress(BaseException):\n    self.s.add(9)\nself.n = 1",
        "try:\n    self.q.extend([0, 0, 0])\nexcept BaseException:\n    self.q.clear()",
        "self.n = 9\nrequire(self.b)",
    ],
)
def test_a_bound_that_was_too_small_cannot_be_swallowed(step: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, B + N + S + Q, step) == "bound"


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ("try:\n    self.nonsense\nexcept Exception:\n    self.n = 1", "PD102"),
        ("try:\n    self.nonsense = 1\nfinally:\n    return", "PD102"),
        ("with suppress(AttributeError):\n    self.s.nonsense", "PD104"),
        ("try:\n    self.n = nonsense\nexcept NameError:\n    self.n = 1", "PD102"),
        ("try:\n    self.c = Color.nonsense\nexcept AttributeError:\n    self.n = 1", "PD102"),
        ("try:\n    require(id(self.n))\nexcept:\n    self.n = 1", "PD104"),
    ],
)
def test_a_refusal_is_reported_although_the_method_swallows_it(step: str, code: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, with_step(N + S + "self.c = Color.red", step))

    assert error.code == code
    assert error.span is not None


def test_a_refusal_on_a_path_that_no_state_takes_refuses_nothing(tmp_path: Path) -> None:
    step = "if self.n < self.m and self.m < self.n:\n    self.nonsense()"

    assert outcome(tmp_path, N + "self.m = Range(0, 3)", step) == "nothing"


def test_an_exception_on_a_path_that_no_state_takes_is_not_there(tmp_path: Path) -> None:
    found = compared(
        tmp_path, with_step(N + "self.m = Range(0, 3)", "assert not (self.n < self.m and self.m < self.n)")
    )

    assert found.differences == []
    assert found.verdicts["exceptions"] == "holds"


EXCEPTIONS = [
    (D, "self.d[0] += 1", "", "raises KeyError"),
    (D, "del self.d[0]", "d={1: 0}", "raises KeyError"),
    (D, "self.d.pop('x')", "", "raises KeyError"),
    (S, "self.s.remove(0)", "s={1}", "raises KeyError"),
    (S, "self.s.pop()", "", "raises KeyError"),
    (Q, "self.q.popleft()", "", "raises IndexError"),
    (Q, "self.q[1] = 0", "q=deque([0])", "raises IndexError"),
    (Q, "self.q.remove(1)", "q=deque([0])", "raises ValueError"),
    (A, "self.a[2] = True", "", "raises IndexError"),
    (N + B, "self.b = 1 // self.n > 0", "", "raises ZeroDivisionError"),
    (N, "assert self.n > 0", "", "raises AssertionError"),
    (N, "raise ValueError(self.n)", "", "raises ValueError"),
    (N, "raise StopIteration", "", "raises StopIteration"),
    (N, "raise SystemExit", "", "raises SystemExit"),
    (B + N, "if self.b:\n    x = 1\nself.n = x", "", "raises UnboundLocalError"),
    (
        N,
        "try:\n    self.n = 1 // self.n\nexcept ZeroDivisionError as error:\n    self.n = 1 + len(error.args)",
        "",
        "n = 2",
    ),
    (D + N, "try:\n    self.d[0]\nexcept KeyError as error:\n    self.n = 2 + error.args[0]", "", "n = 2"),
    (
        D + N,
        "try:\n    self.d[0] = 1\nexcept KeyError:\n    pass\nelse:\n    self.n = 1\nfinally:\n    self.n += 1",
        "",
        "d = {0: 1}, n = 2",
    ),
    (Q + N, "with suppress(IndexError):\n    self.q.popleft()\n    self.n = 1\nself.n += 1", "", "n = 1"),
    (Q + N, "try:\n    self.n = 1\n    self.q.popleft()\nfinally:\n    self.n += 1", "", "raises IndexError"),
    (Q + N, "try:\n    self.q.popleft()\nfinally:\n    return", "", "nothing"),
    (S + N, "try:\n    self.s.remove(0)\nexcept LookupError:\n    raise ValueError from None", "", "raises ValueError"),
]


@pytest.mark.parametrize(("state", "step", "start", "expected"), EXCEPTIONS)
def test_exceptions_are_pythons(state: str, step: str, start: str, expected: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("self.d[0]", "0"),
        ("self.q.popleft()", "pop from an empty deque"),
        ("self.q[1]", "deque index out of range"),
        ("self.a[2]", "list index out of range"),
        ("self.a[2] = True", "list assignment index out of range"),
        ("self.a['x']", "list indices must be integers or slices, not str"),
        ("self.s.pop()", "'pop from an empty set'"),
        ("self.n()", "'int' object is not callable"),
        ("list(self.n)", "'int' object is not iterable"),
        ("self.n[0]", "'int' object is not subscriptable"),
        ("self.n < 'a'", "'<' not supported between instances of 'int' and 'str'"),
        ("assert self.n > 0, f'only {self.n}'", "only 0"),
    ],
)
def test_exceptions_have_pythons_message(step: str, message: str, tmp_path: Path) -> None:
    caught = f"try:\n    {step}\nexcept Exception as error:\n    self.b = str(error) == {message!r}"

    assert outcome(tmp_path, B + N + S + Q + D + A, caught) == "b = True"


LOOPS = [
    (N + Q, "for x in self.q:\n    self.n += x", "q=deque([1, 2])", "n = 3"),
    (
        N + Q,
        "for i, x in enumerate(reversed(self.q)):\n    if x == 2:\n        self.n = i\n        break",
        "q=deque([2, 1])",
        "n = 1",
    ),
    (N, "for i in range(self.n):\n    self.n += i", "n=3", "bound"),
    (N, "for i in range(self.n):\n    self.n -= 1", "n=3", "n = 0"),
    (N + B, "for i in range(3):\n    if self.n == i:\n        break\nelse:\n    self.b = True", "n=3", "b = True"),
    (N, "while self.n > 0:\n    self.n -= 1", "n=3", "n = 0"),
    (
        Q + N,
        "while self.q:\n    self.n = self.q.popleft()\n    if self.n == 1:\n        continue",
        "q=deque([1, 2])",
        "q = [], n = 2",
    ),
    (N, "i = 0\nwhile i < 300:\n    i += 1\nself.n = i - 299", "", "n = 1"),
    (S + N, "for x in sorted(self.s, reverse=True):\n    self.n = x", "s={0, 1}", "nothing"),
    (
        N,
        "def add(x):\n    nonlocal total\n    total += x\n    return total\ntotal = 1\nself.n = add(self.n) + total",
        "n=0",
        "n = 2",
    ),
    (Q + N, "self.n = sum(x * 2 for x in self.q if x < 2)", "q=deque([1, 2])", "n = 2"),
    (Q + N, "self.n = next((x for x in self.q if x > 0), 3)", "", "n = 3"),
    (Q + N, "it = iter(self.q)\nself.n = next(it) + next(it)", "q=deque([1, 2])", "n = 3"),
    (Q, "it = iter(self.q)\nself.q.append(0)\nnext(it)", "q=deque([1])", "raises RuntimeError"),
]


@pytest.mark.parametrize(("state", "step", "start", "expected"), LOOPS)
def test_loops_and_closures_run_as_in_python(state: str, step: str, start: str, expected: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(
    ("step", "named", "message"),
    [
        ("while True:\n    pass", "while True:", "10,000 times"),
        ("while self.n >= 0:\n    self.n = (self.n + 1) % 3", "while self.n", "10,000 times"),
        ("forever(self.n)", "return forever(n)", "without end"),
        ("for x in count():\n    self.n = x % 2", "for x in count", "10,000 times"),
    ],
)
def test_a_step_without_end_is_refused_with_its_line(step: str, named: str, message: str, tmp_path: Path) -> None:
    top = "from itertools import count\n\ndef forever(n):\n    return forever(n)\n"

    error = refusal(tmp_path, with_step(N, step), top)

    assert (error.code, message in error.message) == ("PD106", True), error
    assert error.span is not None
    assert error.span.line == line_of(tmp_path, named)


def test_an_action_with_too_many_paths_is_refused_with_the_line_that_forked_most(tmp_path: Path) -> None:
    step = "n = 0\nfor flag in self.a:\n    if flag:\n        n += 1\nself.n = n % 4"
    path = written(tmp_path, with_step(N + "self.a = Array(range(6), bool)", step))
    spec = load_file(path).scenarios[0].spec

    with pytest.raises(SpecError) as caught:
        ground(spec, paths_max=60)

    assert caught.value.code == "PD106"
    assert "more than 60 paths" in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.line == line_of(tmp_path, "if flag:")
    assert ground(spec, paths_max=64)


@pytest.mark.parametrize(
    "step",
    [
        "self.n = len(self.s)",
        "self.n = sum(self.a)",
        "self.b = self.s <= self.t",
        "self.b = self.s == self.t",
        "self.b = self.q.count(1) > 8",
        "self.n = max(self.m, self.k)",
    ],
)
def test_counting_and_comparing_are_expressions_and_no_forks(step: str, tmp_path: Path) -> None:
    sets = (
        "self.s = Set(range(12))\nself.t = Set(range(12))\nself.q = Queue(bool, 9)\nself.a = Array(range(12), bool)\n"
    )
    state = sets + "self.b = False\nself.n = Range(0, 12)\nself.m = Range(0, 12)\nself.k = Range(0, 12)\n"
    spec = load_file(written(tmp_path, with_step(state, step))).scenarios[0].spec

    model, _ = ground(spec, paths_max=12)

    assert model.actions[0].tree


def test_asserts_are_checked_although_python_optimizes(tmp_path: Path) -> None:
    _, model, _ = traced(tmp_path, with_step(N, "assert self.n > 0"))

    assert "Raises" in repr(model.actions[0].tree)
