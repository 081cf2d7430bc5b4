"""What rewritten code calls instead of asking Python directly. On plain values each does exactly what Python does."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pdspec.errors import SpecError
from pdspec.lang.context import _runs, current, ordered, refuse
from pdspec.lang.fields import assign, target
from pdspec.lang.foreign import callee
from pdspec.lang.opaque import is_opaque, refuse_use
from pdspec.lang.path import LOOP_MAX, Path, member
from pdspec.lang.record import Record
from pdspec.lang.symbolic import (
    concrete,
    expression,
    extreme,
    is_symbol,
    possible_values,
    truth_value,
    value_map,
)
from pdspec.lang.views.access import View
from pdspec.model.expr import Equal
from pdspec.source import SourceSpan

__all__ = [
    "FALSE",
    "TRUE",
    "assign",
    "callee",
    "chain",
    "each",
    "hash_",
    "id_",
    "in_",
    "is_",
    "is_not",
    "isinstance_",
    "iter_",
    "len_",
    "list_",
    "log",
    "loop",
    "max_",
    "min_",
    "not_in",
    "plain",
    "subject",
    "target",
    "tuple_",
    "type_",
]  # fmt: skip


def _path() -> Path | None:
    return _runs[-1] if _runs and isinstance(_runs[-1], Path) else None


def _refuse_opaque(how: str, *values: Any) -> None:
    for value in values:
        if is_opaque(value):
            refuse_use(value, how)


def is_(left: Any, right: Any) -> Any:
    """`left is right`. Members and truth values are asked; ints are refused: their identity is an accident."""
    _refuse_opaque("compares", left, right)
    if is_symbol(right):
        left, right = right, left
    if not is_symbol(left):
        path = _path()
        if path is not None and isinstance(left, Record) and isinstance(right, Record):
            path.refuse("PD104", "`is` between Records asks for the identity of objects", hint="write ==")
        return left is right
    path = _path()
    assert path is not None
    if is_symbol(right):
        mine, theirs = value_map(left), value_map(right)
        if mine is not None and theirs is not None and all(mine[code] is theirs.get(code) for code in mine):
            return truth_value(path, Equal(expression(left), expression(right)))
        right = concrete(right)
    values = possible_values(left)
    if type(right) is int and any(type(value) is int for value in values):
        path.refuse("PD104", "`is` between ints asks for the identity of objects", hint="write ==")
    decode = value_map(left)
    codes = path.constraints.possible(expression(left))
    yes = [code for code in codes if (code if decode is None else decode[code]) is right]
    return truth_value(path, member(expression(left), yes))


def is_not(left: Any, right: Any) -> Any:
    """`left is not right`."""
    return _negate(is_(left, right))


def in_(item: Any, container: Any) -> Any:
    """`item in container`, one question for a container of plain values."""
    if is_symbol(item) and not isinstance(container, View) and not hasattr(type(container), "_pdspec_container"):
        path = _path()
        assert path is not None
        container = concrete(container)
        plain = isinstance(container, set | frozenset | dict | range | str | type) or (
            isinstance(container, tuple | list)
            and not any(is_symbol(each) or isinstance(each, Record) for each in container)
        )
        if plain:
            decode = value_map(item)
            codes = path.constraints.possible(expression(item))
            try:
                yes = [code for code in codes if (code if decode is None else decode[code]) in container]
            except TypeError:
                return concrete(item) in container
            return truth_value(path, member(expression(item), yes))
    return item in container


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`."""
    return _negate(in_(item, container))


def _negate(value: Any) -> Any:
    if is_symbol(value):
        return value == False  # noqa: E712
    return not value


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "is_": is_,
    "is_not": is_not,
    "in_": in_,
    "not_in": not_in,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}


def chain(left: Any, *links: tuple[str, Callable[[], Any]]) -> Any:
    """A chain of comparisons, as Python evaluates it."""
    result: Any = True
    for number, (name, operand) in enumerate(links):
        if number and not result:
            return result
        right = operand()
        result = _OPERATORS[name](left, right)
        left = right
    return result


def type_(value: Any) -> Any:
    """`type(value)`."""
    _refuse_opaque("tests", value)
    if is_symbol(value) or isinstance(value, View):
        return value.__class__
    return getattr(type(value), "_pdspec_type", type(value))


