"""Containers behave like the built-in ones, check what is stored, and choose where there is no order."""

from __future__ import annotations

import copy
import operator
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdspec.errors import SpecError
from pdspec.lang import Array, Bag, Dict, Queue, Range, Set, choose
from pdspec.semantics import Next, Raised
from tests.one_step import after, bound, raised, result, results

KEYS = ("b", "a", "d", "c")

ior: Any = operator.ior
iand: Any = operator.iand
isub: Any = operator.isub
ixor: Any = operator.ixor
iadd: Any = operator.iadd
imul: Any = operator.imul

# An operation gets the container, a key or value, another one, and a list of keys or values.
Operation = Callable[[Any, Any, Any, Any], Any]


def in_place(operate: Callable[[Any, Any], Any]) -> Operation:
    def change(container: Any, a: Any, b: Any, more: Any) -> Any:
        return operate(container, type_of(container)(more)) is container

    return change


def type_of(container: Any) -> Any:
    return next(kind for kind in (Counter, dict, set, deque, list) if isinstance(container, kind))


def deleted(container: Any, a: Any, b: Any, more: Any) -> None:
    del container[a]


def changed_under_a_loop(container: Any, a: Any, b: Any, more: Any) -> None:
    for _ in container:
        container.clear()


SET_OPERATIONS: dict[str, Operation] = {
    "add": lambda s, a, b, more: s.add(a),
    "discard": lambda s, a, b, more: s.discard(a),
    "remove": lambda s, a, b, more: s.remove(a),
    "clear": lambda s, a, b, more: s.clear(),
    "update": lambda s, a, b, more: s.update(more, [a]),
    "update with itself": lambda s, a, b, more: s.update(s),
    "difference_update": lambda s, a, b, more: s.difference_update(more),
    "difference_update with itself": lambda s, a, b, more: s.difference_update(s),
    "intersection_update": lambda s, a, b, more: s.intersection_update(more),
    "symmetric_difference_update": lambda s, a, b, more: s.symmetric_difference_update(more),
    "|=": in_place(ior),
    "&=": in_place(iand),
    "-=": in_place(isub),
    "^=": in_place(ixor),
    "|= of a list": lambda s, a, b, more: ior(s, more),
    "|": lambda s, a, b, more: s | set(more),
    "&": lambda s, a, b, more: set(more) & s,
    "-": lambda s, a, b, more: set(more) - s,
    "^": lambda s, a, b, more: s ^ frozenset(more),
    "union": lambda s, a, b, more: s.union(more),
    "intersection": lambda s, a, b, more: s.intersection(more),
    "difference": lambda s, a, b, more: s.difference(more),
    "symmetric_difference": lambda s, a, b, more: s.symmetric_difference(more),
    "issubset": lambda s, a, b, more: s.issubset(more),
    "issuperset": lambda s, a, b, more: s.issuperset(more),
    "isdisjoint": lambda s, a, b, more: s.isdisjoint(more),
    "comparisons": lambda s, a, b, more: (s == set(more), s != set(more), s < set(more), s <= set(more), s > set(more)),
    "in": lambda s, a, b, more: (a in s, b not in s),
    "len": lambda s, a, b, more: (len(s), bool(s)),
    "copy": lambda s, a, b, more: s.copy(),
    "copy.copy": lambda s, a, b, more: copy.copy(s),
    "copy.deepcopy": lambda s, a, b, more: copy.deepcopy(s),
    "set": lambda s, a, b, more: set(s),
    "sorted": lambda s, a, b, more: sorted(s),
    "hash": lambda s, a, b, more: hash(s),
    "a list as member": lambda s, a, b, more: s.add([a]),
    "changed under a loop": changed_under_a_loop,
}

