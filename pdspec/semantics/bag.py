"""Bag: a Counter over declared keys, with counts up to a bound. A count of 0 is no entry.

It has no order. Copies and the results of operators are plain Counters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pdspec.lang.types import BagType
from pdspec.semantics.memory import Memory, named, refuse_attribute, unknown_attribute
from pdspec.semantics.parts import Items, Keys, Values
from pdspec.semantics.unordered import declared, in_any_order, in_order, members_of
from pdspec.semantics.values import Outside, accept_count

_MISSING: Any = object()


@named(Counter)
class LiveBag(Counter[Any]):
    """A Bag in the state. A count of 0 is no entry."""

    _memory: Memory
    _of: BagType
    _place: str

    __getattr__ = unknown_attribute
    __setattr__ = refuse_attribute

    def __init__(self, memory: Memory, of: BagType, place: str, counts: Mapping[Any, int]) -> None:
        dict.__init__(self, counts)
        vars(self).update(_memory=memory, _of=of, _place=place)

    def __iter__(self) -> Iterator[Any]:
        return in_order(self, "dictionary")

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    def _pdspec_iter(self) -> Iterator[Any]:
        return in_any_order(self, "dictionary")

    def keys(self) -> Keys:  # type: ignore[override]
        return Keys(self)

    def values(self) -> Values:  # type: ignore[override]
        return Values(self)

    def items(self) -> Items:  # type: ignore[override]
        return Items(self)

    def __setitem__(self, key: Any, count: Any) -> None:
        self._memory.change()
        hash(key)
        if key not in self._of.keys and count == 0:
            return
        key = declared(self, key)
        try:
            number = accept_count(self._of.most, key, count, self._place)
        except Outside as problem:
            self._memory.outside(str(problem))
        if number:
            dict.__setitem__(self, key, number)
        else:
            dict.pop(self, key, None)

    def __delitem__(self, key: Any) -> None:
        self._memory.change()
        dict.pop(self, key, None)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        self._memory.change()
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other: Any = (), /, **named: int) -> None:
        self._memory.change()
        for more in (other, named):
            for key, count in more.items() if isinstance(more, Mapping) else ((key, 1) for key in more):
                self[key] = self[key] + count

    def pop(self, key: Any, default: Any = _MISSING) -> Any:
        self._memory.change()
        return dict.pop(self, key) if default is _MISSING else dict.pop(self, key, default)

    def popitem(self) -> tuple[Any, int]:
        self._memory.change()
        if not self:
            raise KeyError("popitem(): dictionary is empty")
        key = self._memory.choose(members_of(self), "popitem")
        return key, dict.pop(self, key)

    def clear(self) -> None:
        self._memory.change()
        dict.clear(self)

    def copy(self) -> Counter[Any]:  # type: ignore[override]
        return Counter({key: self[key] for key in self})

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Counter[Any]:
        return self.copy()

    def __iadd__(self, other: Any) -> LiveBag:  # type: ignore[misc]
        counts = self.copy()
        counts += other
        return self._become(counts)

    def __isub__(self, other: Any) -> LiveBag:  # type: ignore[misc]
        counts = self.copy()
        counts -= other
        return self._become(counts)

    def __ior__(self, other: Any) -> LiveBag:  # type: ignore[misc,override]
        counts = self.copy()
        counts |= other
        return self._become(counts)

    def __iand__(self, other: Any) -> LiveBag:  # type: ignore[misc]
        counts = self.copy()
        counts &= other
        return self._become(counts)

    def __repr__(self) -> str:
        return repr(self.copy())

    def _become(self, counts: Mapping[Any, int]) -> LiveBag:
        self._memory.change()
        for key in {**self.copy(), **counts}:
            self[key] = counts[key]
        return self
