"""Does the Model say what the methods do? Every leaf of every tree against a run on plain values.

"Complete and disjoint": over all well-formed valuations of the slots, reachable or not, each resolution of the choices
reaches exactly one leaf, and its outcome is what the method does. Where there are too many valuations, some are drawn,
and those near the initial states are added. A resolution that is disabled may be missing on either side: one may choose
among all keys and then ask, the other among the members.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pdspec.errors import SpecError
from pdspec.lang.decorate import Derived
from pdspec.lang.layout import Layout
from pdspec.lang.spec import Spec, members
from pdspec.model.expr import Expr, evaluate
from pdspec.model.model import ActionInstance, Model, PropertyInstance, variable_texts
from pdspec.model.text import value_text
from pdspec.model.tree import Answer, Choose, Disabled, Leaf, Overflow, Raises, Shown, Switch, Tree, Update, apply
from pdspec.model.tree import outcomes as leaves_of
from pdspec.model.wellformed import all_states, conditions, count_states, objection, sampled_states
from pdspec.semantics.declared import Instance, Question, final_of, instances, questions
from pdspec.semantics.look import Failed, Look, ask, ask_step
from pdspec.semantics.step import Bound, Next, Outcome, Raised, outcomes
from pdspec.semantics.step import Disabled as NotEnabled
from pdspec.source import SourceSpan

Codes = tuple[int, ...]


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

    `model` and `layout` are what `ground` made of `spec`. At most about `limit` valuations are compared. Stops after
    `mismatches_max` mismatches.
    """
    sampled = count_states(model) > limit
    states = _drawn(model, limit) if sampled else list(all_states(model))
    check = _Check(spec, model, layout, states, mismatches_max)
    try:
        check.trees()
        check.initial()
        for number, codes in enumerate(states):
            check.state(codes, states[(number * 7919 + 1) % len(states)])
    except _Enough:
        pass
    return SelfCheck(len(states), sampled, tuple(check.mismatches))


def _drawn(model: Model, limit: int) -> list[Codes]:
    """Half of them drawn anywhere, half found from the initial states on."""
    known = dict.fromkeys(initial.state for initial in model.initial)
    left = deque(known)
    met = conditions(model)
    while left and len(known) < limit // 2:
        before = left.popleft()
        for action in model.actions:
            for _, leaf in _reached(action.tree, before):
                after = apply(leaf, before) if isinstance(leaf, Update) else before
                if after not in known and objection(model, after, met) is None:
                    known[after] = None
                    left.append(after)
    known.update(dict.fromkeys(sampled_states(model, limit - len(known))))
    return list(known)


class _Enough(Exception):
    """As many mismatches as anyone will read."""


# What a step or a question comes to, so that both sides can be compared, and a text of it.
Effect = tuple[Any, ...]