DICT_OPERATIONS: dict[str, Operation] = {
    "[]": lambda d, a, b, more: d[a],
    "[]=": lambda d, a, b, more: d.__setitem__(a, len(more)),
    "del": deleted,
    "get": lambda d, a, b, more: (d.get(a), d.get(b, 7)),
    "get by keyword": lambda d, a, b, more: d.get(a, default=1),
    "an index of keys": lambda d, a, b, more: d.keys()[0],
    "pop": lambda d, a, b, more: d.pop(a),
    "pop with default": lambda d, a, b, more: d.pop(a, None),
    "setdefault": lambda d, a, b, more: d.setdefault(a, 2),
    "clear": lambda d, a, b, more: d.clear(),
    "update with a dict": lambda d, a, b, more: d.update(dict.fromkeys(more, 1), a=3),
    "update with pairs": lambda d, a, b, more: d.update([(key, 2) for key in more]),
    "|=": lambda d, a, b, more: ior(d, dict.fromkeys(more, 0)) is d,
    "|= of pairs": lambda d, a, b, more: ior(d, [(a, 1)]) is d,
    "|": lambda d, a, b, more: d | dict.fromkeys(more, 0),
    "reflected |": lambda d, a, b, more: dict.fromkeys(more, 0) | d,
    "| of a list": lambda d, a, b, more: d | more,
    "in": lambda d, a, b, more: (a in d, b not in d, a in d.keys(), 1 in d.values(), (a, 1) in d.items()),  # noqa: SIM118
    "len": lambda d, a, b, more: (len(d), bool(d), len(d.keys()), len(d.values()), len(d.items())),
    "==": lambda d, a, b, more: (d == dict.fromkeys(more, 1), d != {}, d.keys() == set(more)),
    "operators of keys": lambda d, a, b, more: (d.keys() & set(more), d.keys() | set(more), d.keys() - {a}),
    "more operators of keys": lambda d, a, b, more: (d.keys() ^ {a}, d.keys() <= set(more), d.keys().isdisjoint(more)),
    "copies": lambda d, a, b, more: (d.copy(), dict(d), {**d}, copy.copy(d), copy.deepcopy(d)),
    "sorted": lambda d, a, b, more: (sorted(d), sorted(d.items()), sorted(d.values())),
    "hash": lambda d, a, b, more: hash(d),
    "a list as key": lambda d, a, b, more: d.__setitem__([a], 1),
    "get of a list": lambda d, a, b, more: d.get([a]),
    "changed under a loop": changed_under_a_loop,
}

BAG_OPERATIONS: dict[str, Operation] = {
    "[]": lambda c, a, b, more: (c[a], c["none"]),
    "[]=": lambda c, a, b, more: c.__setitem__(a, 1 + len(more)),
    "del": deleted,
    "get": lambda c, a, b, more: (c.get(a), c.get(b, 7)),
    "pop": lambda c, a, b, more: c.pop(a),
    "pop with default": lambda c, a, b, more: c.pop(a, None),
    "setdefault": lambda c, a, b, more: c.setdefault(a, 2),
    "clear": lambda c, a, b, more: c.clear(),
    "update with keys": lambda c, a, b, more: c.update(more),
    "update with counts": lambda c, a, b, more: c.update(dict.fromkeys(more, 2), a=1),
    "+=": in_place(iadd),
    "-=": in_place(isub),
    "|=": in_place(ior),
    "&=": in_place(iand),
    "operators": lambda c, a, b, more: (c + Counter(more), c - Counter(more), c | Counter(more), c & Counter(more)),
    "reflected": lambda c, a, b, more: (Counter(more) + c, Counter(more) - c),
    "signs": lambda c, a, b, more: (+c, -c),
    "comparisons": lambda c, a, b, more: (c == Counter(more), c <= Counter(more), c > Counter(more)),
    "total": lambda c, a, b, more: c.total(),
    "elements": lambda c, a, b, more: sorted(c.elements()),
    "most_common": lambda c, a, b, more: sorted(c.most_common()),
    "the most common": lambda c, a, b, more: [count for _, count in c.most_common(1)],
    "in": lambda c, a, b, more: (a in c, b not in c, len(c), bool(c)),
    "copies": lambda c, a, b, more: (c.copy(), Counter(c), dict(c), copy.copy(c), copy.deepcopy(c)),
    "sorted": lambda c, a, b, more: (sorted(c), sorted(c.items()), sorted(c.values()), sorted(c.keys())),
    "changed under a loop": changed_under_a_loop,
}

