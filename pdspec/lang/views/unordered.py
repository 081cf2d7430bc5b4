"""Views of Set, Dict and Bag. They have no order: a loop goes through the keys as declared, or in reverse.

The tracer runs a step that loops over one of them in both orders and refuses it when the outcomes differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from pdspec.lang.path import add, member
from pdspec.lang.symbolic import concrete, expression, is_symbol, make, truth_value
from pdspec.lang.views.access import View, clear, key_text, load, present, store_present
from pdspec.model.expr import FALSE, And, Const, Equal, Expr, Not, Or
from pdspec.model.tree import Disabled

_MISSING: Any = object()


class Unordered(View):
    """What the three have in common: keys that are there or not."""

    _noun = "Set"

    def _keys(self) -> dict[Any, Any]:
        """The declared keys, in order, with where each lives."""
        keys: dict[Any, Any] = self._place.slots
        return keys

    def _there(self, key: Any) -> Expr:
        """The condition that a declared key is there."""
        there = self._frame.is_code(self._keys()[key], 0)
        return Const(1 - there.value) if isinstance(there, Const) else Not(there)

    def _has(self, key: Any) -> bool:
        return key in self._keys() and self._path.decide(self._there(key))

    def _declared(self, key: Any) -> Any:
        """The key as declared; the path ends with an overflow where it is not."""
        key = concrete(key)
        if key not in self._keys():
            shown = [repr(each) if isinstance(each, str) else key_text(each) for each in (key, *self._keys())]
            self._path.overflow(f"{shown[0]} is no key of {self._place.name} ({', '.join(shown[1:])})")
        return key

    def _resize(self, key: Any, there: bool) -> None:
        """Counts a change of size, where a loop is watching."""
        if self._loops and self._has(key) != there:
            self._changes += 1 if there else -1

    def __contains__(self, key: Any) -> bool:
        return self._has(concrete(key))

    def __bool__(self) -> bool:
        return self._path.decide(_any([self._there(key) for key in self._keys()]))

    def __len__(self) -> int:
        return sum(self._path.decide(self._there(key)) for key in self._keys())

    def _pdspec_len(self) -> Any:
        return make(self._path, add(*(self._there(key) for key in self._keys())), None)

    def __iter__(self) -> Iterator[Any]:
        path = self._path
        keys = list(self._keys())
        if len(keys) > 1:
            path.unordered = path.unordered or path.span()
        if path.options.reverse:
            keys.reverse()
        start = self._changes
        before = {key: self._there(key) for key in keys} if self._loops == 0 else None
        self._loops += 1
        try:
            for key in keys:
                if self._has(key):
                    yield key
                    if self._changes != start:
                        raise RuntimeError(f"{self._noun} changed size during iteration")
                    if (
                        before
                        and any(self._there(each) != was for each, was in before.items())
                        and self._swapped(before)
                    ):
                        self._path.refuse(
                            "PD104", f"{self._place.name} loses and gets a key while a loop goes through it"
                        )
        finally:
            self._loops -= 1

    def _swapped(self, before: dict[Any, Expr]) -> bool:
        return any(self._path.decide(self._there(key)) != self._path.decide(was) for key, was in before.items())

    def _pdspec_iter(self) -> Iterator[Any]:
        """What `iter(x)` means to the author: any member next."""
        # From here on a change of size counts, also before the first `next`.
        self._loops += 1
        return self._any_order(list(self._keys()), self._changes)

    def _any_order(self, left: list[Any], start: int) -> Iterator[Any]:
        try:
            while True:
                if self._changes != start:
                    raise RuntimeError(f"{self._noun} changed size during iteration")
                here = [self._there(key) for key in left]
                if not left or not self._path.decide(_any(here)):
                    return
                key = left[self._path.pick("next", [key_text(key) for key in left])]
                self._only_if(self._there(key))
                left.remove(key)
                yield key
        finally:
            self._loops -= 1

    def _pdspec_members(self, name: str) -> Any:
        """What `choose(x)` picks: any member. Not enabled where there is none."""
        keys = list(self._keys())
        key = keys[self._path.pick(name, [key_text(key) for key in keys])]
        self._only_if(self._there(key))
        return key

    def _here(self) -> list[Any]:
        """The keys that are there, in declared order, for what does not depend on an order."""
        return [key for key in self._keys() if self._has(key)]

    def _any_member(self, name: str, empty: str) -> Any:
        if not self:
            raise KeyError(empty)
        return self._pdspec_members(name)

    def _only_if(self, condition: Expr) -> None:
        if not self._path.decide(condition):
            self._path.end(Disabled(self._path.span()))


class SetView(Unordered):
    """A `set` whose members are among the declared keys."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return set

    def add(self, key: Any) -> None:
        key = self._declared(key)
        self._resize(key, True)
        self._frame.put(self._place.slots[key], Const(1))

    def discard(self, key: Any) -> None:
        key = concrete(key)
        if key in self._place.slots:
            self._resize(key, False)
            self._frame.put(self._place.slots[key], Const(0))

    def remove(self, key: Any) -> None:
        key = concrete(key)
        if not self._has(key):
            raise KeyError(key)
        self.discard(key)

    def pop(self) -> Any:
        key = self._any_member("pop", "pop from an empty set")
        self.discard(key)
        return key

    def clear(self) -> None:
        for key in self._place.slots:
            self.discard(key)

    def copy(self) -> set[Any]:
        return set(self)

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self._here())) + "}" if self else "set()"

    def update(self, *others: Any) -> None:
        for other in others:
            for key in list(other):
                self.add(key)

    def difference_update(self, *others: Any) -> None:
        for other in others:
            for key in list(other):
                self.discard(key)

    def intersection_update(self, *others: Any) -> None:
        for key in self._place.slots:
            if not all(key in _plain_set(other) for other in others):
                self.discard(key)

    def symmetric_difference_update(self, other: Any) -> None:
        self._replace(set(self) ^ _plain_set(other))

    def union(self, *others: Any) -> set[Any]:
        return set(self).union(*others)

    def intersection(self, *others: Any) -> set[Any]:
        return set(self).intersection(*others)

    def difference(self, *others: Any) -> set[Any]:
        return set(self).difference(*others)

    def symmetric_difference(self, other: Any) -> set[Any]:
        return set(self).symmetric_difference(other)

    def issubset(self, other: Any) -> Any:
        return self._order(_plain_set(other), subset=True)

    def issuperset(self, other: Any) -> Any:
        return self._order(_plain_set(other), subset=False)

    def isdisjoint(self, other: Any) -> bool:
        return not any(key in self for key in list(other))

    def __eq__(self, other: object) -> Any:
        return truth_value(self._path, self._same(other)) if isinstance(other, set | frozenset) else NotImplemented

    def __ne__(self, other: object) -> Any:
        if not isinstance(other, set | frozenset):
            return NotImplemented
        return truth_value(self._path, Not(self._same(other)))

    def __le__(self, other: Any) -> Any:
        return self._order(other, subset=True) if isinstance(other, set | frozenset) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self._order(other, subset=False) if isinstance(other, set | frozenset) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self <= other and self != other if isinstance(other, set | frozenset) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self >= other and self != other if isinstance(other, set | frozenset) else NotImplemented

    def __or__(self, other: Any) -> Any:
        return set(self) | _plain_set(other) if isinstance(other, set | frozenset) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return set(self) & _plain_set(other) if isinstance(other, set | frozenset) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return set(self) - _plain_set(other) if isinstance(other, set | frozenset) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return set(self) ^ _plain_set(other) if isinstance(other, set | frozenset) else NotImplemented

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__

    def __rsub__(self, other: Any) -> Any:
        return set(other) - set(self)

    def __ior__(self, other: Any) -> Any:
        return self._operated(other, self.update)

    def __iand__(self, other: Any) -> Any:
        return self._operated(other, self.intersection_update)

    def __isub__(self, other: Any) -> Any:
        return self._operated(other, self.difference_update)

    def __ixor__(self, other: Any) -> Any:
        return self._operated(other, self.symmetric_difference_update)

    def _operated(self, other: Any, change: Callable[[Any], None]) -> Any:
        if not isinstance(other, set | frozenset | DictPart):
            return NotImplemented
        change(other)
        return self

    def _contains_in(self, other: Any, key: Any) -> Expr:
        if isinstance(other, View):
            return other._there(key) if key in other._keys() else FALSE
        return Const(int(key in other))

    def _same(self, other: Any) -> Expr:
        keys = self._place.slots
        foreign = [key for key in (other._keys() if isinstance(other, View) else other) if concrete(key) not in keys]
        if foreign and not isinstance(other, View):
            return FALSE
        parts = [_equal(self._there(key), self._contains_in(other, key)) for key in keys]
        parts += [Not(other._there(key)) for key in foreign]
        return _all(parts)

    def _order(self, other: Any, subset: bool) -> Any:
        keys = list(self._place.slots)
        theirs = other._keys() if isinstance(other, View) else other
        parts: list[Expr] = []
        for key in [*keys, *(concrete(key) for key in theirs if concrete(key) not in self._place.slots)]:
            mine = self._there(key) if key in self._place.slots else FALSE
            here, there = (mine, self._contains_in(other, key)) if subset else (self._contains_in(other, key), mine)
            parts.append(_any([_negated(here), there]))
        return truth_value(self._path, _all(parts))

    def _replace(self, content: Any) -> None:
        keys = {self._declared(key) for key in content}
        for key, slot in self._place.slots.items():
            self._frame.put(slot, Const(int(key in keys)))


