"""Decision trees as the text of Python functions of some bits of a packed state.

A function answers with numbers: the differences to the successors, or what a check found.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from pdspec.explicit.pack import Packing
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
    slots_of,
)
from pdspec.model.tree import Answer, Choose, Overflow, Raises, Switch, Tree, Update

_DEPTH_MAX = 60

Answers = tuple[int, ...]


@dataclass(frozen=True)
class StepCheck:
    """Asks a step in a state: which failing leaves it has, and which step invariants it breaks.

    `failures` are the numbers of the failing leaves in the order of `failing_leaves`; `invariants` are step invariants
    with their number when false and when raising.
    """

    tree: Tree
    failures: tuple[int, ...]
    invariants: tuple[tuple[int, int, Tree], ...]


@dataclass(frozen=True)
class StateCheck:
    """Asks a property: `no` when it is false, `error` when it raises; `yes` when it is true."""

    tree: Tree
    yes: int | None
    no: int | None
    error: int | None


Question = Tree | StepCheck | StateCheck


def compiled(packing: Packing, questions: Sequence[Question]) -> Callable[[int], Answers]:
    """A function of the bits of a state: the answers to all questions, in their order."""
    writer = _Writer(packing)
    writer.line("def ask(bits):")
    with writer:
        writer.line("out = []")
        for question in questions:
            writer.question(question)
        writer.line("return tuple(out)")
    return writer.function("ask")


@functools.lru_cache(maxsize=4096)
def code_of(text: str) -> types.CodeType:
    """The code of generated text. Scenarios of one spec share most of theirs."""
    return compile(text, "<pdspec generated>", "exec")


class _Writer:
    """Generated Python text; `with writer:` indents.

    A slot is taken out of the bits where it is first needed, and is known in the block below.
    """

    def __init__(self, packing: Packing) -> None:
        self._packing = packing
        self._lines: list[str] = []
        self._depth = 0
        self._names: dict[str, object] = {}
        self._known: list[set[int]] = [set()]
        self._parts: list[str] = []

    def __enter__(self) -> None:
        self._depth += 1
        self._known.append(set(self._known[-1]))

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        self._known.pop()

    def need(self, slots: Iterable[int]) -> None:
        """Takes these slots out of the bits, where that has not been done."""
        for slot in sorted(set(slots) - self._known[-1]):
            self._known[-1].add(slot)
            field = self._packing.fields[slot]
            raw = f"bits >> {field.shift} & {field.mask}"
            if not field.contiguous:
                raw = f"{self.constant(field.codes)}[{raw}]"
            elif field.codes[0]:
                raw = f"({raw}) + {field.codes[0]}"
            self.line(f"v{slot} = {raw}")

    def line(self, text: str) -> None:
        self._lines.append(" " * self._depth + text)

    def constant(self, value: object) -> str:
        name = f"c{len(self._names)}"
        self._names[name] = value
        return name

    def function(self, name: str) -> Callable[[int], Answers]:
        namespace: dict[str, object] = dict(self._names)
        exec(code_of("\n".join([*self._parts, *self._lines])), namespace)
        made: Callable[[int], Answers] = namespace[name]  # type: ignore[assignment]
        return made

    def question(self, question: Question) -> None:
        match question:
            case StepCheck(tree, failures, invariants):
                numbers = iter(failures)
                self._tree(tree, lambda leaf: self._check_step(leaf, numbers, invariants))
            case StateCheck(tree, yes, no, error):
                self._tree(tree, partial(self._answer, yes=yes, no=no, error=error, new=None))
            case _:
                self._tree(question, self._step)

    def _tree(self, tree: Tree, leaf: Callable[[Tree], None], new: dict[int, str] | None = None) -> None:
        if self._depth > _DEPTH_MAX and isinstance(tree, Switch | Choose):
            self._elsewhere(tree, leaf, new)
            return
        match tree:
            case Switch(term, cases):
                self.need(slots_of(term))
                subject = self._expr(term, new)
                if not isinstance(term, Slot):
                    name = f"t{len(self._lines)}"
                    self.line(f"{name} = {subject}")
                    subject = name
                for number, (codes, case) in enumerate(cases):
                    if number == len(cases) - 1:
                        self.line("else:")
                    else:
                        test = f"== {codes[0]}" if len(codes) == 1 else f"in {self._codes(codes)}"
                        self.line(f"{'el' if number else ''}if {subject} {test}:")
                    with self:
                        before = len(self._lines)
                        self._tree(case, leaf, new)
                        if len(self._lines) == before:
                            self.line("pass")
            case Choose(_, _, branches):
                for branch in branches:
                    self._tree(branch, leaf, new)
            case _:
                leaf(tree)

    def _elsewhere(self, tree: Tree, leaf: Callable[[Tree], None], new: dict[int, str] | None) -> None:
        """The tree as a function of its own: Python nests no deeper than a hundred levels."""
        known = [f"v{slot}" for slot in sorted(self._known[-1])] + sorted(set((new or {}).values()))
        name = f"part{len(self._parts)}"
        self.line(f"{name}({', '.join(['bits', 'out', *known])})")
        outer, self._lines, depth, self._depth = self._lines, [], self._depth, 0
        self._parts.append("")
        number = len(self._parts) - 1
        self.line(f"def {name}({', '.join(['bits', 'out', *known])}):")
        with self:
            self._tree(tree, leaf, new)
        self._parts[number] = "\n".join(self._lines)
        self._lines, self._depth = outer, depth

    def _step(self, leaf: Tree) -> None:
        if not isinstance(leaf, Update):
            return
        parts: list[str] = []
        for slot, expr in leaf.updates:
            self.need({slot, *slots_of(expr)})
            field = self._packing.fields[slot]
            if field.contiguous:
                parts.append(f"({self._expr(expr)} - v{slot} << {field.shift})")
            else:
                numbers = self.constant({code: number for number, code in enumerate(field.codes)})
                parts.append(f"({numbers}[{self._expr(expr)}] - {numbers}[v{slot}] << {field.shift})")
        self.line(f"out.append({' + '.join(parts) or 0})")

    def _check_step(self, leaf: Tree, numbers: Iterator[int], invariants: Sequence[tuple[int, int, Tree]]) -> None:
        match leaf:
            case Raises() | Overflow():
                self.line(f"out.append({next(numbers)})")
            case Update(updates):
                new: dict[int, str] = {}
                for slot, expr in updates:
                    self.need(slots_of(expr))
                    new[slot] = f"n{slot}"
                    self.line(f"n{slot} = {self._expr(expr)}")
                for no, error, tree in invariants:
                    self._tree(tree, partial(self._answer, yes=None, no=no, error=error, new=new), new)
            case _:
                pass

    def _answer(
        self, leaf: Tree, yes: int | None, no: int | None, error: int | None, new: dict[int, str] | None
    ) -> None:
        match leaf:
            case Answer(truth):
                if isinstance(truth, Const):
                    number = yes if truth.value else no
                    if number is not None:
                        self.line(f"out.append({number})")
                    return
                self.need(slots_of(truth))
                text = self._expr(truth, new)
                if yes is not None:
                    self.line(f"if {text}: out.append({yes})")
                if no is not None:
                    self.line(f"if not ({text}): out.append({no})")
            case Raises():
                if error is not None:
                    self.line(f"out.append({error})")
            case _:
                raise AssertionError(leaf)

    def _codes(self, codes: tuple[int, ...]) -> str:
        if codes[-1] - codes[0] == len(codes) - 1 and len(codes) > 4:
            return f"range({codes[0]}, {codes[-1] + 1})"
        return f"({', '.join(map(str, codes))},)"

    def _expr(self, expr: Expr, new: dict[int, str] | None = None) -> str:
        def show(inner: Expr) -> str:
            return self._expr(inner, new)

        match expr:
            case Const(value):
                return f"({value})" if value < 0 else str(value)
            case Slot(index):
                return f"v{index}"
            case After(index):
                return f"v{index}" if new is None else new.get(index, f"v{index}")
            case Add(terms):
                return "(" + " + ".join(map(show, terms)) + ")"
            case Scale(factor, term):
                return f"({factor} * {show(term)})"
            case Max(left, right):
                return f"max({show(left)}, {show(right)})"
            case Min(left, right):
                return f"min({show(left)}, {show(right)})"
            case Equal(left, right):
                return f"({show(left)} == {show(right)})"
            case Less(left, right):
                return f"({show(left)} < {show(right)})"
            case Member(term, codes):
                if len(codes) == 1:
                    return f"({show(term)} == {codes[0]})"
                return f"({show(term)} in {self._codes(codes)})" if codes else "False"
            case Not(term):
                return f"(not {show(term)})"
            case And(terms):
                return "(" + " and ".join(map(show, terms)) + ")"
            case Or(terms):
                return "(" + " or ".join(map(show, terms)) + ")"
            case _:
                assert_never(expr)
