"""Decision trees as Python functions of some bits of a packed state, with a memory of their results.

What a step does depends on few slots. Steps that share slots are put into one cluster; a cluster is asked with the
state's bits in these slots only, so that the same question comes again and again and is answered by one dict look-up:
the differences to the successors. Where the question is new, generated code answers it. Checks (an invariant that
fails, a step that raises, a step invariant that fails) are clustered in the same way, and answer with the numbers of
what they found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from pdspec.explicit.generate import Answers, Question, StateCheck, StepCheck, compiled
from pdspec.explicit.pack import Packing
from pdspec.model.tree import (
    Answer,
    Choices,
    Choose,
    Disabled,
    Overflow,
    Raises,
    Shown,
    Switch,
    Tree,
    Update,
    tree_slots,
)

_CLUSTER_STATES = 1 << 12
_WIDE_STATES = 1 << 16
_MEMORY_MAX = 1 << 18


class Memory(dict[int, Answers]):
    """The answers so far; `self[bits]` asks where there is none.

    Nothing is kept where it is not `worthwhile`, and it is emptied when it has become too large.
    """

    __slots__ = ("_ask", "_worthwhile")

    def __init__(self, ask: Callable[[int], Answers], worthwhile: bool) -> None:
        super().__init__()
        self._ask = ask
        self._worthwhile = worthwhile

    def __missing__(self, bits: int) -> Answers:
        answers = self._ask(bits)
        if self._worthwhile:
            if len(self) >= _MEMORY_MAX:
                self.clear()
            self[bits] = answers
        return answers


@dataclass(frozen=True)
class Cluster:
    """Questions that look at the bits in `mask`; `numbers` are their places among all questions."""

    mask: int
    memory: Memory
    numbers: tuple[int, ...]


def clusters(packing: Packing, questions: Sequence[Question]) -> list[Cluster]:
    """The questions in few clusters; within a cluster answers come in the order of `questions`."""
    groups: list[tuple[set[int], list[int]]] = []
    for number, question in enumerate(questions):
        slots = question_slots(question)
        best: tuple[int, tuple[set[int], list[int]]] | None = None
        for group in groups:
            union = group[0] | slots
            if _combinations(packing, union) <= _CLUSTER_STATES or slots <= group[0]:
                shared = len(group[0] & slots)
                if best is None or shared > best[0]:
                    best = (shared, group)
        if best is None:
            groups.append((set(slots), [number]))
        else:
            best[1][0].update(slots)
            best[1][1].append(number)
    made = []
    for union, numbers in groups:
        ask = compiled(packing, [questions[number] for number in numbers])
        # A question about most of the state is a new one in nearly every state.
        memory = Memory(ask, _combinations(packing, union) <= _WIDE_STATES)
        made.append(Cluster(packing.mask_of(union), memory, tuple(numbers)))
    return made


def question_slots(question: Question) -> frozenset[int]:
    """The slots on which the answer depends."""
    match question:
        case StepCheck(tree, _, invariants):
            return tree_slots(tree).union(*(tree_slots(invariant) for _, _, invariant in invariants))
        case StateCheck(tree):
            return tree_slots(tree)
        case _:
            return tree_slots(question)


def failing_leaves(tree: Tree) -> list[tuple[Choices, Raises | Overflow]]:
    """The leaves that raise or overflow, in order, with the choices that lead to them."""
    found: list[tuple[Choices, Raises | Overflow]] = []

    def visit(node: Tree, choices: Choices) -> None:
        match node:
            case Switch(_, cases):
                for _, case in cases:
                    visit(case, choices)
            case Choose(name, options, branches):
                for option, branch in zip(options, branches, strict=True):
                    visit(branch, (*choices, (name, option)))
            case Raises() | Overflow():
                found.append((choices, node))
            case Update() | Disabled() | Answer() | Shown():
                pass
            case _:
                assert_never(node)

    visit(tree, ())
    return found


def _combinations(packing: Packing, slots: set[int]) -> int:
    product = 1
    for slot in slots:
        product *= len(packing.fields[slot].codes)
    return product
