"""A value that is not known yet: an expression over the state, and the Python value that each of its codes stands for.

Every operator exists. Those that the Model has a node for build an expression; all others enumerate: the path picks a
value, the plain Python operator is applied, and the other values are explored on other paths. So Python itself decides
what `7 // x`, `x.name` or `hash(x)` means.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

from pdspec.errors import did_you_mean
from pdspec.lang.path import Path, add, member
from pdspec.model.expr import Const, Equal, Expr, Less, Max, Member, Min, Not, Scale

_TABLE_MAX = 512
_BOOLS: Mapping[int, Any] = {0: False, 1: True}


class Symbol:
    """An unknown scalar. `values` maps codes to Python values; None means that codes are plain ints."""

    __slots__ = ("_expr", "_path", "_values")

    def __init__(self, path: Path, expr: Expr, values: Mapping[int, Any] | None) -> None:
        self._path = path
        self._expr = expr
        self._values = values

    def __bool__(self) -> bool:
        if self._values is None or self._values is _BOOLS:
            return _live(self).decide(_truth(self._expr))
        codes = [code for code in _codes(self) if self._values[code]]
        return _live(self).decide(member(self._expr, codes))

    def __eq__(self, other: object) -> Any:
        return _compare(self, other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return _compare(self, other, operator.ne)

    def __lt__(self, other: Any) -> Any:
        return _compare(self, other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return _compare(self, other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return _compare(self, other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return _compare(self, other, operator.ge)

    def __hash__(self) -> int:
        return hash(concrete(self))

    def __add__(self, other: Any) -> Any:
        return _linear(self, other, 1, 1, operator.add)

    def __radd__(self, other: Any) -> Any:
        return _linear(self, other, 1, 1, lambda mine, theirs: theirs + mine)

    def __sub__(self, other: Any) -> Any:
        return _linear(self, other, 1, -1, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return _linear(self, other, -1, 1, lambda mine, theirs: theirs - mine)

    def __neg__(self) -> Any:
        if not is_numeric(self):
            return -concrete(self)
        return make(_live(self), _scaled(-1, self._expr), None)

    def __pos__(self) -> Any:
        return make(_live(self), self._expr, None) if is_numeric(self) else +concrete(self)

    def __mul__(self, other: Any) -> Any:
        other = concrete(other)
        if is_numeric(self) and isinstance(other, int):
            return make(_live(self), _scaled(int(other), self._expr), None)
        return concrete(self) * other

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __int__(self) -> int:
        return int(concrete(self))

    def __index__(self) -> int:
        return operator.index(concrete(self))

    def __float__(self) -> float:
        return float(concrete(self))

    def __str__(self) -> str:
        return str(concrete(self))

    def __repr__(self) -> str:
        return repr(concrete(self))

    def __format__(self, spec: str) -> str:
        return format(concrete(self), spec)

    def __len__(self) -> int:
        return len(concrete(self))

    def __iter__(self) -> Any:
        return iter(concrete(self))

    def __contains__(self, item: Any) -> bool:
        return item in concrete(self)

    def __getitem__(self, key: Any) -> Any:
        return concrete(self)[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and not hasattr(int, name):
            raise AttributeError(name)
        value = concrete(self)
        if not hasattr(value, name):
            kind = type(value).__name__
            _live(self).refuse("PD102", f"a {kind} has no attribute {name!r}{did_you_mean(name, dir(value))}")
        return getattr(value, name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        types = {int} if self._values is None else {type(value) for value in possible_values(self)}
        return types.pop() if len(types) == 1 else type(concrete(self))


def make(path: Path, expr: Expr, values: Mapping[int, Any] | None) -> Any:
    """The value of `expr`: a plain Python value where only one is possible, else a Symbol."""
    possible = path.constraints.possible(expr)
    if len(possible) == 1:
        code = next(iter(possible))
        return code if values is None else values[code]
    return Symbol(path, expr, values)


def truth_value(path: Path, condition: Expr) -> Any:
    """A condition as a value: True or False where it is known, else a Symbol."""
    known = path.constraints.truth(condition)
    return Symbol(path, condition, _BOOLS) if known is None else known


def is_symbol(value: Any) -> bool:
    """Whether `value` is unknown. `isinstance` would not tell: a Symbol claims the class of its values."""
    return type(value) is Symbol


def concrete(value: Any) -> Any:
    """`value`, or for a Symbol the one that this path picks."""
    if type(value) is not Symbol:
        return value
    code = _live(value).code_of(value._expr)
    return code if value._values is None else value._values[code]


def possible_values(value: Symbol) -> list[Any]:
    """The Python values that are possible on this path, ascending by code."""
    codes = _codes(value)
    return list(codes) if value._values is None else [value._values[code] for code in codes]


def is_numeric(value: Symbol) -> bool:
    """Whether the codes are the values, as ints."""
    values = value._values
    return values is None or all(isinstance(each, int) for each in values.values())


def expression(value: Symbol) -> Expr:
    """The expression, for code that stores it."""
    _live(value)
    return value._expr


def value_map(value: Symbol) -> Mapping[int, Any] | None:
    """What the codes stand for."""
    return value._values


def truth_expression(value: Any) -> Expr:
    """The condition that `value` is true, without asking it."""
    if type(value) is not Symbol:
        return Const(int(bool(value)))
    if value._values is None or value._values is _BOOLS:
        _live(value)
        return _truth(value._expr)
    return member(value._expr, [code for code in _codes(value) if value._values[code]])


def extreme(path: Path, values: list[Any], largest: bool) -> Any:
    """`max` or `min` of several values as one expression, or NotImplemented where the comparisons have to be asked."""
    if not any(type(value) is Symbol for value in values):
        return NotImplemented
    kinds: set[type] = set()
    decode: dict[int, Any] = {}
    exprs: list[Expr] = []
    for value in values:
        if type(value) is Symbol:
            if not is_numeric(value):
                return NotImplemented
            kinds.update({int} if value._values is None else map(type, value._values.values()))
            decode.update(value._values or {})
            exprs.append(expression(value))
        elif isinstance(value, int):
            kinds.add(type(value))
            decode[int(value)] = value
            exprs.append(Const(int(value)))
        else:
            return NotImplemented
    if len(kinds) != 1:
        return NotImplemented
    result = functools.reduce(Max if largest else Min, exprs)
    return make(path, result, None if kinds == {int} else _BOOLS if kinds == {bool} else decode)


def _live(value: Symbol) -> Path:
    path = value._path
    if not path.active:
        from pdspec.lang.context import current

        now = current()
        if isinstance(now, Path):
            now.refuse(
                "PD109",
                "a value of an earlier run turns up here",
                hint="do not keep values of the state in globals, caches, default arguments or on classes",
            )
        raise AssertionError("a symbolic value outside of a run")
    path.tick()
    return path


def _codes(value: Symbol) -> list[int]:
    return sorted(_live(value).constraints.possible(value._expr))


def _truth(expr: Expr) -> Expr:
    match expr:
        case Equal() | Less() | Member() | Not():
            return expr
        case Const(number):
            return Const(int(bool(number)))
        case _:
            return Not(Member(expr, (0,)))


def _scaled(factor: int, expr: Expr) -> Expr:
    if factor == 0 or isinstance(expr, Const):
        return Const(factor * expr.value if isinstance(expr, Const) else 0)
    return expr if factor == 1 else Scale(factor, expr)


def _linear(mine: Symbol, other: Any, sign: int, other_sign: int, plain: Callable[[Any, Any], Any]) -> Any:
    if is_numeric(mine):
        if type(other) is Symbol and is_numeric(other):
            path = _live(mine)
            return make(path, add(_scaled(sign, mine._expr), _scaled(other_sign, other._expr)), None)
        if is_plain_int(other):
            return make(_live(mine), add(_scaled(sign, mine._expr), Const(other_sign * int(other))), None)
    return plain(concrete(mine), concrete(other))


def is_plain_int(value: Any) -> bool:
    """Whether `value` is a known int; a Symbol would claim to be one."""
    return type(value) is not Symbol and isinstance(value, int)


def _compare(mine: Symbol, other: Any, compare: Callable[[Any, Any], Any]) -> Any:
    path = _live(mine)
    if type(other) is Symbol:
        _live(other)
        same = mine._values is not None and mine._values == other._values
        if (is_numeric(mine) and is_numeric(other)) or (same and compare in (operator.eq, operator.ne)):
            return truth_value(path, _relation(mine._expr, other._expr, compare))
        other = concrete(other)
    elif not isinstance(other, _PLAIN) and hasattr(type(other), "_pdspec_container"):
        return NotImplemented
    codes = path.constraints.possible(mine._expr)
    if len(codes) > _TABLE_MAX:
        if is_numeric(mine) and isinstance(other, int):
            return truth_value(path, _relation(mine._expr, Const(int(other)), compare))
        return compare(concrete(mine), other)
    try:
        yes = [code for code in codes if compare(code if mine._values is None else mine._values[code], other)]
    except Exception:
        # Python's own error, for the values that have one.
        return compare(concrete(mine), other)
    return truth_value(path, member(mine._expr, yes))


def _relation(left: Expr, right: Expr, compare: Callable[[Any, Any], Any]) -> Expr:
    if compare is operator.eq:
        return Equal(left, right)
    if compare is operator.ne:
        return Not(Equal(left, right))
    if compare is operator.lt:
        return Less(left, right)
    if compare is operator.gt:
        return Less(right, left)
    if compare is operator.le:
        return Not(Less(right, left))
    return Not(Less(left, right))


_PLAIN = (int, str, float, type(None))


def _enumerating(name: str, plain: Callable[..., Any]) -> None:
    def forward(self: Symbol, *others: Any) -> Any:
        return plain(concrete(self), *(concrete(other) for other in others))

    setattr(Symbol, name, forward)


def _swapped(plain: Callable[..., Any], mine: Any, other: Any) -> Any:
    return plain(other, mine)


_BINARY: dict[str, Callable[..., Any]] = {
    "floordiv": operator.floordiv,
    "truediv": operator.truediv,
    "mod": operator.mod,
    "pow": pow,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "divmod": divmod,
    "matmul": operator.matmul,
}
for _name, _plain in _BINARY.items():
    _enumerating(f"__{_name}__", _plain)
    _enumerating(f"__r{_name}__", functools.partial(_swapped, _plain))
_OTHERS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "invert": operator.invert,
    "round": round,
    "complex": complex,
    "trunc": lambda value: value.__trunc__(),
    "floor": lambda value: value.__floor__(),
    "ceil": lambda value: value.__ceil__(),
    "reversed": reversed,
    "call": lambda value, *args: value(*args),
}
for _name, _plain in _OTHERS.items():
    _enumerating(f"__{_name}__", _plain)