QUEUE_OPERATIONS: dict[str, Operation] = {
    "append": lambda q, a, b, more: q.append(a),
    "appendleft": lambda q, a, b, more: q.appendleft(a),
    "pop": lambda q, a, b, more: q.pop(),
    "popleft": lambda q, a, b, more: q.popleft(),
    "extend": lambda q, a, b, more: q.extend(more),
    "extend with itself": lambda q, a, b, more: len(q) < 8 and q.extend(q),
    "extendleft": lambda q, a, b, more: q.extendleft(more),
    "extendleft with itself": lambda q, a, b, more: len(q) < 8 and q.extendleft(q),
    "insert": lambda q, a, b, more: q.insert(a - 1, b),
    "remove": lambda q, a, b, more: q.remove(a),
    "clear": lambda q, a, b, more: q.clear(),
    "rotate": lambda q, a, b, more: (q.rotate(), q.rotate(-a)),
    "reverse": lambda q, a, b, more: q.reverse(),
    "count and index": lambda q, a, b, more: (q.count(a), q.index(b)),
    "[]": lambda q, a, b, more: q[a - 2],
    "[]=": lambda q, a, b, more: q.__setitem__(a - 2, b),
    "[]= of a slice": lambda q, a, b, more: q.__setitem__(slice(0, 1), [a]),
    "del": deleted,
    "+=": in_place(iadd),
    "+": lambda q, a, b, more: q + deque(more),
    "*": lambda q, a, b, more: (q * 2, 2 * q),
    "*=": lambda q, a, b, more: len(q) < 8 and imul(q, a) is q,
    "in": lambda q, a, b, more: (a in q, len(q), bool(q)),
    "copies": lambda q, a, b, more: (q.copy(), deque(q), list(q), copy.copy(q), copy.deepcopy(q)),
    "reversed": lambda q, a, b, more: list(reversed(q)),
    "comparisons": lambda q, a, b, more: (q == deque(more), q < deque(more)),
    "maxlen": lambda q, a, b, more: q.maxlen,
    "changed under a loop": changed_under_a_loop,
}

ARRAY_OPERATIONS: dict[str, Operation] = {
    "[]": lambda x, a, b, more: x[a - 4],
    "[]=": lambda x, a, b, more: x.__setitem__(a + 1, b),
    "[]= by name": lambda x, a, b, more: x.__setitem__("a", b),
    "slices": lambda x, a, b, more: (x[a:], x[::-1], x[:]),
    "slice =": lambda x, a, b, more: x.__setitem__(slice(0, 2), (a, b)),
    "count and index": lambda x, a, b, more: (x.count(a), x.index(b)),
    "sort": lambda x, a, b, more: x.sort(reverse=True),
    "sort by key": lambda x, a, b, more: x.sort(key=lambda item: -item),
    "reverse": lambda x, a, b, more: x.reverse(),
    "+": lambda x, a, b, more: (x + more, more + x[:1]),
    "*": lambda x, a, b, more: (x * 2, 2 * x),
    "*= 1": lambda x, a, b, more: imul(x, 1) is x,
    "+= nothing": lambda x, a, b, more: iadd(x, []) is x,
    "in": lambda x, a, b, more: (a in x, len(x), bool(x)),
    "copies": lambda x, a, b, more: (x.copy(), list(x), copy.copy(x), copy.deepcopy(x)),
    "comparisons": lambda x, a, b, more: (x == more, x < more, x >= more),
    "reversed": lambda x, a, b, more: list(reversed(x)),
    "sum, max, any": lambda x, a, b, more: (sum(x), max(x), any(x), all(x)),
}

keys = st.sampled_from(KEYS)
values = st.integers(0, 3)