class DictView(Unordered):
    """A `dict` whose keys are among the declared ones."""

    _noun = "dictionary"

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return dict

    def _keys(self) -> dict[Any, Any]:
        keys: dict[Any, Any] = self._place.entries
        return keys

    def _there(self, key: Any) -> Expr:
        return present(self._frame, self._place.entries[key])

    def __getitem__(self, key: Any) -> Any:
        key = concrete(key)
        if not self._has(key):
            raise KeyError(key)
        return load(self._frame, self._place.entries[key].inner)

    def __setitem__(self, key: Any, value: Any) -> None:
        key = self._declared(key)
        self._resize(key, True)
        store_present(self._frame, self._place.entries[key], value)

    def __delitem__(self, key: Any) -> None:
        key = concrete(key)
        if not self._has(key):
            raise KeyError(key)
        self._remove(key)

    def _remove(self, key: Any) -> None:
        self._resize(key, False)
        clear(self._frame, self._place.entries[key])

    def _taken(self, key: Any) -> Any:
        value = self[key]
        if isinstance(value, View):
            # A container leaves the state as an ordinary one.
            value = value.copy()
        self._remove(key)
        return value

    def get(self, key: Any, default: Any = None, /) -> Any:
        key = concrete(key)
        return load(self._frame, self._place.entries[key].inner) if self._has(key) else default

    def pop(self, key: Any, default: Any = _MISSING, /) -> Any:
        key = concrete(key)
        if not self._has(key):
            if default is _MISSING:
                raise KeyError(key)
            return default
        return self._taken(key)

    def popitem(self) -> tuple[Any, Any]:
        key = self._any_member("popitem", "popitem(): dictionary is empty")
        return key, self._taken(key)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        key = concrete(key)
        if not self._has(key):
            self[key] = default
        return self[key]

    def update(self, other: Any = (), **named: Any) -> None:
        for key, value in {**dict(other), **named}.items():
            self[key] = value

    def clear(self) -> None:
        for key in self._place.entries:
            self._remove(key)

    def copy(self) -> dict[Any, Any]:
        return dict(self.items())

    def __repr__(self) -> str:
        return repr({key: self[key] for key in self._here()})

    def keys(self) -> DictPart:
        return DictPart(self, "keys")

    def values(self) -> DictPart:
        return DictPart(self, "values")

    def items(self) -> DictPart:
        return DictPart(self, "items")

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        if any(concrete(key) not in self._keys() for key in list(other)):
            return False
        for key in self._keys():
            if self._has(key) != (key in other):
                return False
            if self._has(key) and not (self[key] == other[key]):
                return False
        return True

    def __or__(self, other: Any) -> Any:
        return {**self.copy(), **dict(other)} if isinstance(other, dict) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return {**dict(other), **self.copy()} if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> DictView:
        self.update(other)
        return self

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    def _replace(self, content: Any) -> None:
        self.clear()
        for key, value in content.items():
            self[key] = value