@dataclass
class _Check:
    spec: Spec
    model: Model
    layout: Layout
    states: Sequence[Codes]
    mismatches_max: int
    mismatches: list[Mismatch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.met: Sequence[Expr] = conditions(self.model)
        self.known: Sequence[Instance] = instances(self.spec)
        self.asked: Sequence[Question] = _matching(questions(self.spec), self.model.properties)
        self.final = final_of(self.spec) if self.model.final is not None else None
        derived = {name: member for name, member in members(type(self.spec)).items() if isinstance(member, Derived)}
        self.derived = [(value, derived[value.name]) for value in self.model.derived]
        named = [(instance.action, instance.texts) for instance in self.known]
        assert named == [(action.action, action.args) for action in self.model.actions]

    # What can be seen without a state

    def trees(self) -> None:
        """No tree has two cases for one code, or two branches that a trace could not tell apart."""
        for action in self.model.actions:
            self._disjoint(action.label(), action.tree)
        for instance in self.model.properties:
            for tree in dict.fromkeys(instance.trees):
                self._disjoint(instance.label(), tree)

    def _disjoint(self, label: str, tree: Tree) -> None:
        seen: set[int] = set()
        left = [tree]
        while left:
            node = left.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, Switch):
                twice = [
                    code for code, n in Counter(code for codes, _ in node.cases for code in codes).items() if n > 1
                ]
                if twice:
                    self._note(label, None, "one case for each code", f"several for {twice} of {node.term}", node.span)
                left.extend(case for _, case in node.cases)
            elif isinstance(node, Choose):
                left.extend(node.branches)

    def initial(self) -> None:
        """The initial states are states, and layout and Model agree on what they are."""
        for initial in self.model.initial:
            self._canonical("state()", initial.state)

    # One valuation

    def state(self, codes: Codes, other: Codes) -> None:
        """Everything is asked about `codes`; step invariants also about the pair with `other`."""
        self._canonical("layout", codes)
        plain = self.layout.decode(codes)
        look = Look(self.spec, plain)
        # A pair that is no transition, for one instance after the other.
        stepped: list[tuple[int, Codes]] = [(sum(codes) % len(self.known), other)]
        for number, (instance, action) in enumerate(zip(self.known, self.model.actions, strict=True)):
            expected = self._expected_step(instance, plain)
            got = self._got_step(action, codes)
            self._compare(action.label(), codes, expected, got, action.span)
            stepped += [(number, effect[1]) for _, effect in expected if effect[0] == "leads to"]
        for question, instance in zip(self.asked, self.model.properties, strict=True):
            if instance.kind == "step_invariant":
                self._steps(question, instance, codes, stepped)
            else:
                expected = _said(lambda question=question: ask(question.member, question.args, look))
                self._compare_answer(instance.label(), codes, (), expected, instance.trees[0], instance.span)
        if self.final is not None and self.model.final is not None:
            expected = _said(lambda: ask(self.final, {}, look))  # type: ignore[arg-type]
            self._compare_answer("final", codes, (), expected, self.model.final, None)
        for value, member in self.derived:
            self._compare_answer(f"derived {value.name}", codes, (), _shown(member, look), value.tree, None)

    def _steps(
        self, question: Question, instance: PropertyInstance, before: Codes, stepped: Sequence[tuple[int, Codes]]
    ) -> None:
        first = Look(self.spec, self.layout.decode(before))
        for number, after in dict.fromkeys(stepped):
            second = Look(self.spec, self.layout.decode(after))
            known = self.known[number]
            expected = _said(
                lambda known=known, second=second: ask_step(question.member, question.args, first, known, second)
            )
            tree = instance.trees[number]
            if _answers(tree, before, after) != [expected]:
                label = f"{instance.label()} of {self.model.actions[number].label()} to {self._text(after)}"
                self._compare_answer(label, before, after, expected, tree, instance.span)

    def _expected_step(self, instance: Instance, plain: Mapping[str, Any]) -> Counter[tuple[Any, Effect]]:
        try:
            found = outcomes(self.spec, instance, dict(plain))
        except SpecError as error:
            return Counter({((), ("is refused", error.code, error.message)): 1})
        return Counter(
            (choices, self._effect(outcome)) for choices, outcome in found if not isinstance(outcome, NotEnabled)
        )

    def _effect(self, outcome: Outcome) -> Effect:
        match outcome:
            case Next(state):
                return ("leads to", self.layout.encode(state))
            case Raised(_, type_name, _, _):
                return ("raises", type_name)
            case Bound():
                return ("meets a bound",)
            case NotEnabled():
                raise AssertionError(outcome)

    def _got_step(self, action: ActionInstance, before: Codes) -> Counter[tuple[Any, Effect]]:
        try:
            found = _reached(action.tree, before)
        except _NoCase as problem:
            return Counter({((), ("has no case", str(problem))): 1})
        return Counter((choices, self._leaf(leaf, before)) for choices, leaf in found if not isinstance(leaf, Disabled))

    def _leaf(self, leaf: Leaf, before: Codes) -> Effect:
        match leaf:
            case Update():
                after = apply(leaf, before)
                problem = objection(self.model, after, self.met)
                return ("leads to", after) if problem is None else ("leads to no state", problem)
            case Raises(exception):
                return ("raises", exception)
            case Overflow():
                return ("meets a bound",)
            case _:
                return ("ends in a leaf of no step", leaf)

    def _compare(
        self,
        label: str,
        codes: Codes,
        expected: Counter[tuple[Any, Effect]],
        got: Counter[tuple[Any, Effect]],
        span: SourceSpan | None,
    ) -> None:
        if expected != got:
            missing, extra = expected - got, got - expected
            self._note(label, codes, self._texts(missing or expected), self._texts(extra), span)

    def _compare_answer(
        self, label: str, before: Codes, after: Codes, expected: Effect, tree: Tree, span: SourceSpan | None
    ) -> None:
        got = _answers(tree, before, after)
        if got != [expected]:
            self._note(label, before, _effect_text(expected), " or ".join(map(_effect_text, got)), span)

    def _canonical(self, label: str, codes: Codes) -> None:
        """A state that is decoded and encoded again is the same state."""
        problem = objection(self.model, codes, self.met)
        if problem is not None:
            self._note(label, codes, "a state", problem, None)
        again = self.layout.encode(self.layout.decode(codes))
        if again != codes:
            self._note(label, codes, f"the codes {codes}", f"{again} after decoding and encoding", None)

    # Saying it

    def _note(self, label: str, codes: Codes | None, expected: str, got: str, span: SourceSpan | None) -> None:
        where = self._text(codes) if codes is not None else "every state"
        self.mismatches.append(Mismatch(label, where, expected, got, span))
        if len(self.mismatches) >= self.mismatches_max:
            raise _Enough

    def _text(self, codes: Codes) -> str:
        return ", ".join(f"{name} = {text}" for name, text in variable_texts(self.model, codes).items())

    def _texts(self, found: Counter[tuple[Any, Effect]]) -> str:
        if not found:
            return "nothing else"
        return "; ".join(self._one(choices, effect, times) for (choices, effect), times in found.items())

    def _one(self, choices: Any, effect: Effect, times: int) -> str:
        how = "".join(f"{name}={text}: " for name, text in choices) + (f"{times} times " if times > 1 else "")
        return how + (f"leads to {self._text(effect[1])}" if effect[0] == "leads to" else _effect_text(effect))