def id_(value: Any) -> int:
    """`id(value)`, refused for what is not known."""
    path = _path()
    if path is not None and (is_symbol(value) or isinstance(value, View)):
        path.refuse("PD104", "`id` of a value of the state", hint="compare with ==")
    return id(value)


def subject(value: Any) -> Any:
    """What a `match`, a `raise` or an `except` is about."""
    _refuse_opaque("depends on", *(value if type(value) is tuple else (value,)))
    return value


def hash_(value: Any) -> int:
    """`hash(value)` of an int; of anything else it differs from run to run of Python."""
    known = concrete(value)
    if not isinstance(known, int) and _runs:
        refuse("PD105", f"hash of {known!r} depends on PYTHONHASHSEED", hint="order or number the values yourself")
    return hash(known)


def len_(value: Any) -> Any:
    """`len(value)`, an expression where the container is a view."""
    measure = getattr(type(value), "_pdspec_len", None)
    return len(value) if measure is None else measure(value)


def isinstance_(value: Any, classes: Any) -> bool:
    """`isinstance(value, classes)`."""
    _refuse_opaque("tests", value)
    if is_symbol(value):
        answers = {isinstance(each, classes) for each in possible_values(value)}
        return answers.pop() if len(answers) == 1 else isinstance(concrete(value), classes)
    return isinstance(value, classes)


def each(collection: Any) -> Any:
    """What a loop goes through: a plain set in an order without hashes, and in both orders when traced."""
    if type(collection) not in (set, frozenset) or len(collection) < 2:
        return collection
    path = _path()
    items = ordered(collection)
    if path is None:
        return _watched(collection, items)
    path.unordered = path.unordered or path.span()
    return _watched(collection, items[::-1] if path.options.reverse else items)


def _watched(collection: Any, items: list[Any]) -> Iterator[Any]:
    size = len(collection)
    for item in items:
        if len(collection) != size:
            raise RuntimeError("Set changed size during iteration")
        yield item
    if len(collection) != size:
        raise RuntimeError("Set changed size during iteration")


def list_(*collection: Any) -> list[Any]:
    """`list(collection)`."""
    return list(*map(each, collection))


def tuple_(*collection: Any) -> tuple[Any, ...]:
    """`tuple(collection)`."""
    return tuple(*map(each, collection))


def iter_(value: Any, *sentinel: Any) -> Any:
    """`iter(value)`; of an unordered container, any member may come next."""
    choosing = getattr(type(value), "_pdspec_iter", None)
    if choosing is None and type(value) in (set, frozenset) and _runs:
        return _any_order(value)
    return iter(value, *sentinel) if choosing is None else choosing(value)


def _any_order(collection: Any) -> Iterator[Any]:
    left = ordered(collection)
    while left:
        item = current().choose(left, "next")
        left = [each for each in left if each is not item]
        yield item


def max_(*values: Any, **options: Any) -> Any:
    """`max(...)`."""
    return _extreme(max, values, options)


def min_(*values: Any, **options: Any) -> Any:
    """`min(...)`."""
    return _extreme(min, values, options)


def _extreme(plain: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any]) -> Any:
    path = _path()
    if path is None:
        return plain(*values, **options)
    items = list(each(values[0])) if len(values) == 1 else list(values)
    if items and not options:
        result = extreme(path, items, plain is max)
        if result is not NotImplemented:
            return result
    return plain(items, **options)


def plain(value: Any) -> Any:
    """The value that the path picks, for a special method that must return an exact type."""
    return concrete(value)


def loop(line: int) -> None:
    """Counts one round of a loop."""
    run: Any = _runs[-1] if _runs else None
    if run is None:
        return
    path = _path()
    if path is not None:
        path.tick()
    rounds: dict[int, int] = run.__dict__.setdefault("_rounds", {})
    rounds[line] = rounds.get(line, 0) + 1
    if rounds[line] > LOOP_MAX:
        message = f"this loop runs more than {LOOP_MAX:,} times in one step"
        hint = "a step is atomic: nothing else can happen meanwhile; make each round a step"
        if path is not None:
            path.refuse("PD106", message, hint=hint)
        raise SpecError("PD106", message, hint=hint, span=SourceSpan(sys._getframe(1).f_code.co_filename, line))


def log(*arguments: Any) -> None:
    """A log call: its arguments were evaluated, nothing is written."""


class _Truth:
    """What `case True` and `case False` are compared with: equal to that very truth value, and not to 1 or 0."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: bool) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return other is self._value


TRUE = _Truth(True)
FALSE = _Truth(False)