def calls(operations: dict[str, Operation], items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    call = st.tuples(st.sampled_from(sorted(operations)), items, items, st.lists(items, max_size=4))
    return st.lists(call, max_size=12)


def answers(operations: dict[str, Operation], called: list[Any], container: Any) -> list[Any]:
    """What each call says, exceptions included, with the content after it."""
    said: list[Any] = []
    for name, a, b, more in called:
        try:
            said.append((name, shown(operations[name](container, a, b, more))))
        except Exception as error:
            said.append((name, type(error), str(error)))
        said.append(plain(container))
    return said


def shown(value: Any) -> Any:
    """A value with its exact type, so that a copy that is still live would be seen."""
    return tuple(map(shown, value)) if type(value) is tuple else (type(value), value)


def plain(container: Any) -> Any:
    return dict(container.items()) if isinstance(container, dict) else type_of(container)(container)


def agree(declare: Callable[[Any], None], operations: dict[str, Operation], called: list[Any], start: Any) -> None:
    """The same calls on the variable `x` in a step and on the built-in container `start`."""
    said: list[Any] = []

    def step(self: Any) -> None:
        said.extend(answers(operations, called, self.x))

    state = after(declare, step)
    expected = answers(operations, called, start)

    assert said == expected
    assert state["x"] == start
    assert type(state["x"]) is type(start)


KINDS: dict[str, tuple[Callable[[], Any], Any, dict[str, Operation], st.SearchStrategy[Any]]] = {
    "Set": (lambda: Set(KEYS, start={"a", "b"}), {"a", "b"}, SET_OPERATIONS, keys),
    "Dict": (lambda: Dict(KEYS, Range(0, 4), start={"a": 1, "b": 0}), {"a": 1, "b": 0}, DICT_OPERATIONS, keys),
    "Bag": (lambda: Bag(KEYS, 100_000, start={"a": 1, "b": 2}), Counter({"a": 1, "b": 2}), BAG_OPERATIONS, keys),
    "Queue": (lambda: Queue(Range(0, 3), 100, start=[1, 2]), deque([1, 2]), QUEUE_OPERATIONS, values),
    "Array": (
        lambda: Array(range(4), Range(0, 3), start=[3, 0, 1, 2]),
        [3, 0, 1, 2],
        ARRAY_OPERATIONS,
        values,
    ),
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in KINDS[kind][2]])
def test_an_operation_does_what_it_does_on_the_built_in(kind: str, name: str) -> None:
    declared, start, operations, _ = KINDS[kind]
    a, b, more = ("a", "c", ["b", "d"]) if kind in ("Set", "Dict", "Bag") else (1, 2, [3, 0])

    agree(lambda self: setattr(self, "x", declared()), operations, [(name, a, b, more)], copy.deepcopy(start))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_operations_in_a_row_do_what_they_do_on_the_built_in(kind: str, data: st.DataObject) -> None:
    declared, start, operations, items = KINDS[kind]
    called = data.draw(calls(operations, items))

    agree(lambda self: setattr(self, "x", declared()), operations, called, copy.deepcopy(start))


def everything(self: Any) -> None:
    self.members = Set(KEYS, start=set(KEYS))
    self.entries = Dict(KEYS, Range(0, 3), start={key: KEYS.index(key) for key in "cbda"})
    self.counts = Bag(KEYS, 2, start={"d": 2, "a": 1})
    self.items = Queue(Range(0, 3), 2, start=[1])
    self.array = Array(range(2), Range(0, 3))
    self.nested = Dict(range(2), Array(range(2), Set(range(2))), start={0: [set(), {1}]})