class _NoCase(Exception):
    """A tree with no case for the code that it asks for."""


def _reached(tree: Tree, before: Codes, after: Codes = ()) -> list[tuple[Any, Leaf]]:
    try:
        return list(leaves_of(tree, before, after))
    except AssertionError as error:
        raise _NoCase(str(error)) from None


def _matching(asked: Sequence[Question], traced: Sequence[PropertyInstance]) -> list[Question]:
    """The questions that the Model has: it may have been restricted to some properties."""
    names = {instance.property for instance in traced}
    kept = [question for question in asked if question.name in names]
    assert [question.label() for question in kept] == [instance.label() for instance in traced]
    return kept


def _said(question: Callable[[], bool | Failed]) -> Effect:
    try:
        answer = question()
    except SpecError as error:
        return ("is refused", error.code, error.message)
    return ("raises", answer.type_name) if isinstance(answer, Failed) else ("is", answer)


def _answers(tree: Tree, before: Codes, after: Codes) -> list[Effect]:
    """What a property's tree says: one answer, unless it is broken."""
    try:
        return [_leaf_answer(leaf, before, after) for _, leaf in _reached(tree, before, after)]
    except _NoCase as problem:
        return [("has no case", str(problem))]


def _leaf_answer(leaf: Leaf, before: Codes, after: Codes) -> Effect:
    match leaf:
        case Answer(truth):
            return ("is", bool(evaluate(truth, before, after)))
        case Shown(text):
            return ("shows", text)
        case Raises(exception):
            return ("raises", exception)
        case _:
            return ("ends in a leaf of no property", leaf)


def _shown(member: Derived[Any], look: Look) -> Effect:
    from pdspec.lang.context import running

    try:
        with running(look):
            return ("shows", _plain_text(member.function(look.bound)))
    except SpecError as error:
        return ("is refused", error.code, error.message)
    except Exception as error:
        return ("raises", type(error).__name__)


def _plain_text(value: Any) -> str:
    """A derived value as traces show it: containers as Python writes them, sets in the order of their texts."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_plain_text(key)}: {_plain_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(_plain_text, value))) + "}"
    if isinstance(value, list | tuple | deque | KeysView | ValuesView | ItemsView | Iterator):
        return "[" + ", ".join(map(_plain_text, value)) + "]"
    return value_text(value)


def _effect_text(effect: Effect) -> str:
    return " ".join(str(part) for part in effect)
