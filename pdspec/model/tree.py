"""Decision trees: what a step or a property does, for every valuation of the slots.

Each valuation, with each resolution of the choices, reaches exactly one leaf; nothing is left out, disabled leaves
included. A path from the root to an `Update` leaf is a guarded transition. Equal subtrees are one object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from pdspec.model.expr import Expr, evaluate, slots_of
from pdspec.source import SourceSpan


@dataclass(frozen=True, slots=True)
class Update:
    """The step happens: each slot takes the value of its expression in the state before; the others stay."""

    updates: tuple[tuple[int, Expr], ...]


@dataclass(frozen=True, slots=True)
class Disabled:
    """A `require` that does not hold: the step is not enabled."""

    span: SourceSpan | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Raises:
    """An exception leaves the step, or the property."""

    exception: str
    message: str
    span: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class Overflow:
    """A value would leave its type: the bounds of the model are too small."""

    message: str
    span: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a property says: true where `truth` is not 0."""

    truth: Expr


@dataclass(frozen=True, slots=True)
class Shown:
    """What a derived value is, as text."""

    text: str


Leaf = Update | Disabled | Raises | Overflow | Answer | Shown


@dataclass(frozen=True, slots=True)
class Switch:
    """Goes by the code of `term`; the cases' codes are disjoint and hold every code that can occur here."""

    term: Expr
    cases: tuple[tuple[tuple[int, ...], Tree], ...]
    span: SourceSpan | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Choose:
    """Any of the branches; `options` are the texts of what was chosen."""

    name: str
    options: tuple[str, ...]
    branches: tuple[Tree, ...]
    span: SourceSpan | None = field(default=None, compare=False)


Tree = Switch | Choose | Leaf

Choices = tuple[tuple[str, str], ...]


def outcomes(tree: Tree, before: Sequence[int], after: Sequence[int] = ()) -> Iterator[tuple[Choices, Leaf]]:
    """The leaves that the state `before` reaches, one for each resolution of the choices, in order."""
    match tree:
        case Switch(term, cases):
            code = evaluate(term, before, after)
            for codes, case in cases:
                if code in codes:
                    yield from outcomes(case, before, after)
                    return
            raise AssertionError(f"no case for {code} in {tree.term}")
        case Choose(name, options, branches):
            for option, branch in zip(options, branches, strict=True):
                for choices, leaf in outcomes(branch, before, after):
                    yield ((name, option), *choices), leaf
        case _:
            yield (), tree


def leaves(tree: Tree) -> Iterator[Leaf]:
    """Every leaf, each as often as a path leads to it."""
    match tree:
        case Switch(_, cases):
            for _, case in cases:
                yield from leaves(case)
        case Choose(_, _, branches):
            for branch in branches:
                yield from leaves(branch)
        case _:
            yield tree


def tree_slots(tree: Tree) -> frozenset[int]:
    """Every slot that the tree reads or writes."""
    found: dict[int, frozenset[int]] = {}

    def visit(node: Tree) -> frozenset[int]:
        if id(node) not in found:
            match node:
                case Switch(term, cases):
                    found[id(node)] = slots_of(term).union(*(visit(case) for _, case in cases))
                case Choose(_, _, branches):
                    found[id(node)] = frozenset().union(*(visit(branch) for branch in branches))
                case Update(updates):
                    found[id(node)] = frozenset(index for index, _ in updates).union(*(slots_of(e) for _, e in updates))
                case Answer(truth):
                    found[id(node)] = slots_of(truth)
                case Disabled() | Raises() | Overflow() | Shown():
                    found[id(node)] = frozenset()
                case _:
                    assert_never(node)
        return found[id(node)]

    return visit(tree)


def apply(leaf: Update, before: Sequence[int]) -> tuple[int, ...]:
    """The state after the update."""
    after = list(before)
    for index, expr in leaf.updates:
        after[index] = evaluate(expr, before)
    return tuple(after)
