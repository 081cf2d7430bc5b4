"""Queue and Array: a deque with a capacity, and a list of fixed length, that check what is stored in them.

Everything else is the built-in's own. Copies (`copy()`, slices, `+`) are plain built-ins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NoReturn, SupportsIndex

from pdspec.lang.types import ArrayType, QueueType
from pdspec.semantics.memory import Memory, named, refuse_attribute, release, unknown_attribute
from pdspec.semantics.values import plain

_FIXED = "an Array has a fixed length; write Queue(T, capacity) if it changes"


@named(deque)
class LiveQueue(deque[Any]):
    """A Queue in the state."""

    _memory: Memory
    _of: QueueType
    _place: str

    __getattr__ = unknown_attribute
    __setattr__ = refuse_attribute

    def __init__(self, memory: Memory, of: QueueType, place: str, items: Iterable[Any]) -> None:
        super().__init__(items)
        vars(self).update(_memory=memory, _of=of, _place=place)

    def append(self, item: Any) -> None:
        self._room()
        super().append(self._kept(item))

    def appendleft(self, item: Any) -> None:
        self._room()
        super().appendleft(self._kept(item))

    def insert(self, index: int, item: Any) -> None:
        self._room()
        super().insert(index, self._kept(item))

    def extend(self, items: Iterable[Any]) -> None:
        self._memory.change()
        for item in list(self) if items is self else items:
            self.append(item)

    def extendleft(self, items: Iterable[Any]) -> None:
        self._memory.change()
        for item in list(self) if items is self else items:
            self.appendleft(item)

    def __setitem__(self, index: Any, item: Any) -> None:
        self._memory.change()
        # A wrong index is Python's own error, before the item is asked whether it fits.
        super().__setitem__(index, super().__getitem__(index))
        super().__setitem__(index, self._kept(item))

    def __delitem__(self, index: Any) -> None:
        self._memory.change()
        super().__delitem__(index)

    def __iadd__(self, items: Iterable[Any]) -> LiveQueue:  # type: ignore[misc]
        self.extend(items)
        return self

    def __imul__(self, times: int) -> LiveQueue:
        items = list(self) * times
        self.clear()
        self.extend(items)
        return self

    def pop(self) -> Any:  # type: ignore[override]
        self._memory.change()
        return super().pop()

    def popleft(self) -> Any:
        self._memory.change()
        return super().popleft()

    def remove(self, item: Any) -> None:
        self._memory.change()
        super().remove(item)

    def clear(self) -> None:
        self._memory.change()
        super().clear()

    def rotate(self, n: int = 1) -> None:
        self._memory.change()
        super().rotate(n)

    def reverse(self) -> None:
        self._memory.change()
        super().reverse()

    def copy(self) -> deque[Any]:  # type: ignore[override]
        return deque(self)

    __copy__ = copy  # type: ignore[assignment]

    def __deepcopy__(self, memo: object) -> deque[Any]:
        return deque(map(plain, self))

    def __add__(self, other: Any) -> Any:
        return deque(self) + other

    def __mul__(self, times: int) -> deque[Any]:  # type: ignore[override]
        return deque(self) * times

    __rmul__ = __mul__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(deque(self))

    def _kept(self, item: Any) -> Any:
        return self._memory.keep(self._of.inner, item, f"an item of {self._place}")

    def _room(self) -> None:
        self._memory.change()
        if len(self) == self._of.capacity:
            self._memory.outside(f"{self._place} has room for {self._of.capacity}, one more is added")


@named(list)
class LiveArray(list[Any]):
    """An Array in the state. What would give it another length is a bound in an assignment, else refused."""

    _memory: Memory
    _of: ArrayType
    _place: str

    __getattr__ = unknown_attribute
    __setattr__ = refuse_attribute

    def __init__(self, memory: Memory, of: ArrayType, place: str, items: Iterable[Any]) -> None:
        super().__init__(items)
        vars(self).update(_memory=memory, _of=of, _place=place)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._memory.change()
        if isinstance(index, slice):
            items = list(self)
            items[index] = list(value)
            self._become(items)
            return
        try:
            old = self[index]
        except IndexError:
            raise IndexError("list assignment index out of range") from None
        if old is value:
            return
        release(old)
        place = f"{self._place}[{range(len(self))[index]}]"
        super().__setitem__(index, self._memory.keep(self._of.inner, value, place))

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        self._memory.change()
        self._become(sorted(self, key=key, reverse=reverse))

    def reverse(self) -> None:
        self._memory.change()
        self._become(list(self)[::-1])

    def __iadd__(self, items: Iterable[Any]) -> LiveArray:  # type: ignore[misc]
        self._memory.change()
        self._become([*self, *items])
        return self

    def __imul__(self, times: SupportsIndex) -> LiveArray:
        self._memory.change()
        self._become(list(self) * times)
        return self

    def append(self, item: Any) -> None:
        self._fixed("append()")

    def extend(self, items: Iterable[Any]) -> None:
        self._fixed("extend()")

    def insert(self, index: SupportsIndex, item: Any) -> None:
        self._fixed("insert()")

    def pop(self, index: SupportsIndex = -1) -> Any:
        self._fixed("pop()")

    def remove(self, item: Any) -> None:
        self._fixed("remove()")

    def clear(self) -> None:
        self._fixed("clear()")

    def __delitem__(self, index: Any) -> None:
        self._fixed("del")

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: object) -> list[Any]:
        return list(map(plain, self))

    def _become(self, items: list[Any]) -> None:
        if len(items) != len(self):
            self._memory.outside(f"{self._place} has {len(self)} items, not {len(items)}")
        for index, item in enumerate(items):
            self[index] = item

    def _fixed(self, what: str) -> NoReturn:
        self._memory.change()
        self._memory.refuse("PD104", f"{what} of {self._place}: {_FIXED}", hint="assign to an item, or to the whole")
