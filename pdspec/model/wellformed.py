"""Which tuples of codes are states: every slot in its domain, and one form for each state.

Unused queue slots and payloads of absent keys and of None hold the first code of their slot. Without that, two tuples
would be the same state, and counts would depend on the way into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import assert_never

from pdspec.model.expr import Expr, Member, Or, Slot, evaluate
from pdspec.model.model import Model
from pdspec.model.shape import (
    ArrayShape,
    BagShape,
    DictShape,
    OptionalShape,
    QueueShape,
    RecordShape,
    ScalarShape,
    SetShape,
    Shape,
    shape_slots,
)

Assignment = dict[int, int]


def conditions(model: Model) -> tuple[Expr, ...]:
    """What every state meets, beside having each slot in its domain: a slot that means nothing holds its first code."""
    return tuple(condition for variable in model.variables for condition in _conditions(model, variable.shape))


def well_formed(model: Model, codes: Sequence[int]) -> bool:
    """Whether `codes` is a state of the Model, reachable or not."""
    return objection(model, codes) is None


def objection(model: Model, codes: Sequence[int], met: Sequence[Expr] | None = None) -> str | None:
    """Why `codes` is no state of the Model, or None where it is one. `met` are the `conditions`, where they are at
    hand.
    """
    if len(codes) != len(model.slots):
        return f"{len(codes)} codes for {len(model.slots)} slots"
    for slot, code in zip(model.slots, codes, strict=True):
        if code not in slot.domain.codes:
            return f"{slot.name} has the code {code}, which is not in its domain"
    for condition in conditions(model) if met is None else met:
        if not evaluate(condition, codes):
            index = _payload(condition)
            return (
                f"{model.slots[index].name} means nothing here and holds {codes[index]}, not {model.slots[index].first}"
            )
    return None


def count_states(model: Model) -> int:
    """How many well-formed valuations there are, reachable or not."""
    count = 1
    for variable in model.variables:
        count *= _count(model, variable.shape)
    return count


def all_states(model: Model) -> Iterator[tuple[int, ...]]:
    """Every well-formed valuation, each once, in the order of the Model."""
    for parts in product(*(list(_assignments(model, variable.shape)) for variable in model.variables)):
        yield _codes(model, parts)


def sampled_states(model: Model, count: int, seed: int = 0) -> list[tuple[int, ...]]:
    """At most `count` distinct well-formed valuations, the same for the same seed.

    Alternatives are equally likely at each place: a queue is as often empty as full, although most states have it full.
    """
    random = Random(seed)
    drawn: dict[tuple[int, ...], None] = {}
    for _ in range(count):
        drawn[_codes(model, [_drawn(model, variable.shape, random) for variable in model.variables])] = None
    return list(drawn)


def _codes(model: Model, parts: Sequence[Assignment]) -> tuple[int, ...]:
    codes = [slot.first for slot in model.slots]
    for part in parts:
        for index, code in part.items():
            codes[index] = code
    return tuple(codes)


def _merged(shape: OptionalShape) -> bool:
    """Whether being missing is a code of the payload's own slot."""
    return shape.presence in shape_slots(shape.inner)


def _conditions(model: Model, shape: Shape) -> Iterator[Expr]:
    match shape:
        case ScalarShape() | SetShape() | BagShape():
            return
        case OptionalShape(presence, absent, inner):
            if not _merged(shape):
                there = tuple(code for code in model.slots[presence].domain.codes if code != absent)
                yield from _first_unless(model, Member(Slot(presence), there), inner)
                yield from _conditions(model, inner)
        case RecordShape(_, fields):
            for _, inner in fields:
                yield from _conditions(model, inner)
        case ArrayShape(items):
            for item in items:
                yield from _conditions(model, item)
        case DictShape(entries):
            for _, entry in entries:
                yield from _conditions(model, entry)
        case QueueShape(length, items):
            for number, item in enumerate(items):
                longer = tuple(code for code in model.slots[length].domain.codes if code > number)
                yield from _first_unless(model, Member(Slot(length), longer), item)
                yield from _conditions(model, item)
        case _:
            assert_never(shape)


