"""The tracer on containers: views are like the built-in ones, old contents stay, one object has one place."""

from __future__ import annotations

from collections import Counter, deque
from pathlib import Path

import pytest

from pdspec.lang.views.bags import BagView
from pdspec.lang.views.dicts import DictPart, DictView
from pdspec.lang.views.ordered import ArrayView, QueueView
from pdspec.lang.views.sets import SetView
from pdspec.model.tree import Update, apply, outcomes
from pdspec.model.wellformed import all_states, well_formed
from tests.written import line_of, outcome, refusal, traced, with_step

STATE = """
self.b = False
self.n = Range(-1, 3, start=0)
self.s = Set(range(3))
self.t = Set(range(1, 4))
self.d = Dict(range(2), Range(0, 2))
self.dd = Dict(range(2), Set(range(2)))
self.q = Queue(Range(0, 2), 2)
self.a = Array(range(2), Range(0, 2))
self.g = Bag(range(2), 2)
self.r = Item(Color.red)
self.rr = Dict(range(2), Item)
self.ms = Maybe(Set(range(2)))
"""


def used(step: str) -> str:
    """The declarations of the variables that the step names."""
    lines = STATE.strip().splitlines()
    return "\n".join(line for line in lines if line.split(" ")[0] in step.replace("self.dd.", "self.dd ")) or lines[0]


