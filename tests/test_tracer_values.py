"""The tracer on values: identity, equality, types, text and arithmetic mean what they mean on plain values.

`outcome` compares with the method on plain values in all states; the expected results are written out here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.written import compared, line_of, outcome, refusal, with_step

B, N, M = "self.b = False\n", "self.n = Range(-1, 3, start=0)\n", "self.m = Range(0, 2)\n"
C, L, OPT, W = (
    "self.c = Color.red\n",
    "self.l = Level.mid\n",
    "self.o = Maybe(Range(0, 1))\n",
    'self.w = OneOf(("a", "b"))\n',
)
MODE, R, RO = "self.mode = Mode.off\n", "self.r = Item(Color.red)\n", "self.ro = Maybe(Item)\n"

IDENTITY = [
    (B + N, "if self.b is True: self.n = 1", "b=True", "n = 1"),
    (B + N, "if self.b is True: self.n = 1", "", "nothing"),
    (B + N, "if self.b is not False: self.n = 1", "b=True", "n = 1"),
    (B + N, "if self.n is True: self.b = True", "n=1", "nothing"),
    (B + OPT, "self.b = self.o is None", "", "b = True"),
    (B + OPT, "self.b = self.o is not None", "o=0", "b = True"),
    (B + OPT, "x = self.o\nself.o = None\nself.b = x is None", "o=1", "o = None"),
    (B + RO, "self.b = self.ro is None", "", "b = True"),
    (B + C, "self.b = self.c is Color.red", "", "b = True"),
    (B + C, "self.b = self.c is not Color.red", "c=Color.blue", "b = True"),
    (B + C, "self.b = self.c is self.c", "", "b = True"),
    (B + L, "self.b = self.l is Level.mid", "l=Level.mid", "b = True"),
    (B + "self.s = Set(range(2))", "self.b = self.s is self.s", "", "b = True"),
    (B + "self.s = Set(range(2))", "self.b = self.s is set()", "", "nothing"),
    (B + "self.x = OneOf((None, 3, 'x'))", "self.b = self.x is None", "", "b = True"),
    (B + "self.x = OneOf((None, 3, 'x'))", "self.b = self.x is not None and self.x == 3", "x=3", "b = True"),
]

TYPES = [
    (B, "self.b = type(self.b) is bool", "", "b = True"),
    (B + N, "self.b = type(self.n) is int", "", "b = True"),
    (B + MODE, "self.b = type(self.mode) is Mode and isinstance(self.mode, int)", "", "b = True"),
    (B + N, "self.b = isinstance(self.n, bool)", "", "nothing"),
    (B + OPT, "self.b = isinstance(self.o, int)", "o=1", "b = True"),
    (B + OPT, "self.b = isinstance(self.o, int)", "", "nothing"),
    (B + R, "self.b = isinstance(self.r, Item) and type(self.r) is Item", "", "b = True"),
    (B + "self.x = OneOf((None, 3, 'x'))", "self.b = isinstance(self.x, str)", "x='x'", "b = True"),
    (B + "self.s = Set(range(2))", "self.b = isinstance(self.s, set) and type(self.s) is set", "", "b = True"),
    (B + "self.q = Queue(bool, 1)", "self.b = isinstance(self.q, deque) and type(self.q) is deque", "", "b = True"),
    (
        B + "self.d = Dict(range(2), bool)",
        "self.b = isinstance(self.d, dict) and type(self.d) is dict",
        "",
        "b = True",
    ),
    (B + "self.g = Bag(range(2), 1)", "self.b = isinstance(self.g, dict) and type(self.g) is Counter", "", "b = True"),
    (
        B + "self.a = Array(range(2), bool)",
        "self.b = isinstance(self.a, list) and type(self.a) is list",
        "",
        "b = True",
    ),
    (B + N, "self.b = callable(self.n)", "", "nothing"),
]

EQUALITY = [
    (B + L, "self.b = self.l == 2", "", "b = True"),
    (B + L + N, "self.b = self.l == self.n", "n=2", "b = True"),
    (B + L, "self.b = -1 == self.l < 3", "l=Level.low", "b = True"),
    (B + C, 'self.b = self.c == "r"', "", "nothing"),
    (B + N, "self.b = self.n == 1.0", "n=1", "b = True"),
    (B + N, "self.b = self.n in (True, 2)", "n=1", "b = True"),
    (B + MODE, "self.b = self.mode == True", "mode=Mode.on", "b = True"),
    (B + N, "self.b = self.n != None", "", "b = True"),
    (B + W, "self.b = self.w == 1", "", "nothing"),
    (B + R, "self.b = self.r == Item(Color.red, False)", "", "b = True"),
    (B + R, "self.b = self.r in {Item(Color.red), Item(Color.blue)}", "", "b = True"),
    (B + R, "self.b = self.r != (Color.red, False)", "", "b = True"),
    (B + N + M, "self.b = (self.n, self.m) == (1, 1)", "n=1, m=1", "b = True"),
    (B + N + M, "self.b = (self.n, self.m) < (1, 1)", "n=1, m=0", "b = True"),
    (B + N + M, "self.b = 0 <= self.n < self.m <= 2", "n=0, m=1", "b = True"),
    (B + N + M, "self.b = 0 <= self.n < self.m <= 2", "n=1, m=1", "nothing"),
    (B + C, "self.b = self.c < Color.blue", "", "raises TypeError"),
    (B + N, 'self.b = self.n < "a"', "", "raises TypeError"),
    (B + OPT, "self.b = self.o > 0", "", "raises TypeError"),
    (B + OPT, "self.b = self.o > 0", "o=1", "b = True"),
]

STORING = [
    (L, "self.l = -1", "", "l = low"),
    (L, "self.l = 5.0", "", "l = high"),
    (L, "self.l = 3", "", "bound"),
    (L + N, "self.l = self.n", "n=2, l=Level.low", "l = mid"),
    (L + N, "self.l = self.n", "n=1", "bound"),
    (L, "self.l += 3", "", "l = high"),
    (L, "self.l = 2\nassert self.l is Level.mid and self.l.name == 'mid'", "", "nothing"),
    (B + N, "self.b = self.n", "n=1", "b = True"),
    (B + N, "self.b = self.n", "n=2", "bound"),
    (B, "self.b = 1\nassert self.b is True", "", "b = True"),
    (N + B, "self.n = self.b", "b=True", "n = 1"),
    (N + B, "self.n = self.b\nassert type(self.n) is int", "b=True", "n = 1"),
    (MODE + B, "self.mode = self.b", "b=True", "mode = on"),
    (C, 'self.c = "r"', "", "bound"),
    (C, 'self.c = Color("blue")', "", "raises ValueError"),
    (N, "self.n = 4\nself.n = 0", "", "bound"),
    (N, "self.n += 9\nself.n -= 9", "", "bound"),
    (N, "self.n = self.n + 9 - 9 + 1", "", "n = 1"),
    (N, "self.n = None", "", "bound"),
    (N, "self.n = []", "", "bound"),
    (OPT, "self.o = None", "o=1", "o = None"),
    (OPT + N, "self.o = self.n", "n=3", "bound"),
    (R, "self.r = None", "", "bound"),
    (R, "self.r = Item(Color.red, 1)", "", "r = Item(kind=red, last=True)"),
    (R, "self.r = Item(Color.red, 7)", "", "bound"),
    (R, "self.r.last = True", "", "r = Item(kind=red, last=True)"),
    (RO, "self.ro.last = True", "", "raises AttributeError"),
    (RO, "self.ro.last = True", "ro=Item(Color.blue)", "ro = Item(kind=blue, last=True)"),
]

ARITHMETIC = [
    (N, "self.n = self.n // 2", "n=-1", "nothing"),
    (N, "self.n = -self.n // 2", "n=1", "n = -1"),
    (N, "self.n = self.n % 2", "n=-1", "n = 1"),
    (N, "self.n = self.n % -2", "n=3", "n = -1"),
    (N, "self.n = divmod(self.n, 2)[0]", "n=3", "n = 1"),
    (N + M, "self.n = self.m // self.n", "n=0", "raises ZeroDivisionError"),
    (N + M, "self.n = self.n * self.m", "n=1, m=2", "n = 2"),
    (N + M, "self.n = self.m - 2 * self.n", "n=1, m=2", "n = 0"),
    (N, "self.n = 1 - self.n", "n=2", "n = -1"),
    (N, "self.n = abs(self.n)", "n=-1", "n = 1"),
    (N, "self.n = ~self.n", "n=0", "n = -1"),
    (N, "self.n = self.n << 1 | 1", "n=1", "n = 3"),
    (N, "self.n = 2 ** self.n", "n=1", "n = 2"),
    (N, "self.n = 2 ** self.n", "n=-1", "bound"),
    (N, "self.n = round(self.n / 2)", "n=3", "n = 2"),
    (N, "self.n = self.n / 1", "n=3", "nothing"),
    (N + B, "self.n = self.b + self.b", "b=True", "n = 2"),
    (N + M, "self.n = max(self.n, self.m, 1)", "m=2", "n = 2"),
    (N + M, "self.n = min([self.n, self.m], key=lambda x: -x)", "m=2", "n = 2"),
    (L, "self.l = max(self.l, Level.low)", "", "nothing"),
    (L + N, "self.n = max(self.n, 1)\nself.l = max(self.l, Level.high)", "", "l = high, n = 1"),
    (N + M, "self.n, self.m = self.m, 0", "n=0, m=2", "n = 2, m = 0"),
    (N, "self.n = self.n or 2", "", "n = 2"),
    (N, "self.n = self.n and 2", "", "nothing"),
]

TEXT = [
    (B + N, 'self.b = f"{self.n}" == "-1"', "n=-1", "b = True"),
    (B + N, 'self.b = f"{self.n:>2}" == " 1"', "n=1", "b = True"),
    (B + C, 'self.b = f"{self.c}" == str(Color.red)', "", "b = True"),
    (B + L, 'self.b = f"{self.l}" == "2"', "", "b = True"),
    (B + W, 'self.b = "{!r}".format(self.w) == "\'a\'"', "", "b = True"),
    (B + N, 'self.b = "%d" % self.n == "1"', "n=1", "b = True"),
    (B, 'self.b = str(self.b) == "False"', "", "b = True"),
    (B + R, 'self.b = str(self.r) == f"Item(kind={Color.red}, last=False)"', "", "b = True"),
    (B + "self.s = Set(range(3))", 'self.b = f"{self.s}" == "{0, 2}"', "s={0, 2}", "b = True"),
    (B + "self.s = Set(range(3))", 'self.b = str(self.s) == "set()"', "", "b = True"),
    (B + "self.d = Dict(range(2), bool)", 'self.b = str(self.d) == "{1: True}"', "d={1: True}", "b = True"),
    (B + "self.q = Queue(bool, 1)", 'self.b = repr(self.q) == "deque([])"', "", "b = True"),
    (B + "self.a = Array(range(2), bool)", 'self.b = str(self.a) == "[False, False]"', "", "b = True"),
    (B + W, "self.b = self.w.upper() == 'B' and self.w + 'x' == 'bx' and 'b' in self.w", "w='b'", "b = True"),
    (B + W, "self.b = self.w in 'abc'[:1]", "", "b = True"),
    (B + W, "self.b = 'abc'.startswith(self.w) and '-'.join([self.w, 'x']) == 'a-x'", "", "b = True"),
    (B + W, "self.b = '-'.join(x for x in (self.w, 'x')) == 'a-x' and ord(self.w) == 97", "", "b = True"),
    (W, "self.w = {'a': 'b', 'b': 'a'}[self.w]", "", "w = b"),
    (W, "self.w += 'x'", "", "bound"),
    (N, "self.n = int(f'{self.n}') + 1", "n=1", "n = 2"),
]


@pytest.mark.parametrize(("state", "step", "start", "expected"), IDENTITY)
def test_identity_is_asked_of_members_truth_values_and_none(
    state: str, step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(("state", "step", "start", "expected"), TYPES)
def test_types_are_those_of_the_plain_values(state: str, step: str, start: str, expected: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(("state", "step", "start", "expected"), EQUALITY)
def test_equality_and_order_are_pythons(state: str, step: str, start: str, expected: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(("state", "step", "start", "expected"), STORING)
def test_what_is_stored_is_the_types_own_value_or_a_bound(
    state: str, step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(("state", "step", "start", "expected"), ARITHMETIC)
def test_arithmetic_is_pythons_and_never_wraps(
    state: str, step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(("state", "step", "start", "expected"), TEXT)
def test_text_is_that_of_the_plain_values(state: str, step: str, start: str, expected: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, state, step, start) == expected


@pytest.mark.parametrize(
    ("state", "step"),
    [
        (N + M, "require(self.n is self.m)"),
        (N, "require(self.n is 1 - 0)"),
        (N, "require(id(self.n) > 0)"),
        ("self.q = Queue(bool, 1)", "require(id(self.q) > 0)"),
        (R, "require(self.r is self.r)"),
    ],
)
def test_identity_that_is_an_accident_is_refused_with_its_line(state: str, step: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, with_step(state, step))

    assert error.code == "PD104"
    assert error.span is not None
    assert error.span.line == line_of(tmp_path, step)


@pytest.mark.parametrize(
    "state",
    [
        "self.x = OneOf((0, False))",
        "self.x = OneOf((1, Mode.on))",
        "self.x = Dict((1, True), bool)",
        "self.x = Set((1, 1.0))",
        "self.x = OneOf(('a', 'a'))",
    ],
)
def test_a_domain_with_two_values_that_python_calls_equal_is_an_error(state: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, with_step(state, "pass"))

    assert error.code == "PD103"
    assert "equal" in error.message or "twice" in error.message


def test_two_enums_with_equal_values_are_told_apart(tmp_path: Path) -> None:
    found = compared(
        tmp_path, with_step("self.x = OneOf((Color.red, 'r'))", "self.x = 'r' if self.x is Color.red else Color.red")
    )

    assert found.differences == []
    assert found.evidence is not None
    assert found.evidence.states == 2
