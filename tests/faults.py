"""Faults to plant: each replaces one function or method of the tracer, of the Model or of the python engine.

A fault names the spec of `fault_specs.py` in which it must be noticed, and how. The wrong function gets the right one
as its first argument and calls it where it can, so that the code may change its inside freely.
"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pytest

from pdspec.explicit import compile as clustered
from pdspec.explicit import explore, paths
from pdspec.explicit.generate import _Writer
from pdspec.explicit.pack import Packing
from pdspec.explicit.possible import Graph
from pdspec.lang import ground, hooks, symbolic, trace
from pdspec.lang.decorate import Derived
from pdspec.lang.layout import OptionalPlace
from pdspec.lang.path import Frame, Path
from pdspec.lang.spec import attach
from pdspec.lang.symbolic import Symbol, is_symbol
from pdspec.lang.views import access, dicts, ordered
from pdspec.lang.views.access import StateStore, View
from pdspec.lang.views.bags import BagView
from pdspec.lang.views.dicts import DictView
from pdspec.lang.views.ordered import ArrayView, QueueView
from pdspec.lang.views.sets import SetView
from pdspec.lang.views.unordered import Unordered
from pdspec.model import expr, tree
from pdspec.model.constraints import Constraints
from pdspec.model.expr import FALSE, TRUE, Const, Equal, Less, Max, Min, Slot
from pdspec.model.tree import Answer, Disabled, Update


@dataclass(frozen=True)
class Fault:
    """`attribute` of `owner`, or a built-in function that it uses, does what `wrong` does. This must be noticed in
    `spec`, in the way of `caught_by`. `everywhere`: also in the modules of pdspec that imported the function.
    """

    name: str
    spec: str
    caught_by: str
    owner: Any
    attribute: str
    wrong: Callable[..., Any]
    everywhere: bool = False

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The fault is there until `monkeypatch` is undone."""
        named = hasattr(self.owner, self.attribute)
        right = getattr(self.owner if named else builtins, self.attribute)

        def planted(*args: Any, **kwargs: Any) -> Any:
            return self.wrong(right, *args, **kwargs)

        known = [module for name, module in sys.modules.items() if name.split(".")[0] == "pdspec"]
        importers = [module for module in known if vars(module).get(self.attribute) is right]
        for place in importers if self.everywhere else [self.owner]:
            monkeypatch.setattr(place, self.attribute, planted, raising=named)


def nothing(right: Any, *args: Any) -> None:
    """Instead of doing something."""


def insert_but_last(right: Any, root: Any, path: Path, leaf: Any) -> Any:
    last = bool(path.answers) and path.answers[-1] + 1 == path.decisions[-1].count()
    return right(root, path, trace._NOWHERE if last else leaf)


def pick_but_last(right: Any, path: Path, name: str, options: Any) -> Any:
    return right(path, name, options[:-1] or options)


def choose_twice(right: Any, path: Path, options: Any, name: str) -> Any:
    items = list(options)
    return items[path.pick(name, list(map(str, items)))]


def assume_nothing(right: Any, known: Constraints, term: Any, codes: Any) -> Any:
    return right(known.copy(), term, codes)


def assume_complement(right: Any, known: Constraints, term: Any, codes: Any) -> Any:
    return right(known, term, known.allowed[term.index] - set(codes) if type(term) is Slot else codes)


def assume_beside(right: Any, known: Constraints, term: Any, codes: Any) -> Any:
    return right(known, Slot((term.index + 1) % known.count) if type(term) is Slot else term, codes)


def cases_swapped(right: Any, known: Constraints, condition: Any, values: Any) -> Any:
    term, groups = right(known, condition, values)
    return term, groups[::-1]


def relations_forgotten(right: Any, known: Constraints, *relation: Any) -> Any:
    known.residual.pop()
    return right(known, *relation)


def equal_inverted(right: Any, condition: Any, *states: Any) -> Any:
    value = right(condition, *states)
    return 1 - value if isinstance(condition, Equal) else value