def test_loops_see_keys_as_declared_also_those_that_were_added_in_the_step() -> None:
    said: list[Any] = []

    def step(self: Any) -> None:
        del self.entries["b"]
        self.entries["b"] = 0
        self.members.remove("a")
        self.members.add("a")
        self.counts["b"] += 1
        said.extend((list(self.members), [*self.members], list(self.entries), list(self.entries.items())))
        said.extend(
            (list(self.entries.values()), list(dict(self.entries)), list(self.counts), list(reversed(self.counts)))
        )
        said.extend((str(self.members), str(self.entries), list(self.entries.keys()), list(reversed(self.entries))))
        said.extend((list(reversed(self.entries.keys())), list(reversed(self.entries.values()))))
        said.extend((list(reversed(self.entries.items())), list(self.counts.copy())))

    after(everything, step)

    order = list(KEYS)
    assert said[:4] == [order, order, order, [("b", 0), ("a", 1), ("d", 2), ("c", 3)]]
    assert said[4:8] == [[0, 1, 2, 3], order, ["b", "a", "d"], ["d", "a", "b"]]
    assert said[8:10] == ["{'b', 'a', 'd', 'c'}", "{'b': 0, 'a': 1, 'd': 2, 'c': 3}"]
    assert said[10:14] == [order, order[::-1], order[::-1], [3, 2, 1, 0]]
    assert said[14:] == [[("c", 3), ("d", 2), ("a", 1), ("b", 0)], ["b", "a", "d"]]


def test_containers_are_written_like_the_built_in_ones() -> None:
    def step(self: Any) -> None:
        assert repr(self.items) == "deque([1])"
        assert repr(self.counts) == "Counter({'d': 2, 'a': 1})"
        assert f"{self.array}" == "[0, 0]"
        assert str(self.nested) == "{0: [set(), {1}]}"

    assert isinstance(result(everything, step), Next)


def test_pop_of_a_set_chooses_any_member() -> None:
    def step(self: Any) -> None:
        self.members.discard("b")
        self.entries = {self.members.pop(): 0}

    found = results(everything, step)

    assert [choices for choices, _ in found] == [(("pop", "a"),), (("pop", "d"),), (("pop", "c"),)]
    assert [sorted(outcome.state["members"]) for _, outcome in found if isinstance(outcome, Next)] == [
        ["c", "d"],
        ["a", "c"],
        ["a", "d"],
    ]


def test_popitem_of_a_dict_and_of_a_bag_choose_any_key() -> None:
    said: list[Any] = []

    def step(self: Any) -> None:
        said.append((self.counts.popitem(), self.entries.popitem()))

    found = results(everything, step)

    assert [choices for choices, _ in found] == [
        (("popitem", first), ("popitem", second)) for first in ("a", "d") for second in KEYS
    ]
    assert said[:2] == [(("a", 1), ("b", 0)), (("a", 1), ("a", 1))]


@pytest.mark.parametrize(
    ("name", "method", "message"),
    [
        ("members", "pop", "pop from an empty set"),
        ("entries", "popitem", "popitem(): dictionary is empty"),
        ("counts", "popitem", "popitem(): dictionary is empty"),
    ],
)
def test_taking_from_an_empty_container_raises_what_python_raises(name: str, method: str, message: str) -> None:
    def step(self: Any) -> None:
        container = getattr(self, name)
        container.clear()
        getattr(container, method)()

    assert raised(everything, step) == ("KeyError", repr(message))


def test_the_authors_iterator_yields_any_member_next_until_none_is_left() -> None:
    def step(self: Any) -> None:
        first, second = self.counts._pdspec_iter()
        self.items = [KEYS.index(first), KEYS.index(second)]

    found = results(everything, step)

    assert [choices for choices, _ in found] == [
        (("next", "a"), ("next", "d")),
        (("next", "d"), ("next", "a")),
    ]


@pytest.mark.parametrize("part", ["keys", "values", "items"])
def test_the_authors_iterator_over_a_part_of_a_dict_chooses_a_key(part: str) -> None:
    said: list[Any] = []

    def step(self: Any) -> None:
        said.append(next(getattr(self.entries, part)()._pdspec_iter()))

    found = results(everything, step)

    assert [choices for choices, _ in found] == [(("next", key),) for key in KEYS]
    assert said == {"keys": list(KEYS), "values": [0, 1, 2, 3], "items": [(key, KEYS.index(key)) for key in KEYS]}[part]


