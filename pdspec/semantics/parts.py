"""`keys()`, `values()` and `items()` of a Dict or a Bag: live, like Python's, and in the order of the declaration."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Any

from pdspec.semantics.memory import named


@named(type({}.keys()))
class Keys(KeysView[Any]):
    """The keys; `next(iter(x))` chooses one."""

    def __init__(self, of: Any) -> None:
        super().__init__(of)
        self._container = of

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    def _pdspec_iter(self) -> Iterator[Any]:
        yield from self._container._pdspec_iter()


@named(type({}.values()))
class Values(ValuesView[Any]):
    """The values; `next(iter(x))` chooses the key of one."""

    def __init__(self, of: Any) -> None:
        super().__init__(of)
        self._container = of

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    def _pdspec_iter(self) -> Iterator[Any]:
        for key in self._container._pdspec_iter():
            yield self._container[key]


@named(type({}.items()))
class Items(ItemsView[Any, Any]):
    """The entries; `next(iter(x))` chooses the key of one."""

    def __init__(self, of: Any) -> None:
        super().__init__(of)
        self._container = of

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    def _pdspec_iter(self) -> Iterator[Any]:
        for key in self._container._pdspec_iter():
            yield key, self._container[key]
