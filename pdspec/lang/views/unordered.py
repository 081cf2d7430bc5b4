"""What the views of Set, Dict and Bag have in common: no order. A loop goes through the keys as declared, or in
reverse.

The tracer runs a step that loops over one of them in both orders and refuses it when the outcomes differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pdspec.lang.path import add
from pdspec.lang.symbolic import concrete, make
from pdspec.lang.views.access import View, key_text
from pdspec.model.expr import FALSE, Const, Expr, Not, Or
from pdspec.model.tree import Disabled

MISSING: Any = object()


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
        return self._path.decide(any_true([self._there(key) for key in self._keys()]))

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
                if not left or not self._path.decide(any_true(here)):
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


def any_true(conditions: list[Expr]) -> Expr:
    if any(condition == Const(1) for condition in conditions):
        return Const(1)
    rest = tuple(condition for condition in conditions if condition != FALSE)
    return FALSE if not rest else rest[0] if len(rest) == 1 else Or(rest)