class BagView(Unordered):
    """A `collections.Counter` over the declared keys. A count of 0 is no entry."""

    _noun = "dictionary"

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return Counter

    def __getitem__(self, key: Any) -> Any:
        key = concrete(key)
        if key not in self._place.slots:
            return 0
        return make(self._path, self._frame.get(self._place.slots[key]), None)

    def __setitem__(self, key: Any, count: Any) -> None:
        key = concrete(key)
        if key not in self._place.slots:
            if count == 0:
                return
            self._declared(key)
        if not is_symbol(count) and not isinstance(count, int):
            self._path.overflow(f"{self._place.name}[{key_text(key)}] is not a count")
        if self._loops:
            self._resize(key, bool(count != 0))
        if is_symbol(count):
            expr = expression(count)
            possible = self._path.constraints.possible(expr)
            good = [code for code in possible if 0 <= code <= self._place.most]
            if not self._path.decide(member(expr, good)):
                self._path.overflow(f"{self._place.name}[{key_text(key)}] leaves 0 to {self._place.most}")
            self._frame.put(self._place.slots[key], expr)
        else:
            if not 0 <= count <= self._place.most:
                self._path.overflow(f"{self._place.name}[{key_text(key)}] = {count}, not from 0 to {self._place.most}")
            self._frame.put(self._place.slots[key], Const(int(count)))

    def __delitem__(self, key: Any) -> None:
        self[key] = 0

    def get(self, key: Any, default: Any = None, /) -> Any:
        return self[key] if key in self else default  # noqa: SIM401

    def pop(self, key: Any, default: Any = _MISSING, /) -> Any:
        if key not in self:
            if default is _MISSING:
                raise KeyError(concrete(key))
            return default
        count = self[key]
        self[key] = 0
        return count

    def popitem(self) -> tuple[Any, Any]:
        key = self._any_member("popitem", "popitem(): dictionary is empty")
        return key, self.pop(key)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other: Any = (), **named: Any) -> None:
        for key, count in Counter(_plain_counts(other), **named).items():
            self[key] = self[key] + count

    def subtract(self, other: Any = (), **named: Any) -> None:
        for key, count in Counter(_plain_counts(other), **named).items():
            self[key] = self[key] - count

    def total(self) -> Any:
        return sum(self[key] for key in self._place.slots)

    def elements(self) -> Iterator[Any]:
        return iter([key for key, count in self.items() for _ in range(count)])

    def most_common(self, n: int | None = None) -> list[tuple[Any, Any]]:
        ranked = sorted(self.items(), key=lambda item: item[1], reverse=True)
        return ranked if n is None else ranked[:n]

    def clear(self) -> None:
        for key in self._place.slots:
            self[key] = 0

    def copy(self) -> Counter[Any]:
        return Counter(dict(self.items()))

    def __repr__(self) -> str:
        return repr(Counter({key: self[key] for key in self._here()}))

    def keys(self) -> DictPart:
        return DictPart(self, "keys")

    def values(self) -> DictPart:
        return DictPart(self, "values")

    def items(self) -> DictPart:
        return DictPart(self, "items")

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        if any(concrete(key) not in self._place.slots and other[key] != 0 for key in list(other)):
            return False
        return all(self[key] == other.get(key, 0) for key in self._place.slots)

    def __add__(self, other: Any) -> Any:
        return self.copy() + _plain_counter(other)

    def __sub__(self, other: Any) -> Any:
        return self.copy() - _plain_counter(other)

    def __or__(self, other: Any) -> Any:
        return self.copy() | _plain_counter(other)

    def __and__(self, other: Any) -> Any:
        return self.copy() & _plain_counter(other)

    def __pos__(self) -> Any:
        return +self.copy()

    def __neg__(self) -> Any:
        return -self.copy()

    def __le__(self, other: Any) -> Any:
        return self.copy() <= _plain_counter(other)

    def __lt__(self, other: Any) -> Any:
        return self.copy() < _plain_counter(other)

    def __ge__(self, other: Any) -> Any:
        return self.copy() >= _plain_counter(other)

    def __gt__(self, other: Any) -> Any:
        return self.copy() > _plain_counter(other)

    def __iadd__(self, other: Any) -> BagView:
        self._replace(self + other)
        return self

    def __isub__(self, other: Any) -> BagView:
        self._replace(self - other)
        return self

    def __ior__(self, other: Any) -> BagView:
        self._replace(self | other)
        return self

    def __iand__(self, other: Any) -> BagView:
        self._replace(self & other)
        return self

    def __reversed__(self) -> Iterator[Any]:
        return reversed(list(self))

    def _replace(self, content: Any) -> None:
        counts = {concrete(key): count for key, count in content.items()}
        for key in self._place.slots:
            self[key] = counts.pop(key, 0)
        for key, count in counts.items():
            self[key] = count