SETS = [
    ("self.s.add(1)", "s={0}", "s = {0, 1}"),
    ("self.s.add(True)", "s={0}", "s = {0, 1}"),
    ("self.s.add(9)", "", "bound"),
    ("self.s.discard(9)", "s={0}", "nothing"),
    ("self.s.remove(0)", "s={0, 1}", "s = {1}"),
    ("self.b = 9 in self.s or 1.0 in self.s", "s={1}", "b = True"),
    ("self.b = [] in self.s", "", "raises TypeError"),
    ("self.b = self.s <= self.t and self.s < self.t", "s={1}, t={1, 3}", "b = True"),
    ("self.b = self.s == self.t", "s={1}, t={1}", "b = True"),
    ("self.b = self.s == self.t", "s={1}, t={1, 3}", "nothing"),
    ("self.b = self.s != {1, 9}", "s={1}", "b = True"),
    ("self.b = {1} <= self.s", "s={1, 2}", "b = True"),
    ("self.b = self.s.isdisjoint(self.t)", "s={0}, t={1}", "b = True"),
    ("self.s |= self.t", "t={1, 2}", "s = {1, 2}"),
    ("self.s |= self.t", "t={3}", "bound"),
    ("self.s -= self.t", "s={0, 1}, t={1}", "s = {0}"),
    ("self.s &= self.t", "s={0, 1}, t={1}", "s = {1}"),
    ("self.s ^= {0, 1}", "s={0}", "s = {1}"),
    ("self.s |= [1]", "", "raises TypeError"),
    ("self.s.update([1], {2})", "", "s = {1, 2}"),
    ("self.s = self.s | self.t", "s={0}, t={1}", "s = {0, 1}"),
    ("self.s = {x for x in self.s if x}", "s={0, 1}", "s = {1}"),
    ("self.s.clear()", "s={0, 1}", "s = {}"),
    ("self.n = len(self.s) + len(self.s & {1})", "s={0, 1}", "n = 3"),
    ("self.s = [1]", "", "bound"),
    ("if self.s: self.s = frozenset([2])", "s={0}", "s = {2}"),
    ("for k in self.s: self.s.add(2)", "s={0}", "raises RuntimeError"),
    ("for k in self.s: self.s.discard(k)", "s={0}", "raises RuntimeError"),
    ("self.ms = {0}\nself.ms.add(1)", "", "ms = {0, 1}"),
    ("self.ms.add(1)", "", "raises AttributeError"),
]
DICTS = [
    ("self.d[0] += 1", "d={0: 1}", "d = {0: 2}"),
    ("self.d[0] += 1", "d={0: 2}", "bound"),
    ("self.d[7] = 1", "", "bound"),
    ("self.d[True] = 1", "", "d = {1: 1}"),
    ("self.b = self.d.get(7, 1) == 1 and self.d.get(0) is None", "", "b = True"),
    ("self.n = self.d.pop(0)", "d={0: 2}", "n = 2, d = {}"),
    ("self.n = self.d.pop(0, 3)", "", "n = 3"),
    ("self.n = self.d.setdefault(0, 1)", "", "n = 1, d = {0: 1}"),
    ("self.n = self.d.setdefault(0, 1)", "d={0: 2}", "n = 2"),
    ("self.d.setdefault(0)", "", "bound"),
    ("self.d.update({0: 1}, )\nself.d.update([(1, 2)])", "", "d = {0: 1, 1: 2}"),
    ("self.d |= {0: 1}", "d={0: 0, 1: 1}", "d = {0: 1, 1: 1}"),
    ("self.d = {**self.d, 0: 2}", "d={1: 1}", "d = {0: 2, 1: 1}"),
    ("self.d = {k: v for k, v in self.d.items() if v}", "d={0: 0, 1: 1}", "d = {1: 1}"),
    ("self.b = self.d == {0: self.n}", "n=1, d={0: 1}", "b = True"),
    ("self.b = self.d == {0: 1, 7: 1}", "d={0: 1}", "nothing"),
    ("self.b = self.d.keys() == {0} and self.d.keys() < {0, 1} and 0 in self.d.keys()", "d={0: 1}", "b = True"),
    ("self.b = (0, 1) in self.d.items() and 1 in self.d.values()", "d={0: 1}", "b = True"),
    ("self.b = sorted(self.d.items()) == [(0, 1)] and sum(self.d.values()) == 1", "d={0: 1}", "b = True"),
    ("for k in self.d: self.d.pop(k)", "d={0: 1}", "raises RuntimeError"),
    ("for k in self.d: self.d[k] = 2", "d={0: 1}", "d = {0: 2}"),
    ("self.dd.setdefault(0, set()).add(1)", "", "dd = {0: {1}}"),
    ("self.dd[0] |= {1}", "dd={0: {0}}", "dd = {0: {0, 1}}"),
    ("self.dd[0].add(1)", "", "raises KeyError"),
    ("for k, v in self.dd.items(): v.add(k)", "dd={0: set(), 1: set()}", "dd = {0: {0}, 1: {1}}"),
    ("self.n = sum(map(len, self.dd.values()))", "dd={0: {0, 1}, 1: {0}}", "n = 3"),
    ("self.rr[0].last = True", "rr={0: Item(Color.blue)}", "rr = {0: Item(kind=blue, last=True)}"),
    (
        "self.rr[0] = replace(self.rr.pop(1), last=True)",
        "rr={1: Item(Color.blue)}",
        "rr = {0: Item(kind=blue, last=True)}",
    ),
    ("del self.rr[0]", "rr={0: Item(Color.blue, True)}", "rr = {}"),
]
QUEUES = [
    ("self.q.append(1)\nself.q.append(2)", "", "q = [1, 2]"),
    ("self.q.append(0)", "q=deque([1, 2])", "bound"),
    ("self.q.appendleft(2)", "q=deque([1])", "q = [2, 1]"),
    ("self.n = self.q.popleft()", "q=deque([1, 2])", "n = 1, q = [2]"),
    ("self.n = self.q.pop()", "q=deque([1, 2])", "n = 2, q = [1]"),
    ("self.q.rotate(1)", "q=deque([1, 2])", "q = [2, 1]"),
    ("self.q.insert(0, 2)", "q=deque([1])", "q = [2, 1]"),
    ("self.q.insert(-5, 2)", "q=deque([1])", "q = [2, 1]"),
    ("self.q.remove(2)", "q=deque([1, 2])", "q = [1]"),
    ("self.n = self.q.index(2) + self.q.count(2)", "q=deque([1, 2])", "n = 2"),
    ("self.q[-1] = self.q[0]", "q=deque([1, 2])", "q = [1, 1]"),
    ("self.q[self.n] += 1", "n=1, q=deque([0, 0])", "q = [0, 1]"),
    ("del self.q[0]", "q=deque([1, 2])", "q = [2]"),
    ("self.q.extendleft([1, 2])", "", "q = [2, 1]"),
    ("self.q += self.q", "q=deque([1])", "q = [1, 1]"),
    ("self.q *= 2", "q=deque([1])", "q = [1, 1]"),
    ("self.q = [1]", "", "q = [1]"),
    ("self.q = deque(x for x in self.q if x > 1)", "q=deque([1, 2])", "q = [2]"),
    ("self.b = self.q == deque([1]) and self.q < deque([2]) and 1 in self.q", "q=deque([1])", "b = True"),
    ("self.b = self.q == [1]", "q=deque([1])", "nothing"),
    ("self.n, other = self.q", "q=deque([1, 2])", "n = 1"),
    ("for x in self.q: self.q[0] = 2", "q=deque([0, 1])", "q = [2, 1]"),
    ("for x in self.q: self.q.append(0)", "q=deque([0])", "raises RuntimeError"),
    ("for x in reversed(self.q): self.q.clear()", "q=deque([0])", "q = []"),
    ("for x in self.q: self.q.reverse()", "q=deque([0, 1])", "nothing"),
    ("for x in self.q: self.q.rotate(1)", "q=deque([1])", "nothing"),
]
ARRAYS = [
    ("self.a[0], self.a[1] = self.a[1], 2", "a=[0, 1]", "a = [1, 2]"),
    ("self.a[-1] += 1", "a=[0, 1]", "a = [0, 2]"),
    ("self.a[self.n] = 2", "n=1", "a = [0, 2]"),
    ("self.a[self.n] = 2", "n=2", "raises IndexError"),
    ("self.a[0:1] = [2]", "", "a = [2, 0]"),
    ("self.a[:] = [1]", "", "bound"),
    ("self.a = [1, 2, 0]", "", "bound"),
    ("self.a = (2, 1)", "", "a = [2, 1]"),
    ("self.a.sort(reverse=True)", "a=[0, 1]", "a = [1, 0]"),
    ("self.a = self.a[::-1]", "a=[0, 1]", "a = [1, 0]"),
    ("self.a = sorted(x + 1 for x in self.a)", "a=[1, 0]", "a = [1, 2]"),
    ("self.b = self.a == [0, 1] and self.a < [1, 0] and [0, 1] == self.a", "a=[0, 1]", "b = True"),
    ("self.b = self.a + [2] == [0, 1, 2] and 2 * self.a == [0, 1, 0, 1]", "a=[0, 1]", "b = True"),
    ("self.n = self.a.index(1) + self.a.count(1)", "a=[0, 1]", "n = 2"),
    ("for i, x in enumerate(self.a): self.a[1 - i] = x", "a=[0, 1]", "a = [0, 0]"),
]
BAGS = [
    ("self.g[0] += 1", "g=Counter({0: 1})", "g = {0: 2}"),
    ("self.g[0] += 1", "g=Counter({0: 2})", "bound"),
    ("self.g[0] -= 1", "", "bound"),
    ("self.g[0] -= 1", "g=Counter({0: 1})", "g = {}"),
    ("self.g[7] = 0\nself.n = self.g[7] + self.g[0]", "g=Counter({0: 1})", "n = 1"),
    ("self.g[7] += 1", "", "bound"),
    ("self.b = 0 in self.g or self.g.get(1) is None", "", "b = True"),
    ("self.g.update([0, 0, 1])", "", "g = {0: 2, 1: 1}"),
    ("self.g.subtract([0])", "g=Counter({0: 2})", "g = {0: 1}"),
    ("self.g += Counter([0])\nself.g -= Counter([1])", "g=Counter({1: 1})", "g = {0: 1}"),
    ("self.g = Counter({0: 0, 1: 1})", "", "g = {1: 1}"),
    ("self.b = self.g == Counter({0: 1, 1: 0}) and self.g <= Counter([0, 0])", "g=Counter({0: 1})", "b = True"),
    ("self.n = self.g.total() + len(self.g) - 1", "g=Counter({0: 2, 1: 1})", "bound"),
    ("self.n = self.g.total()", "g=Counter({0: 2, 1: 1})", "n = 3"),
    ("self.b = sorted(self.g.elements()) == [0, 0, 1]", "g=Counter({0: 2, 1: 1})", "b = True"),
    ("del self.g[0]\nself.n = self.g.pop(1, 3)", "g=Counter({0: 2})", "n = 3, g = {}"),
]
KEPT = [
    ("x = set(self.s)\nself.s.add(1)\nself.b = x == set()", "", "b = True, s = {1}"),
    ("x = self.s.copy()\nx.add(1)\nself.n = len(self.s) + len(x)", "", "n = 1"),
    ("x = self.s\nx.add(1)", "", "s = {1}"),
    (
        "x = self.q\nself.q = deque([2])\nself.n = len(x)\nfor y in x: self.b = True",
        "q=deque([1, 1])",
        "b = True, n = 2, q = [2]",
    ),
    ("x = self.dd[0]\ndel self.dd[0]\nself.n = len(x)", "dd={0: {0, 1}}", "n = 2, dd = {}"),
    ("x = self.dd[0]\nself.dd = {1: {0}}\nself.n = len(x)", "dd={0: {0, 1}}", "n = 2, dd = {1: {0}}"),
    ("x = self.dd.pop(0)\nx.add(1)\nself.dd[1] = x", "dd={0: {0}}", "dd = {1: {0, 1}}"),
    ("for x in self.q: self.q = self.q.copy()", "q=deque([1, 2])", "nothing"),
    ("self.dd[0] = set(self.dd[1])\nself.dd[0].add(1)", "dd={1: {0}}", "dd = {0: {0, 1}, 1: {0}}"),
    ("r = self.r\nself.r.last = True\nself.b = r.last", "", "r = Item(kind=red, last=True)"),
    (
        "r = self.r\nself.r = Item(Color.blue)\nself.b = r.kind is Color.red",
        "",
        "b = True, r = Item(kind=blue, last=False)",
    ),
    ("n = self.n\nself.n = 3\nself.b = n == 1", "n=1", "b = True, n = 3"),
    ("self.q.append(self.n)\nself.n = 2", "n=1", "n = 2, q = [1]"),
    ("self.s = self.s\nself.dd[0] = self.dd[0]", "dd={0: {1}}", "nothing"),
]


