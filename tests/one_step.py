"""A spec with one action, made of two functions: what it declares and what its only step does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pdspec.lang import Process, Spec
from pdspec.semantics import Bound, Choices, Next, Outcome, Raised, initial_states, instances, outcomes

anyone = Process("anyone")


def one_step(declare: Callable[[Any], None], step: Callable[[Any], None]) -> Spec:
    """The spec. `declare` gets what `state()` gets as `self`, `step` what the action gets."""

    class Small(Spec):
        def state(self) -> None:
            declare(self)

        @anyone.action
        def act(self) -> None:
            step(self)

    return Small()


def results(declare: Callable[[Any], None], step: Callable[[Any], None]) -> list[tuple[Choices, Outcome]]:
    """What the step does in the first initial state."""
    spec = one_step(declare, step)
    return outcomes(spec, instances(spec)[0], initial_states(spec)[0][1])


def result(declare: Callable[[Any], None], step: Callable[[Any], None]) -> Outcome:
    """What the step, which chooses nothing, does in the first initial state."""
    ((choices, outcome),) = results(declare, step)
    assert choices == ()
    return outcome


def after(declare: Callable[[Any], None], step: Callable[[Any], None]) -> dict[str, Any]:
    """The state that the step, which chooses nothing, leads to."""
    outcome = result(declare, step)
    assert isinstance(outcome, Next), outcome
    return outcome.state


def bound(declare: Callable[[Any], None], step: Callable[[Any], None]) -> str:
    """The message of the bound that the step meets."""
    outcome = result(declare, step)
    assert isinstance(outcome, Bound), outcome
    return outcome.message


def raised(declare: Callable[[Any], None], step: Callable[[Any], None]) -> tuple[str, str]:
    """The type and the message of the exception that leaves the step."""
    outcome = result(declare, step)
    assert isinstance(outcome, Raised), outcome
    return outcome.type_name, outcome.message
