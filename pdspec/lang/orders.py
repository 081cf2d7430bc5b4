"""Whether two trees of one step do different things in some state: the step was traced in two orders of a loop."""

from __future__ import annotations

from typing import Any

from pdspec.model.constraints import Constraints
from pdspec.model.expr import Equal, Not, Slot
from pdspec.model.tree import Choose, Overflow, Raises, Switch, Tree, Update


def differ(anything: Constraints, one: Tree, other: Tree) -> bool:
    """Whether the two trees do different things in some state."""
    return one != other and _conflict(one, other, (), (), anything)


def _conflict(one: Tree, other: Tree, mine: tuple[Any, ...], theirs: tuple[Any, ...], constraints: Constraints) -> bool:
    match one, other:
        case Switch(term, cases), _:
            for codes, case in cases:
                narrowed = constraints.copy()
                if narrowed.assume(term, codes) and _conflict(case, other, mine, theirs, narrowed):
                    return True
            return False
        case Choose(name, options, branches), _:
            pairs = zip(options, branches, strict=True)
            return any(
                _conflict(branch, other, (*mine, (name, option)), theirs, constraints) for option, branch in pairs
            )
        case _, Switch(term, cases):
            for codes, case in cases:
                narrowed = constraints.copy()
                if narrowed.assume(term, codes) and _conflict(one, case, mine, theirs, narrowed):
                    return True
            return False
        case _, Choose(name, options, branches):
            pairs = zip(options, branches, strict=True)
            return any(_conflict(one, branch, mine, (*theirs, (name, option)), constraints) for option, branch in pairs)
    if sorted(mine) != sorted(theirs) or one == other:
        return False
    if isinstance(one, Update) and isinstance(other, Update):
        return _updates_differ(one, other, constraints)
    if isinstance(one, Overflow) and isinstance(other, Overflow):
        return False
    if isinstance(one, Raises) and isinstance(other, Raises) and one.exception == other.exception:
        return False
    return constraints.satisfiable()


def _updates_differ(one: Update, other: Update, constraints: Constraints) -> bool:
    mine, theirs = dict(one.updates), dict(other.updates)
    for slot in sorted({*mine, *theirs}):
        left, right = mine.get(slot, Slot(slot)), theirs.get(slot, Slot(slot))
        if left != right:
            narrowed = constraints.copy()
            if narrowed.assume(Not(Equal(left, right)), (1,)) and narrowed.satisfiable():
                return True
    return False
