"""The reference, and the rewriting of spec files, against Python itself: the same steps run unrewritten on built-ins.

The file is compiled as it stands, without hooks, and its methods run on an ordinary object whose attributes are deques,
sets and dicts. What one run does must be among the outcomes of the reference. Left out is what pdspec means to be
different: a bound, a swallowed `require`, a count of 0, an int that becomes a member, and assignment to a field through
the state.
"""

from __future__ import annotations

import copy
import enum
import sys
import types
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from pdspec import Record, Spec
from pdspec.errors import SpecError
from pdspec.lang.decorate import Derived
from pdspec.lang.ground import ground
from pdspec.lang.load import load_file
from pdspec.model.wellformed import all_states, count_states, sampled_states
from pdspec.semantics import Bound, Disabled, Next, Outcome, Raised, freeze, instances, outcomes
from tests.random_specs import seeded_spec

SEEDS = range(200, 250)
STATES = 30
OTHERWISE = (
    "type Counts",
    "type Counts in Map",
    "except BaseException",
    "finally",
    "return in finally",
    "int for a member",
)


class NotEnabled(BaseException):
    """A `require` that does not hold."""


def test_steps_do_what_unrewritten_python_does_on_built_in_containers(tmp_path: Path) -> None:
    compared = 0
    differing = []
    for seed in SEEDS:
        drawn = seeded_spec(seed)
        if any(drawn.tags[tag] for tag in OTHERWISE):
            continue
        path = drawn.written_to(tmp_path)
        try:
            spec = load_file(path).scenarios[0].spec
            model, layout = ground(spec)
        except SpecError:
            continue
        plain = Plain(path, spec, seed)
        small = count_states(model) <= STATES
        for codes in list(all_states(model)) if small else sampled_states(model, STATES):
            state = layout.decode(codes)
            for instance in instances(spec):
                found = [outcome for _, outcome in outcomes(spec, instance, state)]
                if any(isinstance(outcome, Bound) for outcome in found):
                    continue
                done = plain.run(instance.action, instance.args, state)
                if done is not None:
                    compared += 1
                    if done not in map(said, found):
                        differing.append((seed, instance.label(), state, done, found))

    assert differing == []
    assert compared > 2_000


def said(outcome: Outcome) -> Any:
    match outcome:
        case Next(state):
            return freeze(state)
        case Raised(_, type_name, _, _):
            return type_name
        case Disabled():
            return "disabled"
        case Bound():
            raise AssertionError(outcome)


class Plain:
    """The methods of a spec file that was not rewritten, on an ordinary object."""

    def __init__(self, path: Path, spec: Spec, seed: int) -> None:
        self._module = types.ModuleType("plain_python")
        exec(compile(path.read_text(), str(path), "exec", dont_inherit=True), self._module.__dict__)
        self._module.__dict__.update(require=self._require, choose=self._choose)
        self._rewritten = sys.modules[type(spec).__module__]
        self._random = Random(seed)
        methods: dict[str, Any] = {}
        for name, value in vars(self._module.__dict__["Random"]).items():
            function = getattr(value, "function", value)
            if isinstance(function, types.FunctionType):
                methods[name] = property(function) if isinstance(value, Derived) else function
        self._class = type("Plain", (), methods)

    def run(self, action: str, args: Any, state: dict[str, Any]) -> Any:
        """The frozen state after the step, "disabled", the name of an exception, or None for what is left out."""
        here = self._class()
        here.__dict__.update(_moved(copy.deepcopy(state), self._module))
        step: Callable[..., Any] = getattr(here, action)
        try:
            step(**_moved(dict(args), self._module))
        except NotEnabled:
            return "disabled"
        except Exception as error:
            return None if "is a value and cannot be changed" in str(error) else type(error).__name__
        return freeze(_moved(here.__dict__, self._rewritten))

    def _require(self, condition: object) -> None:
        if not condition:
            raise NotEnabled

    def _choose(self, options: Any, name: str = "") -> Any:
        some = list(options)
        if not some:
            raise NotEnabled
        return self._random.choice(some)


def _moved(value: Any, module: types.ModuleType) -> Any:
    """The value with the Enum and Record classes of another module that ran the same file."""
    match value:
        case enum.Enum():
            return getattr(getattr(module, type(value).__name__), value.name)
        case Record():
            fields = {name: _moved(getattr(value, name), module) for name in value._names}
            return getattr(module, type(value).__name__)(**fields)
        case Counter():
            return Counter({_moved(key, module): count for key, count in value.items()})
        case dict():
            return {_moved(key, module): _moved(item, module) for key, item in value.items()}
        case set() | list() | tuple() | deque():
            return type(value)(_moved(item, module) for item in value)
        case _:
            return value
