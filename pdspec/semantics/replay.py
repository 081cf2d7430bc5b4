"""Does a trace really happen, and does it really settle the property that it is shown for?"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.spec import Spec
from pdspec.semantics.declared import Choices, Instance, Question, declared, final_of, instances, left_out, questions
from pdspec.semantics.look import Failed, Look, ask, ask_step
from pdspec.semantics.step import Bound, Disabled, Next, Outcome, Raised, outcomes
from pdspec.semantics.values import State, freeze
from pdspec.trace import Failure, Step, Trace

Decode = Callable[[tuple[int, ...]], State]

ONWARD_MAX = 10_000


def replay(spec: Spec, trace: Trace, decode: Decode) -> str | None:
    """None where `trace` is a behaviour of the spec, else what does not happen: the first mismatch.

    `decode` makes the variables' plain values of a state's codes. Of a failing last step the kind is compared, for an
    exception its type as well. A lasso's last state must be the one that the loop starts with, or lead there.
    """
    states = [decode(codes) for codes in trace.states()]
    starts = [freeze(state) for choices, state in declared(spec).initial if choices == trace.initial_choices]
    if freeze(states[0]) not in starts:
        return f"step 0: no initial state{_with(trace.initial_choices)} is {states[0]}"
    for number, step in enumerate(trace.steps, start=1):
        found = _found(spec, step, states[number - 1])
        if not any(isinstance(outcome, Next) and _same(outcome.state, states[number]) for _, _, outcome in found):
            return f"step {number}, {_text(step)}: {_possible(found)}; the trace goes on with {states[number]}"
    if trace.failure is not None:
        found = _found(spec, trace.failure, states[-1])
        if not any(_fails(outcome, trace.failure) for _, _, outcome in found):
            what = f"{_text(trace.failure)}: {_possible(found)}"
            return f"step {trace.length()}, {what}; the trace ends with: {trace.failure.message}"
    if trace.loop_start is not None:
        return _open(spec, states, trace.loop_start)
    return None


def confirms(spec: Spec, instance: str, trace: Trace, decode: Decode, verdict: str | None = None) -> bool:
    """Whether the trace is a behaviour of the spec that settles the property: `objection` has none."""
    return objection(spec, instance, trace, decode, verdict) is None


def objection(
    spec: Spec, instance: str, trace: Trace, decode: Decode, verdict: str | None = None, *, states_max: int = ONWARD_MAX
) -> str | None:
    """None where the trace is a behaviour of the spec and settles the property, else why it does not.

    `instance` is a property with its arguments as in `drained(room=0)`, or `deadlock`, `exceptions`, `bounds`;
    SpecError PD201 for an unknown one. `verdict` is what the trace is shown for: "violated" (the default), "holds" (the
    default of a `reachable`), or "error" where the property raises. That an always_possible is violated is settled
    where exploring onwards from the end meets no more than `states_max` states; otherwise the objection says so.
    """
    mismatch = replay(spec, trace, decode)
    if mismatch is not None:
        return mismatch
    end = decode(trace.states()[-1])
    match instance:
        case "exceptions" | "bounds":
            kind = "exception" if instance == "exceptions" else "bound"
            ends = trace.failure is not None and trace.failure.kind == kind
            return None if ends else f"the trace does not end with a step of the kind {kind!r}"
        case "deadlock" | "final":
            return _no_deadlock(spec, end, verdict or "violated")
    question = _question(spec, instance)
    expected = verdict or ("holds" if question.member.kind == "reachable" else "violated")
    if trace.failure is not None:
        return f"the trace ends with a failing step, which does not say whether {instance} is true"
    if question.member.kind == "step_invariant":
        return _of_last_step(spec, question, trace, decode, expected)
    said = ask(question.member, question.args, Look(spec, end))
    if expected != _verdict(said):
        return f"{instance} {_says(said)} in the last state, {end}; this does not show {expected!r}"
    if question.member.kind == "always_possible" and expected == "violated":
        return _way_out(spec, question, end, states_max)
    return None


def _found(spec: Spec, step: Step | Failure, state: State) -> list[tuple[Instance, Choices, Outcome]]:
    """What the spec can do for the step as the trace names it."""
    return [
        (instance, choices, outcome)
        for instance in instances(spec)
        if (instance.action, instance.process, instance.texts) == (step.action, step.process, step.args)
        for choices, outcome in outcomes(spec, instance, state)
        if choices == step.choices
    ]


def _possible(found: Sequence[tuple[Instance, Choices, Outcome]]) -> str:
    if not found:
        return "no such action, arguments and choices"
    said = []
    for _, _, outcome in found:
        match outcome:
            case Disabled():
                said.append("it is not enabled")
            case Next(state):
                said.append(f"it leads to {state}")
            case Raised(_, type_name, message, _):
                said.append(f"it raises {type_name}: {message}")
            case Bound(message, _):
                said.append(f"a bound is too small: {message}")
    return " or ".join(dict.fromkeys(said))


def _fails(outcome: Outcome, failure: Failure) -> bool:
    match outcome:
        case Raised(_, type_name, _, _):
            return failure.kind == "exception" and failure.message.partition(":")[0] == type_name
        case Bound():
            return failure.kind == "bound"
        case _:
            return False


def _open(spec: Spec, states: Sequence[State], start: int) -> str | None:
    """Why the lasso does not close."""
    if not 0 <= start < len(states):
        return f"the loop starts at {start}, the trace has the states 0 to {len(states) - 1}"
    if _same(states[-1], states[start]):
        return None
    for instance in instances(spec):
        for _, outcome in outcomes(spec, instance, states[-1]):
            if isinstance(outcome, Next) and _same(outcome.state, states[start]):
                return None
    return f"no step leads from the last state back to state {start}"


def _no_deadlock(spec: Spec, state: State, verdict: str) -> str | None:
    for instance in instances(spec):
        for _, outcome in outcomes(spec, instance, state):
            if not isinstance(outcome, Disabled):
                return f"{instance.label()} is enabled in the last state"
    final = final_of(spec)
    said = ask(final, {}, Look(spec, state)) if final is not None else False
    return None if _verdict(said) == verdict else f"nothing is enabled in the last state, but @final {_says(said)}"


def _of_last_step(spec: Spec, question: Question, trace: Trace, decode: Decode, verdict: str) -> str | None:
    if not trace.steps:
        return f"{question.label()} is asked of steps, and the trace has none"
    before, after = (Look(spec, decode(codes)) for codes in trace.states()[-2:])
    step = trace.steps[-1]
    named = [
        instance
        for instance in instances(spec)
        if (instance.action, instance.process, instance.texts) == (step.action, step.process, step.args)
    ]
    said = [ask_step(question.member, question.args, before, instance, after) for instance in named]
    if verdict in map(_verdict, said):
        return None
    return f"{question.label()} {_says(said[0])} of the last step; this does not show {verdict!r}"


def _way_out(spec: Spec, question: Question, end: State, states_max: int) -> str | None:
    """Why it may still be possible: the state where it is true, or that there are too many states."""
    known = instances(spec)
    excluded = left_out(spec, question, known)
    counted = [instance for number, instance in enumerate(known) if number not in excluded]
    seen = {freeze(end)}
    left = deque([end])
    while left:
        state = left.popleft()
        said = ask(question.member, question.args, Look(spec, state))
        if said is not False:
            return f"{question.label()} {_says(said)} in {state}, which can be reached from the last state"
        for instance in counted:
            for _, outcome in outcomes(spec, instance, state):
                if isinstance(outcome, Next) and freeze(outcome.state) not in seen:
                    if len(seen) == states_max:
                        return f"not settled: more than {states_max:,} states can be reached from the last one"
                    seen.add(freeze(outcome.state))
                    left.append(outcome.state)
    return None


def _question(spec: Spec, instance: str) -> Question:
    known = {question.label(): question for question in questions(spec)}
    if instance not in known:
        possible = ["deadlock", "exceptions", "bounds", *known]
        near = did_you_mean(instance, possible)
        raise SpecError(
            "PD201", f"{type(spec).__name__} has no property {instance!r}; it has: {', '.join(possible)}{near}"
        )
    return known[instance]


def _verdict(said: bool | Failed) -> str:
    match said:
        case Failed():
            return "error"
        case True:
            return "holds"
        case _:
            return "violated"


def _says(said: bool | Failed) -> str:
    return f"raises {said.type_name}: {said.message}" if isinstance(said, Failed) else f"is {said}".lower()


def _same(one: State, other: State) -> bool:
    return freeze(one) == freeze(other)


def _text(step: Step | Failure) -> str:
    inside = ", ".join(f"{name}={value}" for name, value in step.args)
    return f"{step.action}({inside}){_with(step.choices)}"


def _with(choices: Choices) -> str:
    return f" with {', '.join(f'{name}={value}' for name, value in choices)}" if choices else ""