class Merging(dict[Any, Any]):
    """Takes any two updates of as many slots for the same."""

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return super().setdefault(len(key.updates) if isinstance(key, Update) else key, default)


def joined_too_far(right: Any, node: Any, seen: Any) -> Any:
    return right(node, seen if isinstance(seen, Merging) else Merging())


def cases_of_one_code(right: Any, *case: Any) -> Any:
    return [(codes[:1], below) for codes, below in right(*case)]


def at_most_is_less(right: Any, mine: Any, other: Any, how: Any) -> Any:
    return Less(mine, other) if how is operator.le else right(mine, other, how)


def constant_lost(right: Any, *terms: Any) -> Any:
    return right(*(term for term in terms if not isinstance(term, Const)))


def first_only(right: Any, item: Any, box: Any) -> Any:
    return right(item, box[:1] if is_symbol(item) and type(box) is tuple else box)


def as_int(right: Any, path: Path, value: Any, values: Any) -> Any:
    ints = values and all(isinstance(each, int) for each in values.values())
    return right(path, value, None if ints else values)


def load_unasked(right: Any, frame: Frame, place: Any) -> Any:
    return right(frame, place.inner if isinstance(place, OptionalPlace) else place)


def only_absent(right: Any, frame: Frame, place: Any) -> None:
    frame.put(place.presence, Const(place.absent))


def first_noted(right: Any, result: Any, depth: int, state: int, numbers: Any) -> None:
    findings = [(number, result.findings[number]) for number in numbers]
    right(result, depth, state, [n for n, finding in findings if (finding.kind, finding.property) not in result.found])


def put_anywhere(right: Any, path: Path, slot: int, value: Any) -> None:
    path.env[slot] = value


def is_not_lost(right: Any, value: Any) -> Any:
    return value if is_symbol(value) else right(value)


def first_next(right: Any, value: Any, *more: Any) -> Any:
    return iter(value) if isinstance(value, View) else right(value, *more)


def as_step_without_args(right: Any, *transition: Any) -> Any:
    return replace(right(*transition), args=())


def item_or_rest(right: Any, view: DictView, key: Any) -> Any:
    return access.load(view._frame, view._place.entries[key].inner)


def skip_one(right: Any, view: Unordered) -> Any:
    return islice(right(view), 1, None)


def index_unsigned(right: Any, view: ArrayView, index: Any, problem: str) -> Any:
    return right(view, abs(index), problem)


def toggle(right: Any, view: SetView, key: Any) -> Any:
    return right(view, key) if key in view else view.add(key)


class Old(Frame):
    """The state before the step, whatever was written."""

    def get(self, slot: int) -> Any:
        return Slot(slot)


def derived_of_old(right: Any, value: Any, spec: Any, owner: Any) -> Any:
    store = spec.__dict__.get("_store") if spec is not None else None
    if isinstance(store, StateStore):
        return value.function(attach(spec, StateStore(Old(store.frame.path), "")))
    return right(value, spec, owner)


def answer_anything(right: Any, path: Path, decision: Any) -> Any:
    path.known = ()
    return right(path, decision)


def one_after_the_other(right: Any, leaf: Update, before: Any) -> Any:
    after = list(before)
    for index, value in leaf.updates:
        after[index] = expr.evaluate(value, after)
    return tuple(after)


def slots_read(right: Any, question: Any) -> Any:
    written = [leaf.updates for leaf in tree.leaves(question) if isinstance(leaf, Update)]
    return right(question) - {index for updates in written for index, _ in updates}


def one_bit_less(right: Any, model: Any) -> Any:
    first, *rest = right(model).fields
    return Packing((replace(first, mask=first.mask >> 1), *rest))


def unless_unchanged(right: Any, writer: Any, leaf: Any, *more: Any) -> Any:
    return None if leaf == Update(()) else right(writer, leaf, *more)


def min_written(right: Any, writer: Any, term: Any, new: Any = None) -> Any:
    return right(writer, Min(term.left, term.right) if type(term) is Max else term, new)


def no_way(right: Any, graph: Any, goals: Any, without: Any) -> Any:
    return sorted(set(range(len(graph.states))) - set(goals))