def _first_unless(model: Model, used: Expr, shape: Shape) -> Iterator[Expr]:
    for index in shape_slots(shape):
        yield Or((used, Member(Slot(index), (model.slots[index].first,))))


def _payload(condition: Expr) -> int:
    assert isinstance(condition, Or)
    first = condition.terms[1]
    assert isinstance(first, Member)
    assert isinstance(first.term, Slot)
    return first.term.index


def _count(model: Model, shape: Shape) -> int:
    match shape:
        case ScalarShape(slot):
            return len(model.slots[slot].domain.codes)
        case OptionalShape(presence, _, inner):
            return len(model.slots[presence].domain.codes) if _merged(shape) else 1 + _count(model, inner)
        case QueueShape(_, items):
            total = full = 1
            for item in items:
                full *= _count(model, item)
                total += full
            return total
        case RecordShape() | ArrayShape() | DictShape() | SetShape() | BagShape():
            count = 1
            for part in _parts(shape):
                count *= len(model.slots[part].domain.codes) if isinstance(part, int) else _count(model, part)
            return count
        case _:
            assert_never(shape)


def _parts(shape: RecordShape | ArrayShape | DictShape | SetShape | BagShape) -> Sequence[Shape | int]:
    """The independent parts of a shape; a slot stands for any of its codes."""
    match shape:
        case RecordShape(_, fields):
            return [inner for _, inner in fields]
        case ArrayShape(items):
            return items
        case DictShape(entries):
            return [entry for _, entry in entries]
        case SetShape(entries) | BagShape(entries):
            return [slot for _, slot in entries]
        case _:
            assert_never(shape)


def _assignments(model: Model, shape: Shape | int) -> Iterator[Assignment]:
    match shape:
        case int():
            yield from ({shape: code} for code in model.slots[shape].domain.codes)
        case ScalarShape(slot):
            yield from _assignments(model, slot)
        case OptionalShape(presence, absent, inner):
            if _merged(shape):
                yield from _assignments(model, presence)
            else:
                yield {presence: absent, **_firsts(model, inner)}
                for code in model.slots[presence].domain.codes:
                    if code != absent:
                        yield from ({presence: code, **part} for part in _assignments(model, inner))
        case QueueShape(length, items):
            for count in model.slots[length].domain.codes:
                rest = [_firsts(model, item) for item in items[count:]]
                for parts in product(*(list(_assignments(model, item)) for item in items[:count])):
                    yield _joined([{length: count}, *parts, *rest])
        case RecordShape() | ArrayShape() | DictShape() | SetShape() | BagShape():
            for parts in product(*(list(_assignments(model, part)) for part in _parts(shape))):
                yield _joined(parts)
        case _:
            assert_never(shape)


def _drawn(model: Model, shape: Shape | int, random: Random) -> Assignment:
    match shape:
        case int():
            return {shape: random.choice(model.slots[shape].domain.codes)}
        case ScalarShape(slot):
            return _drawn(model, slot, random)
        case OptionalShape(presence, absent, inner):
            if _merged(shape):
                return _drawn(model, presence, random)
            code = random.choice(model.slots[presence].domain.codes)
            return {presence: code, **(_firsts(model, inner) if code == absent else _drawn(model, inner, random))}
        case QueueShape(length, items):
            count = random.choice(model.slots[length].domain.codes)
            used = [_drawn(model, item, random) for item in items[:count]]
            return _joined([{length: count}, *used, *(_firsts(model, item) for item in items[count:])])
        case RecordShape() | ArrayShape() | DictShape() | SetShape() | BagShape():
            return _joined([_drawn(model, part, random) for part in _parts(shape)])
        case _:
            assert_never(shape)


def _firsts(model: Model, shape: Shape) -> Assignment:
    return {index: model.slots[index].first for index in shape_slots(shape)}


def _joined(parts: Sequence[Assignment]) -> Assignment:
    return {index: code for part in parts for index, code in part.items()}
