"""What a step changed, entry by entry: two states of a Model, read through the shapes of its variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from pdspec.model.model import Model
from pdspec.model.shape import (
    ArrayShape,
    BagShape,
    DictShape,
    Domain,
    OptionalShape,
    QueueShape,
    RecordShape,
    ScalarShape,
    SetShape,
    Shape,
    shape_text,
)
from pdspec.model.tree import Raises, Shown, outcomes
from pdspec.trace import State


@dataclass(frozen=True, slots=True)
class ValueChange:
    """`place` held `before` and holds `after`; None is an entry that is not there. `derived`: not a variable."""

    place: str
    before: str | None
    after: str | None
    derived: bool = False


@dataclass(frozen=True, slots=True)
class SetChange:
    """Members that were added to a set and taken from it."""

    place: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueChange:
    """Items that were taken from the two ends of a queue and then added there, each written from left to right."""

    place: str
    popleft: tuple[str, ...] = ()
    pop: tuple[str, ...] = ()
    appendleft: tuple[str, ...] = ()
    append: tuple[str, ...] = ()


Change = ValueChange | SetChange | QueueChange


def changes(model: Model, before: State, after: State) -> tuple[Change, ...]:
    """Every difference between two states, in the order of the variables, and then the derived values that differ."""
    found: list[Change] = []
    domains = model.domains()
    for variable in model.variables:
        found.extend(_Comparison(domains, before, after).of(variable.name, variable.shape))
    old, new = derived_texts(model, before), derived_texts(model, after)
    found.extend(ValueChange(name, old[name], new[name], derived=True) for name in new if old[name] != new[name])
    return tuple(found)


def derived_texts(model: Model, state: Sequence[int]) -> dict[str, str]:
    """The derived values of a state; one that raises is written as what it raises."""
    texts = {}
    for value in model.derived:
        _, leaf = next(iter(outcomes(value.tree, state)))
        match leaf:
            case Shown(text):
                texts[value.name] = text
            case Raises(exception):
                texts[value.name] = f"raises {exception}"
            case _:
                raise AssertionError(f"a derived value ends in {leaf}")
    return texts


def change_json(change: Change) -> dict[str, Any]:
    """A change as JSON data: `place` and `kind`, and what the kind has."""
    match change:
        case ValueChange(place, before, after, derived):
            kind = "derived" if derived else "value"
            return {"place": place, "kind": kind, "before": before, "after": after}
        case SetChange(place, added, removed):
            return {"place": place, "kind": "set", "added": list(added), "removed": list(removed)}
        case QueueChange(place, popleft, pop, appendleft, append):
            ends = {"popleft": popleft, "pop": pop, "appendleft": appendleft, "append": append}
            return {"place": place, "kind": "queue", **{name: list(items) for name, items in ends.items()}}
        case _:
            assert_never(change)


class _Comparison:
    """Two states and the domains that their codes are of."""

    def __init__(self, domains: Sequence[Domain], before: State, after: State) -> None:
        self._domains = domains
        self._before = before
        self._after = after

    def of(self, place: str, shape: Shape) -> Iterator[Change]:
        match shape:
            case ScalarShape(slot):
                if self._before[slot] != self._after[slot]:
                    yield self._whole(place, shape)
            case OptionalShape():
                yield from self._optional(place, shape, "None")
            case RecordShape(_, fields):
                for name, inner in fields:
                    yield from self.of(f"{place}.{name}", inner)
            case ArrayShape(items):
                for number, item in enumerate(items):
                    yield from self.of(f"{place}[{number}]", item)
            case DictShape(entries):
                for key, entry in entries:
                    yield from self._optional(f"{place}[{key}]", entry, None)
            case SetShape(entries):
                added = tuple(key for key, slot in entries if self._after[slot] and not self._before[slot])
                removed = tuple(key for key, slot in entries if self._before[slot] and not self._after[slot])
                if added or removed:
                    yield SetChange(place, added, removed)
            case QueueShape():
                yield from self._queue(place, shape)
            case BagShape(entries):
                for key, slot in entries:
                    if self._before[slot] != self._after[slot]:
                        yield ValueChange(f"{place}[{key}]", str(self._before[slot]), str(self._after[slot]))
            case _:
                assert_never(shape)

    def _optional(self, place: str, shape: OptionalShape, missing: str | None) -> Iterator[Change]:
        there_before = self._before[shape.presence] != shape.absent
        there_after = self._after[shape.presence] != shape.absent
        if there_before and there_after:
            yield from self.of(place, shape.inner)
        elif there_before:
            yield ValueChange(place, self._text(shape.inner, self._before), missing)
        elif there_after:
            yield ValueChange(place, missing, self._text(shape.inner, self._after))

    def _queue(self, place: str, shape: QueueShape) -> Iterator[Change]:
        lengths = self._before[shape.length], self._after[shape.length]
        old = [self._text(item, self._before) for item in shape.items[: lengths[0]]]
        new = [self._text(item, self._after) for item in shape.items[: lengths[1]]]
        if old == new:
            return
        ends = _ends(place, old, new)
        if lengths[0] == lengths[1]:
            differing = [number for number in range(lengths[0]) if old[number] != new[number]]
            if len(differing) < _size(ends):
                for number in differing:
                    yield from self.of(f"{place}[{number}]", shape.items[number])
                return
        yield ends

    def _whole(self, place: str, shape: Shape) -> ValueChange:
        return ValueChange(place, self._text(shape, self._before), self._text(shape, self._after))

    def _text(self, shape: Shape, state: State) -> str:
        return shape_text(shape, self._domains, state)


def _ends(place: str, old: Sequence[str], new: Sequence[str]) -> QueueChange:
    """The fewest items that leave and enter at the ends; of several such, the one nearest to a FIFO."""
    candidates = []
    for start in range(len(old) + 1):
        for stop in range(start, len(old) + 1):
            kept = list(old[start:stop])
            for at in range(len(new) - len(kept) + 1):
                if list(new[at : at + len(kept)]) == kept:
                    ends = old[:start], old[stop:], new[:at], new[at + len(kept) :]
                    candidates.append(QueueChange(place, *map(tuple, ends)))
    return min(candidates, key=lambda change: (_size(change), len(change.pop) + len(change.appendleft)))


def _size(change: QueueChange) -> int:
    return len(change.popleft) + len(change.pop) + len(change.appendleft) + len(change.append)
