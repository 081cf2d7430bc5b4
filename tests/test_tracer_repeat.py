"""The tracer on steps that do not repeat: caches, globals, random, values of an earlier run, writes past the state."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.written import line_of, outcome, refusal, with_step

B, N, M = "self.b = False\n", "self.n = Range(0, 3)\n", "self.m = Range(0, 3)\n"

KEPT = {
    "a global list, although nothing reads it": ("seen.append(1)", "seen = []", "PD105"),
    "a value in the default of a lambda": (
        "self.n = last(self.n)",
        "last = lambda n, seen=[]: seen.append(n) or seen[0]",
        "PD109",
    ),
    "a global list decides": ("seen.append(1)\nif self.b: self.n = len(seen) % 3", "seen = []", "PD105"),
    "a global list, one path": ("seen.append(1)\nself.n = len(seen) % 3", "seen = []", "PD105"),
    "a value in a global list": ("seen.append(self.n)\nself.m = seen[0]", "seen = []", "PD105"),
    "a value in a global list is asked": ("seen.append(self.n)\nif seen[0] > 0: self.n = 0", "seen = []", "PD105"),
    "a value in a global dict": ("self.m = cache.setdefault('n', self.n)", "cache = {}", "PD105"),
    "a view in a global list": ("seen.append(self.s)\nself.b = 0 in seen[0]", "seen = []", "PD105"),
    "a cached function": (
        "self.n = limited(self.n)",
        "import functools\n@functools.cache\ndef limited(n): return max(n, 1)",
        "PD109",
    ),
    "a default argument": (
        "self.n = count(self.n)",
        "def count(n, seen=[]):\n    seen.append(n)\n    return len(seen) % 3",
        "PD105",
    ),
    "a counter": ("self.n = next(numbers) % 3", "import itertools\nnumbers = itertools.count()", "PD105"),
    "a counter that decides": (
        "if next(numbers) % 2: require(self.b)",
        "import itertools\nnumbers = itertools.count()",
        "PD105",
    ),
    "a global of the module": (
        "bump()\nself.n = total % 3",
        "total = 0\ndef bump():\n    global total\n    total += 1",
        "PD105",
    ),
    "an attribute of a function": (
        "self.n = tick()",
        "def tick():\n    tick.n = getattr(tick, 'n', 0) + 1\n    return tick.n % 3",
        "PD105",
    ),
    "random": ("self.n = random.randrange(3)", "import random", "PD105"),
    "random from a helper": ("self.n = roll()", "import random\ndef roll(): return random.choice([1, 2])", "PD105"),
    "the time": ("self.b = time.time() > 0", "import time", "PD105"),
    "a swallowed refusal": (
        "try:\n    seen.append(self.n)\n    self.m = seen[0]\nexcept BaseException:\n    self.m = 0",
        "seen = []",
        "PD105",
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_step_that_depends_on_more_than_the_state_is_refused(name: str, tmp_path: Path) -> None:
    step, top, code = KEPT[name]

    error = refusal(tmp_path, with_step(B + N + M + "self.s = Set(range(2))", step), top)

    assert error.code == code, error


OUTSIDE = {
    "an undeclared variable": ("self.zz = 1", "", "PD102"),
    "a parameter": ("self.size = 1", "", "PD102"),
    "a private attribute": ("self._zz = 1", "", "PD102"),
    "an undeclared variable in a helper": ("helper(self)", "def helper(spec):\n    spec.zz = 1", "PD102"),
    "a class": ("Color.zz = 1", "", "PD104"),
    "the class of a member": ("Color.red.zz = 1", "", "PD104"),
    "the spec's class": ("Written.zz = 1", "", "PD104"),
    "the spec's class, by type": ("type(self).zz = 1", "", "PD104"),
    "the spec's class, by attribute": ("self.__class__.zz = 1", "", "PD104"),
    "the dictionary of the spec": ("self.__dict__['n'] = 1", "", "PD104"),
    "a module": ("os.zz = 1", "import os", "PD104"),
    "an object of the module": ("box.x = self.n", "class Box: pass\nbox = Box()", "PD104"),
    "an item of a list of the module": ("box[0] = self.n", "box = [0]", "PD104"),
    "a global": ("global zz\nzz = 1", "", "PD104"),
    "a variable that is deleted": ("del self.n", "", "PD104"),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_step_that_writes_past_the_state_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    step, top, code = OUTSIDE[name]
    members = "size: int = 2\n\n" + with_step(N, step)

    error = refusal(tmp_path, members, top)

    assert error.code == code, error
    assert error.span is not None
    if name != "an undeclared variable in a helper":
        assert error.span.line == line_of(tmp_path, step.splitlines()[0])


@pytest.mark.parametrize(
    ("step", "top", "expected"),
    [
        ("box = Box()\nbox.x = self.n\nself.n = box.x + 1", "class Box: pass", "n = 1"),
        ("seen = [self.n]\nseen.append(1)\nself.n = len(seen)", "", "n = 2"),
        ("self.n = LIMIT", "LIMIT = 2", "n = 2"),
        ("self.n = TABLE[self.n]", "TABLE = {n: 3 - n for n in range(4)}", "n = 3"),
        ("self.n = limited(2)", "import functools\n@functools.cache\ndef limited(n): return max(n, 1)", "n = 2"),
        ("self.n = plus(self.n)", "def plus(n, by=1): return n + by", "n = 1"),
    ],
)
def test_what_repeats_is_traced(step: str, top: str, expected: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, N, step, top=top) == expected
