"""Set and Dict: a set and a dict over declared keys that check what is stored in them.

They have no order. A loop goes through the keys as declared; `pop()`, `popitem()` and the author's `next(iter(x))`
choose any member. Copies and the results of operators are plain built-ins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pdspec.lang.types import DictType, SetType
from pdspec.semantics.memory import Memory, named, refuse_attribute, release, unknown_attribute
from pdspec.semantics.parts import Items, Keys, Values
from pdspec.semantics.values import Outside, declared_key, item_name, plain

_MISSING: Any = object()


def members_of(container: Any) -> list[Any]:
    """The keys that are there, as declared."""
    return [key for key in container._of.keys if key in container]


def in_order(container: Any, noun: str) -> Iterator[Any]:
    """A loop over the keys; Python's RuntimeError where their number changes under it."""
    before = members_of(container)
    for key in before:
        yield key
        now = members_of(container)
        if len(now) != len(before):
            raise RuntimeError(f"{noun} changed size during iteration")
        if now != before:
            container._memory.refuse("PD104", f"{container._place} loses and gets a key while a loop goes through it")


def in_any_order(container: Any, noun: str) -> Iterator[Any]:
    """What `iter(x)` means to the author: any member next."""
    size = len(container)
    given: list[Any] = []
    while True:
        if len(container) != size:
            raise RuntimeError(f"{noun} changed size during iteration")
        left = [key for key in members_of(container) if key not in given]
        if not left:
            return
        given.append(container._memory.choose(left, "next"))
        yield given[-1]


def declared(container: Any, key: Any) -> Any:
    """The declared key that equals `key`, which is about to be added."""
    try:
        return declared_key(container._of.keys, key, container._place)
    except Outside as problem:
        container._memory.outside(str(problem))


@named(set)
class LiveSet(set[Any]):
    """A Set in the state."""

    _memory: Memory
    _of: SetType
    _place: str

    __getattr__ = unknown_attribute
    __setattr__ = refuse_attribute

    def __init__(self, memory: Memory, of: SetType, place: str, members: Iterable[Any]) -> None:
        super().__init__(members)
        vars(self).update(_memory=memory, _of=of, _place=place)

    def __iter__(self) -> Iterator[Any]:
        return in_order(self, "Set")

    def _pdspec_iter(self) -> Iterator[Any]:
        return in_any_order(self, "Set")

    def add(self, key: Any) -> None:
        self._memory.change()
        super().add(declared(self, key))

    def discard(self, key: Any) -> None:
        self._memory.change()
        super().discard(key)

    def remove(self, key: Any) -> None:
        self._memory.change()
        super().remove(key)

    def pop(self) -> Any:
        self._memory.change()
        if not self:
            raise KeyError("pop from an empty set")
        key = self._memory.choose(members_of(self), "pop")
        super().remove(key)
        return key

    def clear(self) -> None:
        self._memory.change()
        super().clear()

    def update(self, *others: Iterable[Any]) -> None:
        self._memory.change()
        for other in others:
            for key in list(self) if other is self else other:
                self.add(key)

    def difference_update(self, *others: Iterable[Any]) -> None:
        self._memory.change()
        for other in others:
            for key in list(self) if other is self else other:
                self.discard(key)

    def intersection_update(self, *others: Iterable[Any]) -> None:
        self._become(self.intersection(*others))

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        self._become(self.symmetric_difference(other))

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._operated(other, self.update)

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._operated(other, self.difference_update)

    def __iand__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._operated(other, self.intersection_update)

    def __ixor__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._operated(other, self.symmetric_difference_update)

    def __copy__(self) -> set[Any]:
        return self.copy()

    def __deepcopy__(self, memo: object) -> set[Any]:
        return self.copy()

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, members_of(self))) + "}" if self else "set()"

    def _operated(self, other: Any, change: Callable[[Any], None]) -> Any:
        if not isinstance(other, set | frozenset):
            return NotImplemented
        change(other)
        return self

    def _become(self, members: Iterable[Any]) -> None:
        self._memory.change()
        kept = [declared(self, key) for key in members]
        super().clear()
        super().update(kept)


@named(dict)
class LiveDict(dict[Any, Any]):
    """A Dict in the state."""

    _memory: Memory
    _of: DictType
    _place: str

    __getattr__ = unknown_attribute
    __setattr__ = refuse_attribute

    def __init__(self, memory: Memory, of: DictType, place: str, entries: Mapping[Any, Any]) -> None:
        super().__init__(entries)
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

    def __setitem__(self, key: Any, value: Any) -> None:
        self._memory.change()
        key = declared(self, key)
        old = self.get(key)
        if old is not None and old is value:
            return
        release(old)
        super().__setitem__(key, self._memory.keep(self._of.inner, value, item_name(self._place, key)))

    def __delitem__(self, key: Any) -> None:
        self._memory.change()
        old = self.get(key)
        super().__delitem__(key)
        release(old)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        self._memory.change()
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other: Any = (), /, **named: Any) -> None:
        self._memory.change()
        pairs = [(key, other[key]) for key in other.keys()] if hasattr(other, "keys") else other  # noqa: SIM118
        for key, value in pairs:
            self[key] = value
        for name, value in named.items():
            self[name] = value

    def pop(self, key: Any, default: Any = _MISSING) -> Any:
        self._memory.change()
        if key not in self and default is not _MISSING:
            return default
        old = super().pop(key)
        release(old)
        return plain(old)

    def popitem(self) -> tuple[Any, Any]:
        self._memory.change()
        if not self:
            raise KeyError("popitem(): dictionary is empty")
        key = self._memory.choose(members_of(self), "popitem")
        return key, self.pop(key)

    def clear(self) -> None:
        self._memory.change()
        for value in super().values():
            release(value)
        super().clear()

    def copy(self) -> dict[Any, Any]:
        return {key: self[key] for key in self}

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> dict[Any, Any]:
        return {key: plain(self[key]) for key in self}

    def __or__(self, other: Any) -> Any:
        return dict.__or__(self.copy(), other)

    def __ror__(self, other: Any) -> Any:
        return dict.__ror__(self.copy(), other)

    def __ior__(self, other: Any) -> LiveDict:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(self.copy())
