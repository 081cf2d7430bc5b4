"""Would a fault in the tracer or in the python engine be noticed? Each fault of `faults.py` is planted and must be.

So these are tests of what notices faults: the path oracle, the comparison with the reference, the replay of traces and
the refusals.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pdspec.errors import SpecError
from pdspec.explicit.answer import check_model
from pdspec.lang.ground import ground
from pdspec.lang.layout import Layout
from pdspec.lang.load import load_file
from pdspec.lang.spec import Spec
from pdspec.model.model import Model
from pdspec.semantics import explore, questions
from pdspec.semantics.look import Look, ask
from pdspec.semantics.oracle import self_check
from pdspec.trace import State
from pdspec.verdict import Limits, Violation
from tests.agreement import compare
from tests.fault_specs import HEAD, SOUND
from tests.faults import FAULTS, Fault

VALUATIONS = 60
STATES = Limits(states_max=500)

BROKEN = """
import itertools

calls = itertools.count(1)

class Broken(Spec):
    def state(self):
        self.flag = False
        self.other = False
        self.set = Set(range(2))
        self.sets = Array(range(2), Set(range(2)))

    @env.action
    def act(self):
"""

ORDER = """
        for k in self.set:
            self.flag = k == 1
"""

PLAIN_ORDER = """
        for k in {2, 1}:
            self.flag = k == 1
"""

CHANGING = """
        self.flag = not self.flag

    @invariant
    def settled(self):
        self.other = self.flag
        return self.other == self.flag
"""

HIDDEN = """
        self.flag = next(calls) % 2 == 0
"""

PARTING = """
        if next(calls) % 2 == 1:
            require(self.flag)
        else:
            require(self.other)
"""

SHARED = """
        both = {1}
        self.sets[0] = both
        self.sets[1] = both
"""

CHANGED = """
        mine = {1}
        self.set = mine
        mine.add(0)
"""

REFUSED = {
    "order": (ORDER, "PD107"),
    "plain_order": (PLAIN_ORDER, "PD107"),
    "changing": (CHANGING, "PD108"),
    "hidden": (HIDDEN, "PD105"),
    "parting": (PARTING, "PD105"),
    "shared": (SHARED, "PD110"),
    "changed": (CHANGED, "PD110"),
}


def loaded(folder: Path, name: str) -> Spec:
    """The spec, from a file of its own: a broken one keeps something between runs."""
    path = folder / f"{name}.py"
    path.write_text(HEAD + (SOUND[name] if name in SOUND else BROKEN + REFUSED[name][0].lstrip("\n")))
    return load_file(path).scenarios[0].spec


def noticed(spec: Spec, name: str) -> Counter[str]:
    """What is noticed, and how often.

    "oracle": a tree is not what the method does; "engine": a count or a verdict is not the reference's; "trace": a
    trace does not happen, or is not the one to show; "refused" and "accepted": a spec is, and should not be; "crash".
    """
    found: Counter[str] = Counter()
    try:
        model, layout = ground(spec)
        if name in REFUSED:
            return Counter(["accepted"])
        found["oracle"] += len(self_check(spec, model, layout, VALUATIONS).mismatches)
        found.update(map(kind_of, compare(spec, model, layout, 1).differences))
        found["trace"] += len(not_least(spec, model, layout))
    except SpecError as error:
        found["refused"] += name not in REFUSED or error.code != REFUSED[name][1]
    except Exception:
        found["crash"] += 1
    return +found


def kind_of(difference: str) -> str:
    """The way in which a difference was noticed."""
    if difference.startswith("oracle:"):
        return "oracle"
    return "trace" if "the trace is not confirmed" in difference else "engine"


def not_least(spec: Spec, model: Model, layout: Layout) -> list[State]:
    """The states of traces that are not the one to show: the last the least that violates the invariant at its depth,
    each one before the least that leads to the next.
    """
    graph = explore(spec).graph
    codes = [layout.encode(dict(state)) for state in graph.states]
    asked = {question.label(): question for question in questions(spec) if question.member.kind == "invariant"}
    found = []
    for verdict in check_model(model, STATES)[1].values():
        if not isinstance(verdict, Violation) or verdict.trace is None or verdict.instance not in asked:
            continue
        question = asked[verdict.instance]
        states = verdict.trace.states()
        for level, state in enumerate(states):
            beside = [number for number, depth in enumerate(graph.levels) if depth == level]
            if level + 1 < len(states):
                after = states[level + 1]
                beside = [n for n in beside if any(codes[edge.target] == after for edge in graph.edges[n] or ())]
            else:
                looks = {number: Look(spec, graph.states[number]) for number in beside}
                beside = [n for n in beside if ask(question.member, question.args, looks[n]) is False]
            if state != min(codes[number] for number in beside):
                found.append(state)
    return found


@pytest.mark.parametrize("name", [*SOUND, *REFUSED])
def test_nothing_is_noticed_where_no_fault_is_planted(name: str, tmp_path: Path) -> None:
    spec = loaded(tmp_path, name)

    found = noticed(spec, name)

    assert not found


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "_"))
def test_a_planted_fault_is_noticed(fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = loaded(tmp_path, fault.spec)

    with monkeypatch.context() as planted:
        fault.plant(planted)
        found = noticed(spec, fault.spec)

    assert fault.caught_by in found