@pytest.mark.parametrize(("step", "start", "expected"), [*SETS, *DICTS, *QUEUES, *ARRAYS, *BAGS])
def test_containers_of_the_state_behave_like_the_built_in_ones(
    step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, used(step + start), step, start) == expected


@pytest.mark.parametrize(("step", "start", "expected"), KEPT)
def test_views_are_live_and_snapshots_and_old_contents_stay(
    step: str, start: str, expected: str, tmp_path: Path
) -> None:
    assert outcome(tmp_path, used(step + start), step, start) == expected


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ("self.dd[0] = self.dd[1]", 0),
        ("x = {0}\nself.dd[0] = x\nself.dd[1] = x", 2),
        ("x = {0}\nself.dd[0] = x\nx.add(1)", 1),
        ("x = [0, 1]\nself.a = x\nx[0] = 1", 1),
        ("self.dd = {0: self.dd[1]}", 0),
        ("x = self.dd[0]\nself.dd[0] = {1}\nx.add(0)", 2),
        ("x = self.q\nself.q = deque()\nx.append(0)", 2),
        ("x = {0}\nself.dd[0] = x\ntry:\n    self.dd[1] = x\nexcept BaseException:\n    pass", 3),
    ],
)
def test_one_mutable_object_in_two_places_is_refused_with_its_line(step: str, line: int, tmp_path: Path) -> None:
    error = refusal(tmp_path, with_step(used(step), f"require(len(self.dd) > 1)\n{step}" if "dd" in step else step))

    assert error.code == "PD110", error
    assert error.span is not None
    assert error.span.line == line_of(tmp_path, step.splitlines()[line].strip())


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ("self.a.append(1)", "PD104"),
        ("self.a.pop()", "PD104"),
        ("del self.a[0]", "PD104"),
        ("self.s.nonsense()", "PD104"),
        ("self.q.maxsize = 3", "PD102"),
    ],
)
def test_what_a_container_does_not_support_is_refused(step: str, code: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, with_step(used(step), step)).code == code


