"""The view of a Dict, and of its keys, values and items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from pdspec.lang.layout import DictPlace
from pdspec.lang.symbolic import concrete
from pdspec.lang.views.access import VIEWS, View, clear, load, present, store_present
from pdspec.lang.views.unordered import MISSING, Unordered
from pdspec.model.expr import Expr


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

    def pop(self, key: Any, default: Any = MISSING, /) -> Any:
        key = concrete(key)
        if not self._has(key):
            if default is MISSING:
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


class DictPart:
    """`keys()`, `values()` or `items()`: live, like Python's."""

    _pdspec_container = True
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, view: Any, what: str) -> None:
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
        return iter(list(self)[::-1])

    def __repr__(self) -> str:
        return f"dict_{self._what}({[self._of(key) for key in self._view._here()]!r})"

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        return not set(self) & set(other)


MutableMapping.register(DictView)
VIEWS[DictPlace] = DictView
