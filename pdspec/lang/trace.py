"""The fork tracer: runs a method once per path and joins the paths to a decision tree.

Each run follows a script of answers and notes the questions beyond it (`pdspec.lang.path`); the next script answers the
last question that has an answer left. Cases that lead to equal subtrees are merged.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pdspec.errors import SpecError
from pdspec.lang.context import Stop, running
from pdspec.lang.decorate import span_of
from pdspec.lang.foreign import guard_method
from pdspec.lang.layout import Layout
from pdspec.lang.orders import differ
from pdspec.lang.path import Decision, Frame, Path, PathOptions, infeasible, place_of
from pdspec.lang.spec import Spec, attach
from pdspec.lang.symbolic import concrete, is_symbol, truth_expression
from pdspec.lang.views.access import StateStore, View, stored_problem
from pdspec.lang.views.dicts import DictPart
from pdspec.model.constraints import Constraints
from pdspec.model.expr import TRUE
from pdspec.model.ranges import too_large
from pdspec.model.text import value_text
from pdspec.model.tree import Answer, Choose, Leaf, Overflow, Raises, Shown, Switch, Tree, Update
from pdspec.source import SourceSpan

PATHS_MAX = 10_000


class OutOfTime(Exception):
    """The deadline passed while tracing. No fault of the spec: the answer is inconclusive."""


# What a run does: gets the path, and the spec bound to its state.
Body = Callable[[Path, Spec], Leaf]


@dataclass(frozen=True)
class Tracing:
    """What all runs of one spec share. `deadline` is a time of `time.monotonic`."""

    spec: Spec
    layout: Layout
    paths_max: int = PATHS_MAX
    deadline: float | None = None

    @functools.cached_property
    def _anything(self) -> Constraints:
        return Constraints([slot.domain.codes for slot in self.layout.slots])

    def fresh(self) -> Constraints:
        """Constraints that any state meets."""
        return self._anything.copy()


class _Node:
    """A decision with the subtrees of its answers, while they are being found."""

    __slots__ = ("answers", "decision")

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        self.answers: list[_Node | Leaf | None] = [None] * decision.count()


def trace_step(tracing: Tracing, what: str, function: Callable[..., Any], args: Mapping[str, Any]) -> Tree:
    """The tree of a step: leaves are Update, Disabled, Raises and Overflow."""
    _check_function(function, what)

    def body(path: Path, spec: Spec) -> Leaf:
        function(spec, **args)
        return Update(path.updates())

    return _in_both_orders(tracing, what, function, body)


def trace_property(tracing: Tracing, what: str, function: Callable[..., Any], args: Mapping[str, Any]) -> Tree:
    """The tree of a property: leaves are Answer and Raises."""
    _check_function(function, what)

    def body(path: Path, spec: Spec) -> Leaf:
        return Answer(_answer(function(spec, **args)))

    return _in_both_orders(tracing, what, function, body, reading=what)


def trace_step_property(
    tracing: Tracing, what: str, function: Callable[..., Any], args: Mapping[str, Any], step: Any
) -> tuple[Tree, bool]:
    """The tree of a step invariant, and whether the method takes `step`: if not, one tree serves all steps."""
    _check_function(function, what)
    names = inspect.signature(function).parameters

    def body(path: Path, spec: Spec) -> Leaf:
        before = attach(tracing.spec, _store(tracing, Frame(path)))
        extra = {name: value for name, value in (("before", before), ("step", step)) if name in names}
        return Answer(_answer(function(spec, **args, **extra)))

    tree = _in_both_orders(tracing, what, function, body, reading=what, after=True)
    return tree, "step" in names


def trace_derived(tracing: Tracing, what: str, function: Callable[..., Any]) -> Tree:
    """The tree of a derived value: leaves are Shown and Raises."""
    _check_function(function, what)

    def body(path: Path, spec: Spec) -> Leaf:
        return Shown(_shown(function(spec)))

    return _in_both_orders(tracing, what, function, body, reading=what)


def _in_both_orders(
    tracing: Tracing,
    what: str,
    function: Callable[..., Any],
    body: Body,
    reading: str | None = None,
    after: bool = False,
) -> Tree:
    """The tree of a method. One that loops over an unordered container is traced in both orders.

    SpecError PD107 where the outcome depends on the order.
    """
    try:
        tree, unordered = _explore(tracing, what, body, PathOptions(reading=reading), after)
        if unordered is None:
            return _fitting(tracing, what, function, tree)
        other, _ = _explore(tracing, what, body, PathOptions(reverse=True, reading=reading), after)
    except SpecError as error:
        error.span = error.span or span_of(function)
        raise
    if differ(tracing.fresh(), tree, other):
        raise SpecError(
            "PD107",
            f"{what}: the outcome depends on the order in which this loop goes through an unordered container",
            span=unordered,
            hint="loop over sorted(...), or say with choose(...) that any order is possible",
        )
    return _fitting(tracing, what, function, tree)


def _fitting(tracing: Tracing, what: str, function: Callable[..., Any], tree: Tree) -> Tree:
    """The tree, whose values engines can compute in 64 bits; SpecError PD103 where they cannot."""
    if too_large(tree, [slot.domain for slot in tracing.layout.slots]) is not None:
        raise SpecError("PD103", f"{what} computes values that do not fit into 64 bits", span=span_of(function))
    return tree


def _answer(value: Any) -> Any:
    if value is None:
        raise SpecError("PD108", "the property returns None", hint="return whether it is true")
    return truth_expression(value) if is_symbol(value) else truth_expression(bool(value))


def _shown(value: Any) -> str:
    if isinstance(value, DictPart | Iterator):
        value = list(value)
    if isinstance(value, View):
        value = value.copy()
    if isinstance(value, dict):
        # In an order of its own: a dictionary of the state has none.
        entries = {concrete(key): item for key, item in value.items()}
        try:
            keys = sorted(entries)
        except TypeError:
            keys = sorted(entries, key=_shown)
        return "{" + ", ".join(f"{_shown(key)}: {_shown(entries[key])}" for key in keys) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(_shown, value))) + "}"
    if isinstance(value, list | tuple) or type(value).__name__ == "deque":
        return "[" + ", ".join(map(_shown, value)) + "]"
    return value_text(concrete(value))


def _check_function(function: Callable[..., Any], what: str) -> None:
    code = function.__code__
    span = SourceSpan(code.co_filename, code.co_firstlineno)
    if (
        inspect.iscoroutinefunction(function)
        or inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
    ):
        hint = "split it into several actions"
        raise SpecError(
            "PD104", f"{what} is a generator or coroutine: an action is one atomic step", span=span, hint=hint
        )
    hazard = guard_method(function)  # type: ignore[arg-type]
    if hazard is not None:
        hint = "load the spec with pdspec (pdspec check FILE), or write == and isinstance"
        raise SpecError(
            "PD104", f"{what} asks `is`, `type` or `id`, but its file was not loaded by pdspec", span=hazard, hint=hint
        )


def _explore(
    tracing: Tracing, what: str, body: Body, options: PathOptions, after: bool = False
) -> tuple[Tree, SourceSpan | None]:
    root: _Node | Leaf | None = None
    script: list[int] = []
    known: list[Decision] = []
    unordered: SourceSpan | None = None
    forks: Counter[SourceSpan | None] = Counter()
    paths = 0
    while True:
        if tracing.deadline is not None and time.monotonic() > tracing.deadline:
            raise OutOfTime
        path = Path(tracing.layout, script, known, tracing.fresh(), options)
        spec = attach(tracing.spec, _store(tracing, Frame(path, after)))
        leaf = _run(path, spec, body, what)
        unordered = unordered or path.unordered
        if len(path.decisions) < len(known):
            raise SpecError(
                "PD105", f"{what}: a run of the same path ended earlier than before", span=known[-1].span, hint=_REPEAT
            )
        forks.update(decision.span for decision in path.decisions[len(known) :])
        root = _insert(root, path, leaf)
        paths += 1
        if paths > tracing.paths_max:
            span, times = forks.most_common(1)[0]
            message = f"{what} has more than {tracing.paths_max:,} paths; this line forked most, {times:,} times"
            raise SpecError("PD106", message, span=span, hint="split the action, or raise --paths-max")
        answers = list(path.answers)
        while answers and answers[-1] + 1 == path.decisions[len(answers) - 1].count():
            answers.pop()
        if not answers:
            break
        answers[-1] += 1
        script, known = answers, path.decisions[: len(answers)]
    _run_again(tracing, what, body, options, after, root)
    tree = _joined(root, {})
    if tree is None:
        raise AssertionError(f"{what}: no path is feasible")
    return tree, unordered


def _run_again(
    tracing: Tracing, what: str, body: Body, options: PathOptions, after: bool, root: _Node | Leaf | None
) -> None:
    """Runs the first path once more: what a step with a single path keeps outside of the state shows only then."""
    path = Path(tracing.layout, [], [], tracing.fresh(), options)
    spec = attach(tracing.spec, _store(tracing, Frame(path, after)))
    leaf = _run(path, spec, body, what)
    node = root
    for decision in path.decisions:
        if not isinstance(node, _Node) or node.decision != decision:
            raise SpecError("PD105", f"{what}: two runs of the same path part", span=decision.span, hint=_REPEAT)
        node = node.answers[0]
    # Messages may name the address of an object.
    kinds = [each.exception if isinstance(each, Raises) else type(each) for each in (node, leaf)]
    if node != leaf and (kinds[0] != kinds[1] or not isinstance(leaf, Raises | Overflow)):
        span = path.decisions[-1].span if path.decisions else None
        raise SpecError("PD105", f"{what}: two runs of the same path have different outcomes", span=span, hint=_REPEAT)


def _store(tracing: Tracing, frame: Frame) -> StateStore:
    return StateStore(frame, type(tracing.spec).__name__, tracing.spec.parameters())


_REPEAT = "a step may depend on the state and its arguments only: no cache, global, random, time or set order"


def _run(path: Path, spec: Spec, body: Body, what: str) -> Leaf:
    """The leaf that one run ends in."""
    try:
        with running(path):
            try:
                leaf = body(path, spec)
                path.ended = path.ended or leaf
            except Stop:
                pass
            except SpecError as error:
                path.refused = path.refused or error
            except RecursionError as error:
                path.refused = SpecError("PD106", f"{what} calls itself without end", span=place_of(error))
            except (KeyboardInterrupt, MemoryError):
                raise
            except BaseException as error:
                if path.ended is None and path.refused is None:
                    path.ended = _raised(error)
            if path.refused is None:
                # Also where the step is disabled: what it required may have read the wrong value.
                path.refused = stored_problem(path)
    finally:
        path.active = False
    if path.refused is not None:
        if path.constraints.satisfiable():
            refused = path.refused
            if not refused.message.startswith(what):
                refused = SpecError(refused.code, f"{what}: {refused.message}", span=refused.span, hint=refused.hint)
            raise refused
        return _NOWHERE
    assert path.ended is not None
    if infeasible(path.ended) or (path.constraints.residual and not path.constraints.satisfiable()):
        return _NOWHERE
    return path.ended


_NOWHERE = Answer(TRUE)


def _raised(error: BaseException) -> Leaf:
    message = ""
    with contextlib.suppress(Stop, Exception):
        message = str(error)
    return Raises(type(error).__name__, message, place_of(error))


def _insert(root: _Node | Leaf | None, path: Path, leaf: Leaf) -> _Node | Leaf:
    if not path.decisions:
        return leaf
    if root is None:
        root = _Node(path.decisions[0])
    node = root
    assert isinstance(node, _Node)
    for decision, answer in zip(path.decisions[1:], path.answers, strict=False):
        child = node.answers[answer]
        if child is None:
            child = node.answers[answer] = _Node(decision)
        assert isinstance(child, _Node)
        node = child
    node.answers[path.answers[-1]] = leaf
    return root


def _joined(node: _Node | Leaf | None, seen: dict[Tree, Tree]) -> Tree | None:
    """The tree of a node without infeasible answers, equal subtrees shared; None where nothing is feasible."""
    if node is None or node is _NOWHERE:
        return None
    if not isinstance(node, _Node):
        return seen.setdefault(node, node)
    decision = node.decision
    subtrees = [_joined(answer, seen) for answer in node.answers]
    tree: Tree
    if decision.term is None:
        kept = [(option, tree) for option, tree in zip(decision.options, subtrees, strict=True) if tree is not None]
        if not kept:
            return None
        tree = Choose(decision.name, tuple(option for option, _ in kept), tuple(sub for _, sub in kept), decision.span)
        return seen.setdefault(tree, tree)
    merged: dict[int, tuple[list[int], Tree]] = {}
    for codes, subtree in zip(decision.cases, subtrees, strict=True):
        for part, below in _flattened(decision, codes, subtree):
            merged.setdefault(id(below), ([], below))[0].extend(part)
    if not merged:
        return None
    if len(merged) == 1:
        return next(iter(merged.values()))[1]
    flat = [code for codes, _ in merged.values() for code in codes]
    assert len(flat) == len(set(flat)), "a code in two cases"
    tree = Switch(decision.term, tuple((tuple(sorted(codes)), sub) for codes, sub in merged.values()), decision.span)
    return seen.setdefault(tree, tree)


def _flattened(decision: Decision, codes: tuple[int, ...], tree: Tree | None) -> list[tuple[tuple[int, ...], Tree]]:
    """The answer as cases; an answer that asks for the same term again is taken apart."""
    if tree is None:
        return []
    if isinstance(tree, Switch) and tree.term == decision.term:
        parts = [(tuple(code for code in part if code in codes), below) for part, below in tree.cases]
        return [(part, below) for part, below in parts if part]
    return [(codes, tree)]
