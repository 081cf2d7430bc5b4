"""What is known of a state along a path: for each slot the codes that are left, and relations between slots.

A condition over a single slot narrows that slot exactly. One over several slots is kept as a residual; slots are
narrowed by it where that is cheap, so the sets are an over-approximation then, and `satisfiable` decides by search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Any, assert_never

from pdspec.model.expr import (
    Add,
    After,
    And,
    Const,
    Equal,
    Expr,
    Less,
    Max,
    Member,
    Min,
    Not,
    Or,
    Scale,
    Slot,
    children,
    evaluate,
)

_PRODUCT_MAX = 1024
_SEARCH_MAX = 20_000

Codes = Collection[int]
# A slot before the transition is numbered by its index, after it by -1 - index.
Key = int


def keys_of(expr: Expr) -> frozenset[Key]:
    """The slots that `expr` reads, those after the transition as negative numbers."""
    match expr:
        case Slot(index):
            return frozenset((index,))
        case After(index):
            return frozenset((-1 - index,))
        case Const():
            return frozenset()
        case _:
            return frozenset().union(*(keys_of(child) for child in children(expr)))


class Constraints:
    """A conjunction, grown by `assume`. Copies are independent."""

    def __init__(self, domains: Sequence[Sequence[int]]) -> None:
        self.count = len(domains)
        self.allowed: dict[Key, frozenset[int]] = {}
        for index, codes in enumerate(domains):
            self.allowed[index] = self.allowed[-1 - index] = frozenset(codes)
        self.residual: list[Expr] = []
        self._known: dict[Expr, bool] = {}
        # What is left of a term over several slots: asked again, it cannot take a code that was ruled out.
        self._left: dict[Expr, frozenset[int]] = {}

    def copy(self) -> Constraints:
        """The same conjunction, to be grown in another way."""
        twin = Constraints(())
        twin.count = self.count
        twin.allowed = dict(self.allowed)
        twin.residual = list(self.residual)
        twin._known = dict(self._known)
        twin._left = dict(self._left)
        return twin

    def possible(self, expr: Expr) -> Codes:
        """A superset of the values that `expr` can have; exact for an expression over one slot."""
        match expr:
            case Const(value):
                return (value,)
            case Slot(index):
                return self.allowed[index]
            case After(index):
                return self.allowed[-1 - index]
        left = self._left.get(expr)
        if left is not None:
            return left
        keys = keys_of(expr)
        if len(keys) == 1:
            (key,) = keys
            return frozenset(self._value(expr, {key: code}) for code in self.allowed[key])
        truth = self._truth(expr)
        if truth is not NotImplemented:
            return (0, 1) if truth is None else (int(truth),)
        parts = [self.possible(child) for child in children(expr)]
        size = 1
        for part in parts:
            size *= len(part)
        if size <= _PRODUCT_MAX:
            return frozenset(_combine(expr, values) for values in product(*parts))
        low, high = self._ends(expr)
        return range(low, high + 1)

    def truth(self, expr: Expr) -> bool | None:
        """Whether `expr` is true, or None where both are possible as far as is known."""
        if isinstance(expr, Const):
            return bool(expr.value)
        where = self._where(expr)
        if where is not None:
            key, yes = where
            return None if 0 < len(yes) < len(self.allowed[key]) else bool(yes)
        known = self._known.get(expr)
        if known is not None:
            return known
        if len(keys_of(expr)) == 1:
            values = {bool(value) for value in self.possible(expr)}
            return values.pop() if len(values) == 1 else None
        truth: bool | None = self._truth(expr)
        if truth is NotImplemented:
            values = {bool(value) for value in self.possible(expr)}
            return values.pop() if len(values) == 1 else None
        return truth

    def _where(self, expr: Expr) -> tuple[Key, frozenset[int]] | None:
        """For a membership test of a slot, the slot and its codes for which it is true: most conditions are of this
        kind.
        """
        if type(expr) is Member:
            term = expr.term
            if type(term) is Slot:
                return term.index, self.allowed[term.index].intersection(expr.codes)
            if type(term) is After:
                return -1 - term.index, self.allowed[-1 - term.index].intersection(expr.codes)
        elif type(expr) is Not:
            inner = self._where(expr.term)
            if inner is not None:
                return inner[0], self.allowed[inner[0]] - inner[1]
        return None

    def _truth(self, expr: Expr) -> Any:
        """As `truth`, or NotImplemented for an expression that is no condition."""
        match expr:
            case Member(term, codes):
                values = self.possible(term)
                inside = [value in codes for value in values]
                return None if any(inside) and not all(inside) else any(inside)
            case Equal(left, right):
                if left == right:
                    return True
                lefts, rights = self.possible(left), self.possible(right)
                if len(lefts) == 1 and len(rights) == 1:
                    return next(iter(lefts)) == next(iter(rights))
                return None if any(value in rights for value in lefts) else False
            case Less(left, right):
                if left == right:
                    return False
                lefts, rights = self.possible(left), self.possible(right)
                if max(lefts) < min(rights):
                    return True
                return False if min(lefts) >= max(rights) else None
            case Not(term):
                inner = self.truth(term)
                return None if inner is None else not inner
            case And(terms):
                truths = [self.truth(term) for term in terms]
                return False if False in truths else None if None in truths else True
            case Or(terms):
                truths = [self.truth(term) for term in terms]
                return True if True in truths else None if None in truths else False
            case _:
                return NotImplemented

    def cases(self, expr: Expr, values: Sequence[Sequence[int]]) -> tuple[Expr, tuple[tuple[int, ...], ...]]:
        """A term and its codes that tell apart whether `expr` has one of `values[0]`, of `values[1]`, ...

        For an expression over one slot before the transition the term is that slot, which keeps guards simple.
        """
        where = self._where(expr)
        if where is not None and values == ((1,), (0,)):
            key, yes = where
            return _term(key), (tuple(sorted(yes)), tuple(sorted(self.allowed[key] - yes)))
        keys = keys_of(expr)
        if len(keys) != 1 or isinstance(expr, Slot | After):
            return expr, tuple(tuple(sorted(group)) for group in values)
        (key,) = keys
        found: dict[int, list[int]] = {}
        for code in sorted(self.allowed[key]):
            found.setdefault(self._value(expr, {key: code}), []).append(code)
        return _term(key), tuple(tuple(sorted(c for value in group for c in found.get(value, ()))) for group in values)

    def assume(self, term: Expr, codes: Collection[int]) -> bool:
        """Adds that `term` has one of `codes`. False when that is seen to be impossible."""
        if type(term) is Slot or type(term) is After:
            key = term.index if type(term) is Slot else -1 - term.index
            self.allowed[key] = left = self.allowed[key].intersection(codes)
            return bool(left)
        if isinstance(term, Not | And | Or | Equal | Less | Member):
            wanted = {bool(code) for code in codes}
            return len(wanted) == 2 or self._assume_truth(term, wanted.pop())
        if len(keys_of(term)) > 1:
            self._left[term] = frozenset(code for code in codes if code in self.possible(term))
            if not self._left[term]:
                return False
        return self._assume_truth(Member(term, tuple(sorted(codes))), True)

    def _assume_truth(self, expr: Expr, value: bool) -> bool:
        if isinstance(expr, Not):
            return self._assume_truth(expr.term, not value)
        if (isinstance(expr, And) and value) or (isinstance(expr, Or) and not value):
            return all(self._assume_truth(term, value) for term in expr.terms)
        if isinstance(expr, Const):
            return bool(expr.value) == value
        keys = keys_of(expr)
        if not keys:
            return bool(evaluate(expr, ())) == value
        if len(keys) == 1:
            (key,) = keys
            left = frozenset(code for code in self.allowed[key] if bool(self._value(expr, {key: code})) == value)
            self.allowed[key] = left
            return bool(left)
        if self.truth(expr) is (not value):
            return False
        self._known[expr] = value
        self.residual.append(expr if value else Not(expr))
        return self._filter(expr, value, sorted(keys))

    def _filter(self, expr: Expr, value: bool, keys: Sequence[Key]) -> bool:
        size = 1
        for key in keys:
            size *= len(self.allowed[key])
        if size > _PRODUCT_MAX:
            return True
        support: dict[Key, set[int]] = {key: set() for key in keys}
        for valuation in product(*(self.allowed[key] for key in keys)):
            if bool(self._value(expr, dict(zip(keys, valuation, strict=True)))) == value:
                for key, code in zip(keys, valuation, strict=True):
                    support[key].add(code)
        for key in keys:
            self.allowed[key] = frozenset(support[key])
        return all(support.values())

    def satisfiable(self) -> bool:
        """Whether some valuation meets everything assumed. True also when the search is given up as too large."""
        return next(self.solutions(), None) is not None

    def solutions(self) -> Iterator[dict[Key, int]]:
        """Valuations of the slots in residual conditions that meet all of them; an empty dict where there are none.

        Yields one unproved valuation and ends when the search is too large.
        """
        if not all(self.allowed.values()):
            return
        keys = sorted(
            frozenset().union(*(keys_of(expr) for expr in self.residual)), key=lambda key: len(self.allowed[key])
        )
        last = {expr: max(keys.index(key) for key in keys_of(expr)) for expr in self.residual}
        budget = _SEARCH_MAX
        valuation: dict[Key, int] = {}

        def search(depth: int) -> Iterator[dict[Key, int]]:
            nonlocal budget
            if depth == len(keys):
                yield dict(valuation)
                return
            for code in sorted(self.allowed[keys[depth]]):
                budget -= 1
                if budget < 0:
                    yield dict(valuation)
                    return
                valuation[keys[depth]] = code
                if all(self._value(expr, valuation) for expr in self.residual if last[expr] == depth):
                    yield from search(depth + 1)
            valuation.pop(keys[depth], None)

        yield from search(0)

    def _value(self, expr: Expr, valuation: dict[Key, int]) -> int:
        return evaluate(expr, valuation, _Afters(valuation))  # type: ignore[arg-type]

    def _ends(self, expr: Expr) -> tuple[int, int]:
        match expr:
            case Add(terms):
                ends = [self._ends(term) for term in terms]
                return sum(low for low, _ in ends), sum(high for _, high in ends)
            case Scale(factor, term):
                low, high = (factor * end for end in self._ends(term))
                return min(low, high), max(low, high)
            case Max(left, right) | Min(left, right):
                (low1, high1), (low2, high2) = self._ends(left), self._ends(right)
                pick = max if isinstance(expr, Max) else min
                return pick(low1, low2), pick(high1, high2)
            case Const() | Slot() | After() | Equal() | Less() | Member() | Not() | And() | Or():
                values = self.possible(expr)
                return min(values), max(values)
            case _:
                assert_never(expr)


def _term(key: Key) -> Expr:
    return Slot(key) if key >= 0 else After(-1 - key)


class _Afters:
    """Reads the codes after the transition out of a valuation by keys."""

    def __init__(self, valuation: dict[Key, int]) -> None:
        self._valuation = valuation

    def __getitem__(self, index: int) -> int:
        return self._valuation[-1 - index]


def _combine(expr: Expr, values: Sequence[int]) -> int:
    match expr:
        case Add():
            return sum(values)
        case Scale(factor, _):
            return factor * values[0]
        case Max():
            return max(values)
        case Min():
            return min(values)
        case _:
            raise AssertionError(expr)