def test_the_authors_iterator_raises_when_the_container_changes() -> None:
    def step(self: Any) -> None:
        members = self.members._pdspec_iter()
        self.members.discard(next(members))
        next(members)

    ((choices, outcome),) = results(lambda self: setattr(self, "members", Set("ab", start={"a"})), step)

    assert choices == (("next", "a"),)
    assert isinstance(outcome, Raised)
    assert (outcome.type_name, outcome.message) == ("RuntimeError", "Set changed size during iteration")


def test_choosing_from_a_container_offers_its_members() -> None:
    def step(self: Any) -> None:
        self.items[0] = self.entries[choose(self.counts, name="key")]

    assert [choices for choices, _ in results(everything, step)] == [(("key", "a"),), (("key", "d"),)]


def loses_and_gets(self: Any) -> None:
    for key in self.counts:
        del self.counts[key]
        self.counts["b"] = 1


def test_a_loop_under_which_one_key_goes_and_another_comes_is_refused() -> None:
    with pytest.raises(SpecError, match="loses and gets a key while a loop goes through it") as caught:
        result(everything, loses_and_gets)

    assert caught.value.code == "PD104"


BOUNDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "set.add": (lambda self: self.members.add("e"), "members has no key 'e': its type declares b, a, d, c"),
    "set.update": (lambda self: self.members.update(["a", "e"]), "members has no key 'e'"),
    "set |=": (lambda self: ior(self.members, {"e"}), "members has no key 'e'"),
    "set ^=": (lambda self: ixor(self.members, {"e"}), "members has no key 'e'"),
    "dict key": (lambda self: self.entries.__setitem__("e", 0), "entries has no key 'e'"),
    "dict value": (lambda self: self.entries.__setitem__("a", 4), "entries[a] cannot hold 4"),
    "dict.setdefault": (lambda self: self.entries.setdefault("e", 0), "entries has no key 'e'"),
    "dict.update": (lambda self: self.entries.update(e=0), "entries has no key 'e'"),
    "bag key": (lambda self: self.counts.update(["e"]), "counts has no key 'e'"),
    "bag most": (lambda self: self.counts.update(["d"]), "counts[d] counts from 0 up to 2, not 3"),
    "bag below 0": (lambda self: self.counts.subtract(["b"]), "counts[b] counts from 0 up to 2, not -1"),
    "bag +=": (lambda self: iadd(self.counts, Counter("d")), "counts[d] counts from 0 up to 2, not 3"),
    "bag of text": (lambda self: self.counts.__setitem__("d", "1"), "counts[d] counts from 0 up to 2, not '1'"),
    "queue.append": (lambda self: self.items.append(4), "an item of items cannot hold 4"),
    "queue is full": (lambda self: self.items.extend([1, 1]), "items has room for 2, one more is added"),
    "queue is full on the left": (lambda self: self.items.extendleft([1, 1]), "items has room for 2"),
    "queue.insert": (lambda self: (self.items.append(1), self.items.insert(0, 1)), "items has room for 2"),
    "queue *=": (lambda self: imul(self.items, 3), "items has room for 2"),
    "queue []=": (lambda self: self.items.__setitem__(0, 4), "an item of items cannot hold 4"),
    "array []=": (lambda self: self.array.__setitem__(-1, 4), "array[1] cannot hold 4"),
    "array slice": (lambda self: self.array.__setitem__(slice(0, 1), [4]), "array[0] cannot hold 4"),
    "array length": (lambda self: self.array.__setitem__(slice(0, 1), [1, 1]), "array has 2 items, not 3"),
    "array +=": (lambda self: iadd(self.array, [1]), "array has 2 items, not 3"),
    "array *=": (lambda self: imul(self.array, 2), "array has 2 items, not 4"),
    "nested": (lambda self: self.nested[0][1].add(2), "nested[0][1] has no key 2"),
    "nested key": (lambda self: self.nested.__setitem__(1, [set(), {2}]), "nested[1][1] has no key 2"),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_storing_beyond_the_declared_type_is_a_bound(name: str) -> None:
    step, message = BOUNDS[name]

    assert bound(everything, step).startswith(message)