# fmt: off
FAULTS = [
    # Paths
    Fault("the last answer is lost", "numbers", "oracle", trace, "_insert", insert_but_last),
    Fault("the last option is lost", "flags", "engine", Path, "pick", pick_but_last),
    Fault("equal options are told apart", "flags", "oracle", Path, "choose", choose_twice),
    Fault("require is swallowed", "flags", "engine", Path, "require", nothing),
    Fault("a read sees no write before", "numbers", "oracle", Path, "get", lambda right, path, slot: Slot(slot)),
    Fault("the last update is lost", "numbers", "oracle", Path, "updates", lambda right, path: right(path)[:-1]),
    Fault("a bound is disabled", "limits", "engine", Path, "overflow", lambda right, path, _: path.end(Disabled())),
    Fault("an exception is disabled", "limits", "oracle", trace, "_raised", lambda right, _: Disabled()),
    Fault("an exception changes nothing", "limits", "oracle", trace, "_raised", lambda right, _: Update(())),
    # What is known along a path
    Fault("an answer narrows nothing", "relations", "refused", Constraints, "assume", assume_nothing),
    Fault("an answer narrows to the complement", "numbers", "oracle", Constraints, "assume", assume_complement),
    Fault("an answer narrows the slot beside", "numbers", "oracle", Constraints, "assume", assume_beside),
    Fault("the cases of a question are swapped", "numbers", "oracle", Constraints, "cases", cases_swapped),
    Fault("relations are forgotten", "relations", "refused", Constraints, "_filter", relations_forgotten),
    Fault("no relation can be met", "relations", "oracle", Constraints, "satisfiable", lambda _, it: not it.residual),
    Fault("every relation can be met", "relations", "refused", Constraints, "satisfiable", lambda right, known: True),
    Fault("equal is unequal", "numbers", "oracle", expr, "evaluate", equal_inverted, True),
    # From paths to a tree
    Fault("unequal subtrees are merged", "flags", "oracle", trace, "_joined", joined_too_far),
    Fault("merged cases lose codes", "numbers", "oracle", trace, "_flattened", cases_of_one_code),
    # Symbols, and what rewritten code asks
    Fault("<= is <", "numbers", "oracle", Symbol, "__le__", lambda right, mine, other: mine < other),
    Fault("<= between slots is <", "numbers", "oracle", symbolic, "_relation", at_most_is_less),
    Fault("max is min", "numbers", "oracle", hooks, "extreme", lambda right, path, of, most: right(path, of, not most)),
    Fault("a factor loses its sign", "numbers", "oracle", symbolic, "_scaled", lambda right, n, it: right(abs(n), it)),
    Fault("a sum loses its constant", "numbers", "oracle", symbolic, "add", constant_lost),
    Fault("in looks at the first only", "numbers", "oracle", hooks, "in_", first_only),
    Fault("is is not asked", "flags", "oracle", hooks, "is_", lambda right, one, other: one is other),
    Fault("is not is taken for is", "flags", "oracle", hooks, "_negate", is_not_lost),
    Fault("an unknown answer is true", "flags", "oracle", trace, "truth_expression", lambda right, answer: TRUE),
    Fault("the type is a symbol's", "flags", "oracle", hooks, "type_", lambda right, value: type(value)),
    Fault("- forgets its sides", "relations", "oracle", Symbol, "__rsub__", lambda right, mine, other: mine - other),
    Fault("// forgets its sides", "numbers", "oracle", Symbol, "__rfloordiv__", lambda right, it, other: it // other),
    # Places and containers
    Fault("a stored int stays an int", "flags", "refused", access, "make", as_int),
    Fault("None is not asked", "flags", "oracle", access, "load", load_unasked, True),
    Fault("a slot that a queue left is stale", "queue", "oracle", ordered, "clear", nothing),
    Fault("popleft takes the last item", "queue", "oracle", QueueView, "popleft", lambda right, queue: queue.pop()),
    Fault("a loop goes past the end", "queue", "oracle", QueueView, "_longer_than", lambda right, queue, index: True),
    Fault("len is the capacity", "queue", "oracle", QueueView, "_pdspec_len", lambda right, it: len(it._place.items)),
    Fault("a full queue has room", "limits", "engine", QueueView, "_room", lambda right, queue, n: right(queue, n - 1)),
    Fault("a deleted entry keeps its content", "rooms", "oracle", dicts, "clear", only_absent),
    Fault("None keeps its fields", "queue", "oracle", access, "clear", only_absent),
    Fault("what was replaced is seen anew", "rooms", "oracle", access, "_detach", nothing),
    Fault("a missing key is no KeyError", "rooms", "oracle", DictView, "__getitem__", item_or_rest),
    Fault("get ignores its default", "rooms", "oracle", DictView, "get", lambda right, view, key, *_: right(view, key)),
    Fault("discard toggles", "group", "oracle", SetView, "discard", toggle),
    Fault("a loop skips the first", "group", "oracle", Unordered, "__iter__", skip_one),
    Fault("a loop sees no change of size", "group", "refused", Unordered, "_resize", nothing),
    Fault("an absent key can be chosen", "group", "oracle", Unordered, "_only_if", nothing),
    Fault("iter knows one order", "group", "refused", hooks, "iter_", first_next),
    Fault("a count of 0 is an entry", "group", "oracle", BagView, "_there", lambda right, bag, key: TRUE),
    Fault("an index below 0 loses its sign", "group", "oracle", ArrayView, "_at", index_unsigned),
    # Properties
    Fault("before is seen twice", "steps", "oracle", Frame, "get", lambda right, frame, slot: frame.path.get(slot)),
    Fault("a derived value is of the old state", "steps", "oracle", Derived, "__get__", derived_of_old),
    Fault("without is ignored", "steps", "engine", ground, "_without", lambda right, *_: frozenset()),
    Fault("no state is final", "steps", "engine", ground, "_final", lambda right, *_: Answer(FALSE)),
    # What is refused
    Fault("a loop may depend on the order", "order", "accepted", trace, "differ", lambda right, *_: False),
    Fault("a set has an order", "plain_order", "accepted", hooks, "each", lambda right, collection: collection),
    Fault("a property may assign", "changing", "accepted", Path, "put", put_anywhere),
    Fault("a step may keep something", "hidden", "accepted", trace, "_run_again", nothing),
    Fault("two runs of a path may part", "parting", "accepted", Path, "_answer", answer_anything),
    Fault("an object may have two places", "shared", "accepted", access, "_remember", nothing),
    Fault("what was stored may change", "changed", "accepted", trace, "stored_problem", nothing),
    # The python engine
    Fault("updates see each other", "numbers", "oracle", tree, "apply", one_after_the_other, True),
    Fault("what a step writes is not looked at", "queue", "engine", clustered, "question_slots", slots_read),
    Fault("a slot is a bit too narrow", "numbers", "crash", explore, "packing_of", one_bit_less),
    Fault("a self-loop is no transition", "steps", "engine", _Writer, "_step", unless_unchanged),
    Fault("a self-loop is not asked", "steps", "engine", _Writer, "_check_step", unless_unchanged),
    Fault("after is read before", "steps", "crash", _Writer, "_expr", lambda right, it, term, *_: right(it, term)),
    Fault("max is min in generated code", "numbers", "crash", _Writer, "_expr", min_written),
    Fault("failing leaves mixed up", "limits", "trace", explore, "failing_leaves", lambda right, it: right(it)[::-1]),
    Fault("a trace forgets arguments", "queue", "trace", paths, "as_step", as_step_without_args, True),
    Fault("the first finding is kept", "detours", "trace", explore, "_note", first_noted),
    Fault("a trace goes back anywhere", "detours", "trace", paths, "min", lambda right, states: states[0]),
    Fault("a bound leads nowhere", "limits", "engine", Graph, "_overflowing", lambda right, graph, without: []),
    Fault("only where it is true it is possible", "steps", "engine", Graph, "cannot_reach", no_way),
]
