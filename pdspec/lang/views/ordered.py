"""Views of Queue (a deque) and Array (a list of fixed length)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableSequence
from itertools import pairwise
from typing import Any

from pdspec.lang.layout import ArrayPlace, QueuePlace, place_slots
from pdspec.lang.path import add, member
from pdspec.lang.symbolic import concrete, make
from pdspec.lang.views.access import VIEWS, View, clear, load, reset, store
from pdspec.model.expr import Const


def _same(mine: Any, theirs: Any) -> bool:
    """Equality of two sequences as Python asks it: item by item until one differs."""
    left, right = list(mine), list(theirs)
    return len(left) == len(right) and all(a is b or a == b for a, b in zip(left, right, strict=True))


class QueueView(View):
    """A `collections.deque` with at most as many items as the Queue's capacity."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return deque

    def __bool__(self) -> bool:
        empty = self._frame.is_code(self._place.length, 0)
        return not self._path.decide(empty)

    def __len__(self) -> int:
        return self._path.code_of(self._frame.get(self._place.length))

    def _pdspec_len(self) -> Any:
        return make(self._path, self._frame.get(self._place.length), None)

    def __iter__(self) -> Iterator[Any]:
        return self._forward(self._changes)

    def _forward(self, changes: int) -> Iterator[Any]:
        # CPython's iterator looks for changes before every item and before it ends.
        at = 0
        while self._unchanged(changes) and at < len(self._place.items) and self._longer_than(at):
            yield load(self._frame, self._place.items[at])
            at += 1

    def __reversed__(self) -> Iterator[Any]:
        return self._backward(self._changes, len(self))

    def _backward(self, changes: int, length: int) -> Iterator[Any]:
        # CPython's reverse iterator looks for changes before every item, and not before it ends.
        for at in reversed(range(length)):
            self._unchanged(changes)
            yield load(self._frame, self._place.items[at])

    def _unchanged(self, changes: int) -> bool:
        if self._changes != changes:
            raise RuntimeError("deque mutated during iteration")
        return True

    def __contains__(self, item: Any) -> bool:
        return any(item is each or item == each for each in self)

    def __getitem__(self, index: Any) -> Any:
        return load(self._frame, self._place.items[self._index(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        store(self._frame, self._place.items[self._index(index)], value)

    def __delitem__(self, index: Any) -> None:
        self._rework(lambda items: items.__delitem__(concrete(index)))

    def __eq__(self, other: object) -> Any:
        return _same(self, other) if isinstance(other, deque) else NotImplemented

    def __add__(self, other: Any) -> Any:
        return deque(self) + (deque(other) if isinstance(other, QueueView) else other)

    def __iadd__(self, other: Iterable[Any]) -> QueueView:  # type: ignore[misc]
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> Any:
        return deque(self) * concrete(times)

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> QueueView:
        self._replace(self * times)
        return self

    def __lt__(self, other: Any) -> bool:
        return deque(self) < deque(other) if isinstance(other, deque) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return deque(self) <= deque(other) if isinstance(other, deque) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return deque(self) > deque(other) if isinstance(other, deque) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return deque(self) >= deque(other) if isinstance(other, deque) else NotImplemented

    def append(self, item: Any) -> None:
        length = len(self)
        self._changes += 1
        self._room(length + 1)
        store(self._frame, self._place.items[length], item)
        self._frame.put(self._place.length, Const(length + 1))

    def popleft(self) -> Any:
        if not self:
            raise IndexError("pop from an empty deque")
        self._changes += 1
        items = self._place.items
        first = load(self._frame, items[0])
        for to, source in pairwise(items):
            for slot, moved in zip(place_slots(to), place_slots(source), strict=True):
                self._frame.put(slot, self._frame.get(moved))
        clear(self._frame, items[-1])
        self._frame.put(self._place.length, add(self._frame.get(self._place.length), Const(-1)))
        return first

    def pop(self) -> Any:
        length = len(self)
        if not length:
            raise IndexError("pop from an empty deque")
        self._changes += 1
        last = load(self._frame, self._place.items[length - 1])
        clear(self._frame, self._place.items[length - 1])
        self._frame.put(self._place.length, Const(length - 1))
        return last

    def clear(self) -> None:
        self._changes += 1
        reset(self._frame, self._place)

    def extend(self, items: Iterable[Any]) -> None:
        for item in list(items) if isinstance(items, View) else items:
            self.append(item)

    def appendleft(self, item: Any) -> None:
        self._rework(lambda items: items.appendleft(item))

    def extendleft(self, more: Iterable[Any]) -> None:
        for item in list(more) if isinstance(more, View) else more:
            self.appendleft(item)

    def insert(self, index: Any, item: Any) -> None:
        self._rework(lambda items: items.insert(concrete(index), item))

    def remove(self, item: Any) -> None:
        self._rework(lambda items: items.remove(item))

    def rotate(self, n: Any = 1) -> None:
        n = concrete(n)
        # CPython counts no change where there is nothing to turn.
        self._rework(lambda items: items.rotate(n), noticed=len(self) > 1)

    def reverse(self) -> None:
        self._rework(lambda items: items.reverse(), noticed=False)

    def count(self, item: Any) -> Any:
        return sum(each == item for each in self)

    def index(self, item: Any, *bounds: Any) -> int:
        return deque(self).index(item, *map(concrete, bounds))

    def copy(self) -> deque[Any]:
        return deque(self)

    @property
    def maxlen(self) -> None:
        return None

    def _longer_than(self, index: int) -> bool:
        length = self._frame.get(self._place.length)
        return self._path.decide(member(length, [n for n in range(len(self._place.items) + 1) if n > index]))

    def _index(self, index: Any) -> int:
        index = concrete(index)
        if not hasattr(type(index), "__index__"):
            raise TypeError(f"sequence index must be integer, not {type(index).__name__!r}")
        index = index.__index__()
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self._place.items) or not self._longer_than(index):
            raise IndexError("deque index out of range")
        return int(index)

    def _room(self, length: int) -> None:
        capacity = len(self._place.items)
        if length > capacity:
            self._path.overflow(f"{self._place.name} has room for {capacity}, one more is added")

    def _rework(self, change: Callable[[deque[Any]], Any], noticed: bool = True) -> None:
        """Changes the content as a real deque does; a loop over it notices that, or not."""
        items = deque(self)
        changes = self._changes
        change(items)
        self._replace(items)
        if not noticed:
            self._changes = changes

    def _replace(self, content: Any) -> None:
        self._changes += 1
        self._room(len(content))
        for place, item in zip(self._place.items, content, strict=False):
            store(self._frame, place, item)
        for place in self._place.items[len(content) :]:
            clear(self._frame, place)
        self._frame.put(self._place.length, Const(len(content)))


class ArrayView(View):
    """A `list` whose length never changes."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return list

    def __len__(self) -> int:
        return len(self._place.items)

    def __iter__(self) -> Iterator[Any]:
        for place in self._place.items:
            yield load(self._frame, place)

    def __reversed__(self) -> Iterator[Any]:
        for place in reversed(self._place.items):
            yield load(self._frame, place)

    def __contains__(self, item: Any) -> bool:
        return any(item is each or item == each for each in self)

    def __getitem__(self, index: Any) -> Any:
        index = concrete(index)
        if isinstance(index, slice):
            return [load(self._frame, place) for place in self._place.items[index]]
        return load(self._frame, self._at(index, "list index out of range"))

    def __setitem__(self, index: Any, value: Any) -> None:
        index = concrete(index)
        if isinstance(index, slice):
            items = list(self)
            items[index] = list(value)
            self._replace(items)
        else:
            store(self._frame, self._at(index, "list assignment index out of range"), value)

    def __eq__(self, other: object) -> Any:
        return _same(self, other) if isinstance(other, list) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return list(self) < list(other)

    def __le__(self, other: Any) -> bool:
        return list(self) <= list(other)

    def __gt__(self, other: Any) -> bool:
        return list(self) > list(other)

    def __ge__(self, other: Any) -> bool:
        return list(self) >= list(other)

    def __add__(self, other: Any) -> list[Any]:
        return list(self) + (list(other) if isinstance(other, ArrayView) else other)

    def __radd__(self, other: Any) -> list[Any]:
        return list(other) + list(self)

    def __iadd__(self, other: Iterable[Any]) -> ArrayView:  # type: ignore[misc]
        self._replace(self + list(other))
        return self

    def __imul__(self, times: Any) -> ArrayView:
        self._replace(self * times)
        return self

    def __delitem__(self, index: Any) -> None:
        self._path.refuse("PD104", f"del of an item of {self._place.name}", hint=self._hint("remove"))

    def __mul__(self, times: Any) -> list[Any]:
        return [item for _ in range(concrete(times)) for item in self]

    __rmul__ = __mul__

    def count(self, item: Any) -> Any:
        return sum(each == item for each in self)

    def index(self, item: Any, *bounds: Any) -> int:
        return list(self).index(item, *map(concrete, bounds))

    def copy(self) -> list[Any]:
        return list(self)

    def reverse(self) -> None:
        self._replace(list(self)[::-1])

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        self._replace(sorted(self, key=key, reverse=reverse))

    def _hint(self, name: str) -> str:
        if name in ("append", "extend", "insert", "pop", "remove", "clear"):
            return "an Array has a fixed length; write Queue(T, capacity) if it changes"
        return super()._hint(name)

    def _at(self, index: Any, problem: str) -> Any:
        if not hasattr(type(index), "__index__"):
            raise TypeError(f"list indices must be integers or slices, not {type(index).__name__}")
        try:
            return self._place.items[index]
        except IndexError:
            raise IndexError(problem) from None

    def _replace(self, content: Any) -> None:
        if len(content) != len(self._place.items):
            self._path.overflow(f"{self._place.name} has {len(self._place.items)} items, not {len(content)}")
        for place, item in zip(self._place.items, list(content), strict=True):
            store(self._frame, place, item)


MutableSequence.register(QueueView)
MutableSequence.register(ArrayView)
VIEWS[QueuePlace] = QueueView
VIEWS[ArrayPlace] = ArrayView
