"""Does the Model say what the methods do? Every leaf of every tree against a run on plain values.

"Complete and disjoint": over all well-formed valuations of the slots, reachable or not, each resolution of the
choices reaches exactly one leaf, and its outcome is what the method does. Where there are too many valuations, half of
those that are compared are drawn, half found from the initial states on. A resolution that is disabled may be missing
on either side: one may choose among all keys and then ask, the other among the members.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import Any, assert_never

from pdspec.errors import SpecError
from pdspec.lang.context import running
from pdspec.lang.decorate import Derived, Final
from pdspec.lang.layout import Layout
from pdspec.lang.spec import Spec, members
from pdspec.model.expr import Expr, evaluate
from pdspec.model.model import ActionInstance, Model, PropertyInstance, variable_texts
from pdspec.model.text import value_text
from pdspec.model.tree import Answer, Choices, Choose, Leaf, Overflow, Raises, Shown, Switch, Tree, Update, apply
from pdspec.model.tree import Disabled as DisabledLeaf
from pdspec.model.tree import outcomes as leaves_of
from pdspec.model.wellformed import all_states, conditions, count_states, objection, sampled_states
from pdspec.semantics.declared import Instance, Question, final_of, instances, questions
from pdspec.semantics.look import Failed, Look, ask, ask_step
from pdspec.semantics.step import Bound, Disabled, Next, Raised, outcomes
from pdspec.source import SourceSpan

Codes = tuple[int, ...]
# What a step or a question comes to: a verb, and what it is about.
Effect = tuple[str, Any]
Effects = Counter[tuple[Choices, Effect]]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """In this valuation the methods do what is `expected`, and the Model says what was `got`."""

    instance: str
    valuation: str
    expected: str
    got: str
    span: SourceSpan | None = None

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else ""
        return f"{place}{self.instance} in {self.valuation}: expected {self.expected}; the Model says {self.got}"


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """How many valuations were compared, whether they are a sample, and the first mismatches."""

    valuations: int
    sampled: bool
    mismatches: tuple[Mismatch, ...]


def self_check(spec: Spec, model: Model, layout: Layout, limit: int = 10_000, mismatches_max: int = 20) -> SelfCheck:
    """Compares every action, property, derived value and `@final` of `model` with the methods of `spec`.

    `model` and `layout` are what `ground` made of `spec`. At most `limit` valuations are compared, or as many as there
    are initial states. Stops after `mismatches_max` mismatches.
    """
    sampled = count_states(model) > limit
    states = _drawn(model, limit) if sampled else list(all_states(model))
    check = _Check(spec, model, layout, mismatches_max)
    try:
        check.trees()
        for initial in model.initial:
            check.canonical("state()", initial.state)
        for number, codes in enumerate(states):
            check.state(codes, states[(number * 7919 + 1) % len(states)])
    except _Enough:
        pass
    return SelfCheck(len(states), sampled, tuple(check.mismatches))


def _drawn(model: Model, limit: int) -> list[Codes]:
    """Half of them found from the initial states on, half drawn anywhere."""
    known = dict.fromkeys(initial.state for initial in model.initial)
    left = deque(known)
    met = conditions(model)
    while left and len(known) < limit // 2:
        before = left.popleft()
        for action in model.actions:
            for _, leaf in _reached(action.tree, before):
                after = apply(leaf, before) if isinstance(leaf, Update) else before
                if after not in known and objection(model, after, met) is None and len(known) < limit // 2:
                    known[after] = None
                    left.append(after)
    known.update(dict.fromkeys(sampled_states(model, max(0, limit - len(known)))))
    return list(known)


class _Enough(Exception):
    """As many mismatches as anyone will read."""


class _Check:
    """The comparison of one spec with its Model, and what it found so far."""

    def __init__(self, spec: Spec, model: Model, layout: Layout, mismatches_max: int) -> None:
        self.mismatches: list[Mismatch] = []
        self._spec = spec
        self._model = model
        self._layout = layout
        self._mismatches_max = mismatches_max
        self._met: Sequence[Expr] = conditions(model)
        self._known: Sequence[Instance] = instances(spec)
        names = {instance.property for instance in model.properties}
        self._asked: Sequence[Question] = [question for question in questions(spec) if question.name in names]
        self._derived = {name: member for name, member in members(type(spec)).items() if isinstance(member, Derived)}
        named = [(instance.action, instance.texts) for instance in self._known]
        assert named == [(action.action, action.args) for action in model.actions]
        assert [question.label() for question in self._asked] == [instance.label() for instance in model.properties]

    def trees(self) -> None:
        """No code has two cases: of these an engine may take either."""
        labelled = [(action.label(), action.tree) for action in self._model.actions]
        labelled += [(instance.label(), tree) for instance in self._model.properties for tree in set(instance.trees)]
        for label, tree in labelled:
            for switch in _switches(tree):
                counted = Counter(code for codes, _ in switch.cases for code in codes)
                twice = [code for code, count in counted.items() if count > 1]
                if twice:
                    self._note(label, "every state", "one case for each code", f"several for {twice}", switch.span)

    def canonical(self, label: str, codes: Codes) -> None:
        """A state that is decoded and encoded again is the same state."""
        problem = objection(self._model, codes, self._met)
        if problem is None:
            again = self._layout.encode(self._layout.decode(codes))
            problem = None if again == codes else f"{again} after decoding and encoding"
        if problem is not None:
            self._note(label, f"the codes {codes}", "a state", problem, None)

    def state(self, codes: Codes, other: Codes) -> None:
        """Asks everything about `codes`; step invariants also about the pair with `other`, which is no transition."""
        self.canonical("layout", codes)
        look = self._look(codes)
        stepped: dict[tuple[int, Codes], None] = {(sum(codes) % len(self._known), other): None}
        for number, (instance, action) in enumerate(zip(self._known, self._model.actions, strict=True)):
            expected = self._of_method(instance, codes)
            got = self._of_tree(action, codes)
            if expected != got:
                missing = self._texts(expected - got) or self._texts(expected) or "nothing"
                self._note(
                    action.label(), self._text(codes), missing, self._texts(got - expected) or "no such", action.span
                )
            stepped.update({(number, effect[1]): None for _, effect in expected if effect[0] == "leads to"})
        for question, asked in zip(self._asked, self._model.properties, strict=True):
            if asked.kind == "step_invariant":
                self._steps(question, asked, codes, look, list(stepped))
            else:
                self._answer(asked.label(), codes, (), _said(question, look), asked.trees[0], asked.span)
        final = final_of(self._spec)
        if final is not None and self._model.final is not None:
            self._answer("final", codes, (), _said(final, look), self._model.final, None)
        for value in self._model.derived:
            self._answer(f"derived {value.name}", codes, (), _shown(self._derived[value.name], look), value.tree, None)

    def _steps(
        self, question: Question, asked: PropertyInstance, before: Codes, look: Look, stepped: list[tuple[int, Codes]]
    ) -> None:
        for number, after in stepped:
            instance, following = self._known[number], self._look(after)
            expected = _caught(lambda: ask_step(question.member, question.args, look, instance, following))  # noqa: B023
            label = f"{asked.label()} of {self._model.actions[number].label()}"
            self._answer(label, before, after, expected, asked.trees[number], asked.span)

    def _answer(
        self, label: str, before: Codes, after: Codes, expected: Effect, tree: Tree, span: SourceSpan | None
    ) -> None:
        got = [self._effect(leaf, before, after) for _, leaf in _reached(tree, before, after)]
        if got != [expected]:
            where = self._text(before) + (f" then {self._text(after)}" if after else "")
            self._note(label, where, self._one((), expected), " or ".join(self._one((), each) for each in got), span)

    def _of_method(self, instance: Instance, codes: Codes) -> Effects:
        try:
            found = outcomes(self._spec, instance, self._layout.decode(codes))
        except SpecError as error:
            return Counter({((), ("is refused", str(error))): 1})
        effects: Effects = Counter()
        for choices, outcome in found:
            match outcome:
                case Next(state):
                    effects[choices, ("leads to", self._layout.encode(state))] += 1
                case Raised(_, type_name, _, _):
                    effects[choices, ("raises", type_name)] += 1
                case Bound():
                    effects[choices, ("meets a bound", None)] += 1
                case Disabled():
                    pass
                case _:
                    assert_never(outcome)
        return effects

    def _of_tree(self, action: ActionInstance, codes: Codes) -> Effects:
        reached = _reached(action.tree, codes)
        return Counter(
            (choices, self._effect(leaf, codes, ())) for choices, leaf in reached if not isinstance(leaf, DisabledLeaf)
        )

    def _effect(self, leaf: Leaf | None, before: Codes, after: Codes) -> Effect:
        match leaf:
            case None:
                return ("has no case", None)
            case Update():
                following = apply(leaf, before)
                problem = objection(self._model, following, self._met)
                return ("leads to", following) if problem is None else ("leads to no state", problem)
            case Raises(exception):
                return ("raises", exception)
            case Overflow():
                return ("meets a bound", None)
            case DisabledLeaf():
                return ("is disabled", None)
            case Answer(truth):
                return ("is", bool(evaluate(truth, before, after)))
            case Shown(text):
                return ("shows", text)
            case _:
                assert_never(leaf)

    def _look(self, codes: Codes) -> Look:
        return Look(self._spec, self._layout.decode(codes))

    # Saying it

    def _note(self, label: str, valuation: str, expected: str, got: str, span: SourceSpan | None) -> None:
        self.mismatches.append(Mismatch(label, valuation, expected, got, span))
        if len(self.mismatches) >= self._mismatches_max:
            raise _Enough

    def _text(self, codes: Codes) -> str:
        return ", ".join(f"{name} = {text}" for name, text in variable_texts(self._model, codes).items())

    def _texts(self, effects: Effects) -> str:
        return "; ".join(self._one(choices, effect) for choices, effect in effects.elements())

    def _one(self, choices: Choices, effect: Effect) -> str:
        verb, about = effect
        how = "".join(f"{name}={text}: " for name, text in choices)
        what = self._text(about) if verb == "leads to" else "" if about is None else str(about)
        return f"{how}{verb} {what}".rstrip()


def _switches(tree: Tree) -> Iterator[Switch]:
    seen: set[int] = set()
    left = [tree]
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Switch):
            yield node
            left.extend(case for _, case in node.cases)
        elif isinstance(node, Choose):
            left.extend(node.branches)


def _reached(tree: Tree, before: Codes, after: Codes = ()) -> list[tuple[Choices, Leaf | None]]:
    """The leaves; None where the tree has no case for a code that occurs."""
    try:
        return list(leaves_of(tree, before, after))
    except AssertionError:
        return [((), None)]


def _said(question: Question | Final, look: Look) -> Effect:
    if isinstance(question, Final):
        return _caught(lambda: ask(question, {}, look))
    return _caught(lambda: ask(question.member, question.args, look))


def _shown(member: Derived[Any], look: Look) -> Effect:
    def show() -> str | Failed:
        try:
            with running(look):
                return _plain_text(member.function(look.bound))
        except SpecError:
            raise
        except Exception as error:
            return Failed(type(error).__name__, str(error))

    return _caught(show)


def _caught(asked: Callable[[], bool | str | Failed]) -> Effect:
    try:
        answer = asked()
    except SpecError as error:
        return ("is refused", str(error))
    if isinstance(answer, Failed):
        return ("raises", answer.type_name)
    return ("shows" if isinstance(answer, str) else "is", answer)


def _plain_text(value: Any) -> str:
    """A derived value as traces show it: sets and dictionaries in the order of what is in them."""
    if isinstance(value, Mapping):
        try:
            keys = sorted(value)
        except TypeError:
            keys = sorted(value, key=_plain_text)
        return "{" + ", ".join(f"{_plain_text(key)}: {_plain_text(value[key])}" for key in keys) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(_plain_text, value))) + "}"
    if isinstance(value, list | tuple | deque | KeysView | ValuesView | ItemsView | Iterator):
        return "[" + ", ".join(map(_plain_text, value)) + "]"
    return value_text(value)
