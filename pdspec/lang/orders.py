"""Whether two trees of one method do different things in some state: it was traced in two orders of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from pdspec.model.constraints import Constraints
from pdspec.model.expr import Equal, Not, Slot
from pdspec.model.tree import Answer, Choices, Choose, Disabled, Leaf, Overflow, Raises, Switch, Tree, Update

_Path = tuple[Choices, Leaf, Constraints]


def differ(anything: Constraints, one: Tree, other: Tree) -> bool:
    """Whether some state has an outcome of one tree, with its choices, that the other tree does not have."""
    return one != other and (_unmatched(anything, one, other) or _unmatched(anything, other, one))


def _unmatched(anything: Constraints, one: Tree, other: Tree) -> bool:
    return any(
        _missing(leaf, choices, other, region)
        for choices, leaf, region in _paths(one, (), anything)
        if not isinstance(leaf, Disabled)
    )


def _missing(leaf: Leaf, choices: Choices, other: Tree, region: Constraints) -> bool:
    """Whether `other`, with the same choices in any order, does something else somewhere in the region."""
    match other:
        case Switch(term, cases):
            for codes, case in cases:
                narrowed = region.copy()
                if narrowed.assume(term, codes) and _missing(leaf, choices, case, narrowed):
                    return True
            return False
        case Choose(name, options, branches):
            made = [((name, option), branch) for option, branch in zip(options, branches, strict=True)]
            left = [(_without(choices, pair), branch) for pair, branch in made if pair in choices]
            return all(_missing(leaf, rest, branch, region) for rest, branch in left) if left else region.satisfiable()
        case _:
            return region.satisfiable() if choices else _leaves_differ(leaf, other, region)


def _without(choices: Choices, made: tuple[str, str]) -> Choices:
    """The choices after one of them was made."""
    at = choices.index(made)
    return (*choices[:at], *choices[at + 1 :])


def _paths(tree: Tree, choices: Choices, constraints: Constraints) -> Iterator[_Path]:
    """The paths that some state in `constraints` may take."""
    match tree:
        case Switch(term, cases):
            for codes, case in cases:
                narrowed = constraints.copy()
                if narrowed.assume(term, codes):
                    yield from _paths(case, choices, narrowed)
        case Choose(name, options, branches):
            for option, branch in zip(options, branches, strict=True):
                yield from _paths(branch, (*choices, (name, option)), constraints)
        case _:
            yield choices, tree, constraints


def _leaves_differ(one: Leaf, other: Leaf, constraints: Constraints) -> bool:
    match one, other:
        case (Update(), Update()):
            return _updates_differ(one, other, constraints)
        case (Answer(mine), Answer(theirs)):
            return mine != theirs and _possible(Not(Equal(mine, theirs)), constraints)
        case (Overflow(), Overflow()):
            return False
        case (Raises(mine), Raises(theirs)):
            return mine != theirs and constraints.satisfiable()
        case _:
            return one != other and constraints.satisfiable()


def _updates_differ(one: Update, other: Update, constraints: Constraints) -> bool:
    mine, theirs = dict(one.updates), dict(other.updates)
    for slot in sorted({*mine, *theirs}):
        left, right = mine.get(slot, Slot(slot)), theirs.get(slot, Slot(slot))
        if left != right and _possible(Not(Equal(left, right)), constraints):
            return True
    return False


def _possible(condition: Not, constraints: Constraints) -> bool:
    narrowed = constraints.copy()
    return narrowed.assume(condition, (1,)) and narrowed.satisfiable()
