"""How large the values of expressions can become. Engines compute in 64 bits, so a Model that needs more is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

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
)
from pdspec.model.shape import Domain
from pdspec.model.tree import Answer, Choose, Disabled, Overflow, Raises, Shown, Switch, Tree, Update

LARGEST = (1 << 63) - 1


def too_large(tree: Tree, domains: Sequence[Domain]) -> Expr | None:
    """An expression of the tree that may have a value which does not fit into 64 bits, or None."""
    for expr in _expressions(tree):
        left = [expr]
        while left:
            part = left.pop()
            low, high = ends(part, domains)
            if low < -LARGEST or high > LARGEST:
                return part
            left.extend(children(part))
    return None


def ends(expr: Expr, domains: Sequence[Domain]) -> tuple[int, int]:
    """The least and the largest value that `expr` can have, as far as intervals tell."""
    match expr:
        case Const(value):
            return value, value
        case Slot(index) | After(index):
            return domains[index].codes[0], domains[index].codes[-1]
        case Add(terms):
            parts = [ends(term, domains) for term in terms]
            return sum(low for low, _ in parts), sum(high for _, high in parts)
        case Scale(factor, term):
            scaled = [factor * end for end in ends(term, domains)]
            return min(scaled), max(scaled)
        case Max(left, right) | Min(left, right):
            (low1, high1), (low2, high2) = ends(left, domains), ends(right, domains)
            pick = max if isinstance(expr, Max) else min
            return pick(low1, low2), pick(high1, high2)
        case Equal() | Less() | Member() | Not() | And() | Or():
            return 0, 1
        case _:
            assert_never(expr)


def _expressions(tree: Tree) -> Iterator[Expr]:
    match tree:
        case Switch(term, cases):
            yield term
            for _, case in cases:
                yield from _expressions(case)
        case Choose(_, _, branches):
            for branch in branches:
                yield from _expressions(branch)
        case Update(updates):
            for _, expr in updates:
                yield expr
        case Answer(truth):
            yield truth
        case Disabled() | Raises() | Overflow() | Shown():
            pass
        case _:
            assert_never(tree)
