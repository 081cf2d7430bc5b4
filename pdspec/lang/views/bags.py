"""The view of a Bag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, MutableMapping
from typing import Any

from pdspec.lang.layout import BagPlace
from pdspec.lang.path import member
from pdspec.lang.symbolic import concrete, expression, is_symbol, make
from pdspec.lang.views.access import VIEWS, key_text
from pdspec.lang.views.dicts import DictPart
from pdspec.lang.views.unordered import MISSING, Unordered
from pdspec.model.expr import Const


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

    def pop(self, key: Any, default: Any = MISSING, /) -> Any:
        if key not in self:
            if default is MISSING:
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
        return iter(list(self)[::-1])

    def _replace(self, content: Any) -> None:
        counts = {concrete(key): count for key, count in content.items()}
        for key in self._place.slots:
            self[key] = counts.pop(key, 0)
        for key, count in counts.items():
            self[key] = count


def _plain_counts(other: Any) -> Any:
    return dict(other.items()) if isinstance(other, dict) else [concrete(item) for item in other]


def _plain_counter(other: Any) -> Any:
    return other.copy() if isinstance(other, BagView) else other


MutableMapping.register(BagView)
VIEWS[BagPlace] = BagView