def test_asking_for_an_undeclared_key_is_answered_as_python_would() -> None:
    def step(self: Any) -> None:
        assert "e" not in self.members
        assert "e" not in self.entries
        assert self.entries.get("e") is None
        assert self.entries.pop("e", 5) == 5
        assert self.counts["e"] == 0
        self.members.discard("e")
        self.counts["e"] = 0
        del self.counts["e"]

    assert isinstance(result(everything, step), Next)


def test_a_count_of_0_is_no_entry() -> None:
    def step(self: Any) -> None:
        self.counts["a"] -= 1
        self.counts["b"] = 0
        assert "a" not in self.counts
        assert "b" not in self.counts

    assert after(everything, step)["counts"] == Counter({"d": 2})


def test_a_negative_count_within_one_operator_is_no_bound() -> None:
    def step(self: Any) -> None:
        self.counts -= Counter({"a": 2, "b": 1})

    assert after(everything, step)["counts"] == Counter({"d": 2})


@pytest.mark.parametrize(
    "change",
    [
        lambda array: array.append(0),
        lambda array: array.extend([]),
        lambda array: array.insert(0, 1),
        lambda array: array.pop(),
        lambda array: array.remove(0),
        lambda array: array.clear(),
        lambda array: array.__delitem__(0),
    ],
)
def test_methods_that_change_the_length_of_an_array_are_refused(change: Callable[[Any], None]) -> None:
    with pytest.raises(SpecError, match="an Array has a fixed length; write Queue") as caught:
        result(everything, lambda self: change(self.array))

    assert caught.value.code == "PD104"


def test_containers_in_containers_are_live_views() -> None:
    def step(self: Any) -> None:
        inner = self.nested[0]
        inner[0].add(1)
        self.nested.setdefault(1, [set(), set()])[1].add(0)
        inner[1] = {0}

    assert after(everything, step)["nested"] == {0: [{1}, {0}], 1: [set(), {0}]}


@pytest.mark.parametrize("name", ["members", "entries", "counts", "items", "array"])
def test_an_attribute_that_the_built_in_does_not_have_is_refused_although_it_is_swallowed(name: str) -> None:
    def step(self: Any) -> None:
        try:
            getattr(self, name).copyy()
        except Exception:
            self.array[0] = 1

    with pytest.raises(
        SpecError, match=f"{name}.copyy: a [a-zC]+ has no such attribute; did you mean 'copy'"
    ) as caught:
        result(everything, step)

    assert caught.value.code == "PD104"


@pytest.mark.parametrize("name", ["members", "entries", "counts", "items", "array"])
def test_a_container_has_no_fields_to_assign(name: str) -> None:
    def step(self: Any) -> None:
        getattr(self, name).note = 1

    with pytest.raises(SpecError, match=f"{name}.note is assigned") as caught:
        result(everything, step)

    assert caught.value.code == "PD102"


def test_a_snapshot_does_not_change_the_state() -> None:
    def step(self: Any) -> None:
        for snapshot in (self.members.copy(), set(self.members), self.members | {"z"}, self.members & {"a"}):
            snapshot.add("y")
        for mapping in (self.entries.copy(), dict(self.entries), self.entries | {"z": 9}):
            mapping["y"] = 9
        self.counts.copy()["y"] = 9
        (self.items + deque([9])).append(8)
        self.items.copy().append(9)
        self.array[:].append(9)

    def nothing(self: Any) -> None:
        pass

    assert after(everything, step) == after(everything, nothing)


def test_what_a_dict_gives_away_is_an_ordinary_container() -> None:
    def step(self: Any) -> None:
        arrays = self.nested.pop(0)
        arrays.append("anything")
        arrays[1].add("anything")

    assert after(everything, step)["nested"] == {}


def test_arrays_of_containers_cannot_be_reordered_in_place() -> None:
    with pytest.raises(SpecError, match="would be the same object") as caught:
        result(everything, lambda self: self.nested[0].reverse())

    assert caught.value.code == "PD110"