class DictPart:
    """`keys()`, `values()` or `items()`: live, like Python's."""

    _pdspec_container = True
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, view: DictView | BagView, what: str) -> None:
        self._view = view
        self._what = what

    def __iter__(self) -> Iterator[Any]:
        for key in self._view:
            yield self._of(key)

    def _pdspec_iter(self) -> Iterator[Any]:
        for key in self._view._pdspec_iter():
            yield self._of(key)

    def _pdspec_members(self, name: str) -> Any:
        # Values are chosen, not their keys: equal ones are one choice.
        return self._view._pdspec_members(name) if self._what == "keys" else self._view._path.choose(list(self), name)

    def _of(self, key: Any) -> Any:
        if self._what == "keys":
            return key
        return self._view[key] if self._what == "values" else (key, self._view[key])

    def __len__(self) -> int:
        return len(self._view)

    def _pdspec_len(self) -> Any:
        return self._view._pdspec_len()

    def __bool__(self) -> bool:
        return bool(self._view)

    def __contains__(self, item: Any) -> bool:
        if self._what == "keys":
            return item in self._view
        return any(item is each or item == each for each in self)

    def __eq__(self, other: object) -> Any:
        if self._what == "values" or not isinstance(other, DictPart | set | frozenset):
            return self is other
        return set(self) == set(other)

    def __or__(self, other: Iterable[Any]) -> set[Any]:
        return set(self) | set(other)

    def __and__(self, other: Iterable[Any]) -> set[Any]:
        return set(self) & set(other)

    def __sub__(self, other: Iterable[Any]) -> set[Any]:
        return set(self) - set(other)

    def __rsub__(self, other: Iterable[Any]) -> set[Any]:
        return set(other) - set(self)

    def __xor__(self, other: Iterable[Any]) -> set[Any]:
        return set(self) ^ set(other)

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__

    def __le__(self, other: Any) -> Any:
        return set(self) <= set(other) if self._comparable(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return set(self) >= set(other) if self._comparable(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return set(self) < set(other) if self._comparable(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return set(self) > set(other) if self._comparable(other) else NotImplemented

    def _comparable(self, other: Any) -> bool:
        return self._what != "values" and isinstance(other, DictPart | set | frozenset)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(list(self))

    def __repr__(self) -> str:
        return f"dict_{self._what}({[self._of(key) for key in self._view._here()]!r})"

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        return not set(self) & set(other)


def _plain_set(other: Any) -> Any:
    return set(other) if not isinstance(other, set | frozenset) or isinstance(other, View) else other


def _plain_counts(other: Any) -> Any:
    return dict(other.items()) if isinstance(other, dict) else [concrete(item) for item in other]


def _plain_counter(other: Any) -> Any:
    return other.copy() if isinstance(other, BagView) else other


def _negated(condition: Expr) -> Expr:
    if isinstance(condition, Const):
        return Const(1 - condition.value)
    return condition.term if isinstance(condition, Not) else Not(condition)


def _equal(left: Expr, right: Expr) -> Expr:
    if isinstance(right, Const):
        return left if right.value else _negated(left)
    if isinstance(left, Const):
        return right if left.value else _negated(right)
    return Equal(left, right)


def _any(conditions: list[Expr]) -> Expr:
    if any(condition == Const(1) for condition in conditions):
        return Const(1)
    rest = tuple(condition for condition in conditions if condition != FALSE)
    return FALSE if not rest else rest[0] if len(rest) == 1 else Or(rest)


def _all(conditions: list[Expr]) -> Expr:
    if any(condition == FALSE for condition in conditions):
        return FALSE
    rest = tuple(condition for condition in conditions if condition != Const(1))
    return Const(1) if not rest else rest[0] if len(rest) == 1 else And(rest)


MutableSet.register(SetView)
MutableMapping.register(DictView)
MutableMapping.register(BagView)
