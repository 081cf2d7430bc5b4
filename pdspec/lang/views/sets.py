"""The view of a Set."""

from __future__ import annotations

from collections.abc import Callable, MutableSet
from typing import Any

from pdspec.lang.layout import SetPlace
from pdspec.lang.symbolic import concrete, truth_value
from pdspec.lang.views.access import VIEWS, View
from pdspec.lang.views.dicts import DictPart
from pdspec.lang.views.unordered import Unordered, any_true
from pdspec.model.expr import FALSE, And, Const, Equal, Expr, Not


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
            parts.append(any_true([_negated(here), there]))
        return truth_value(self._path, _all(parts))

    def _replace(self, content: Any) -> None:
        keys = {self._declared(key) for key in content}
        for key, slot in self._place.slots.items():
            self._frame.put(slot, Const(int(key in keys)))


def _plain_set(other: Any) -> Any:
    return set(other) if not isinstance(other, set | frozenset) or isinstance(other, View) else other


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


def _all(conditions: list[Expr]) -> Expr:
    if any(condition == FALSE for condition in conditions):
        return FALSE
    rest = tuple(condition for condition in conditions if condition != Const(1))
    return Const(1) if not rest else rest[0] if len(rest) == 1 else And(rest)


MutableSet.register(SetView)
VIEWS[SetPlace] = SetView