INHERITED = set(dir(object)) | {"__class_getitem__", "__missing__", "__copy__", "_keep_positive", "fromkeys"}


@pytest.mark.parametrize(
    ("view", "built_in"),
    [
        (SetView, set),
        (DictView, dict),
        (BagView, Counter),
        (QueueView, deque),
        (ArrayView, list),
        (DictPart, type({}.items())),
    ],
)
def test_views_have_every_method_of_the_built_in_or_refuse_it(view: type, built_in: type) -> None:
    """A special method that a view lacks would be a TypeError that is taken for behaviour."""
    missing = {name for name in dir(built_in) if not hasattr(view, name)} - INHERITED

    assert not [name for name in missing if name.startswith("__")]
    assert missing <= {"append", "clear", "extend", "insert", "pop", "remove", "mapping"}


@pytest.mark.parametrize(
    ("state", "step"),
    [
        ("self.q = Queue(Item, 2)", "require(self.q)\nself.q.popleft()"),
        ("self.q = Queue(Item, 2)", "require(self.q)\nself.q.pop()"),
        ("self.q = Queue(Maybe(Item), 2)", "self.q.clear()"),
        ("self.q = Queue(Item, 2)", "self.q = deque([x for x in self.q if x.last])"),
        ("self.q = Queue(Range(1, 3), 3)", "require(self.q)\ndel self.q[0]"),
        ("self.d = Dict(range(2), Item)", "self.d.pop(0, None)"),
        ("self.d = Dict(range(2), Set(range(2)))", "self.d.clear()"),
        ("self.d = Dict(range(2), Dict(range(2), Maybe(bool)))", "self.d = {1: {0: None}}"),
        ("self.d = Dict(range(2), Queue(Item, 1))", "self.d[0] = deque()"),
        ("self.m = Maybe(Wrap)", "self.m = None"),
        ("self.m = Maybe(Set(range(2)))", "self.m = None"),
        ("self.a = Array(range(2), Maybe(Item))", "self.a.reverse()"),
    ],
)
def test_what_means_nothing_holds_its_first_value_after_every_step(state: str, step: str, tmp_path: Path) -> None:
    _, model, _ = traced(tmp_path, with_step(state, step))

    after = {
        apply(leaf, codes)
        for codes in all_states(model)
        for _, leaf in outcomes(model.actions[0].tree, codes)
        if isinstance(leaf, Update)
    }

    assert after
    assert all(well_formed(model, codes) for codes in after)
