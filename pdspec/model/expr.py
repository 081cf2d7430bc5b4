"""Expressions over the codes of slots: a small closed union, ints all the way, 0 and 1 for truth.

There is no division, no product of two slots and no wrap-around: what has no node here is traced by enumerating the
operands. `After` is the slot's code after the transition and occurs in step invariants only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never


@dataclass(frozen=True, slots=True)
class Const:
    value: int


@dataclass(frozen=True, slots=True)
class Slot:
    """The code of a slot, before the transition."""

    index: int


@dataclass(frozen=True, slots=True)
class After:
    """The code of a slot after the transition."""

    index: int


@dataclass(frozen=True, slots=True)
class Add:
    terms: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    factor: int
    term: Expr


@dataclass(frozen=True, slots=True)
class Max:
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Min:
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Equal:
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Less:
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Member:
    """`term` is one of `codes`, which ascend."""

    term: Expr
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Not:
    term: Expr


@dataclass(frozen=True, slots=True)
class And:
    terms: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    terms: tuple[Expr, ...]


Expr = Const | Slot | After | Add | Scale | Max | Min | Equal | Less | Member | Not | And | Or

TRUE = Const(1)
FALSE = Const(0)


def evaluate(expr: Expr, before: Sequence[int], after: Sequence[int] = ()) -> int:
    """The value of `expr` in the state `before` (and `after`, for a step invariant)."""
    match expr:
        case Const(value):
            return value
        case Slot(index):
            return before[index]
        case After(index):
            return after[index]
        case Add(terms):
            return sum(evaluate(term, before, after) for term in terms)
        case Scale(factor, term):
            return factor * evaluate(term, before, after)
        case Max(left, right):
            return max(evaluate(left, before, after), evaluate(right, before, after))
        case Min(left, right):
            return min(evaluate(left, before, after), evaluate(right, before, after))
        case Equal(left, right):
            return int(evaluate(left, before, after) == evaluate(right, before, after))
        case Less(left, right):
            return int(evaluate(left, before, after) < evaluate(right, before, after))
        case Member(term, codes):
            return int(evaluate(term, before, after) in codes)
        case Not(term):
            return int(not evaluate(term, before, after))
        case And(terms):
            return int(all(evaluate(term, before, after) for term in terms))
        case Or(terms):
            return int(any(evaluate(term, before, after) for term in terms))
        case _:
            assert_never(expr)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct subexpressions."""
    match expr:
        case Const() | Slot() | After():
            return ()
        case Scale(_, term) | Member(term, _) | Not(term):
            return (term,)
        case Max(left, right) | Min(left, right) | Equal(left, right) | Less(left, right):
            return (left, right)
        case Add(terms) | And(terms) | Or(terms):
            return terms
        case _:
            assert_never(expr)


def rebuilt(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """`expr` with `change` applied to each direct subexpression."""
    match expr:
        case Const() | Slot() | After():
            return expr
        case Scale(factor, term):
            return Scale(factor, change(term))
        case Member(term, codes):
            return Member(change(term), codes)
        case Not(term):
            return Not(change(term))
        case Max(left, right) | Min(left, right) | Equal(left, right) | Less(left, right):
            return type(expr)(change(left), change(right))
        case Add(terms) | And(terms) | Or(terms):
            return type(expr)(tuple(change(term) for term in terms))
        case _:
            assert_never(expr)


def slots_of(expr: Expr) -> frozenset[int]:
    """The slots that `expr` reads, before or after the transition."""
    match expr:
        case Slot(index) | After(index):
            return frozenset((index,))
        case _:
            return frozenset().union(*(slots_of(child) for child in children(expr)))
