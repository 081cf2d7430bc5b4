"""Random spec files: the source text of a whole one, for comparing what pdspec makes of it with what Python does.

State spaces are small, so that the reference can visit them; the forms of Python and the types are as many as possible.
`test_random_specs.py` counts what is drawn, so that it does not drift to specs in which nothing happens.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from pathlib import Path
from textwrap import indent

from hypothesis import strategies as st

from tests.random_conds import formatted
from tests.random_draw import Draw, Gen, HypothesisDraw, SeededDraw
from tests.random_exprs import Exprs
from tests.random_scope import is_container, is_scalar
from tests.random_steps import Steps, indented
from tests.random_types import (
    KEYS,
    Arr,
    Bool,
    Counts,
    Keys,
    Line,
    Map,
    Members,
    Type,
    scalar_type,
    size,
    variable_type,
)
from tests.random_values import PRELUDE, declaration, literal, names_of

SIZE_MAX = 600


@dataclass(frozen=True)
class RandomSpec:
    """The text of a spec file, and how often each type and form occurs in it."""

    source: str
    tags: Counter[str]

    def __repr__(self) -> str:
        return "RandomSpec:\n" + self.source.removeprefix(PRELUDE)

    def written_to(self, folder: Path) -> Path:
        """The file, written into a folder."""
        path = folder / "random_spec.py"
        path.write_text(self.source)
        return path


@st.composite
def random_specs(draw: st.DrawFn) -> RandomSpec:
    """Any random spec; shrinks to fewer and simpler statements."""
    return make_spec(HypothesisDraw(draw))


def seeded_spec(seed: int) -> RandomSpec:
    """The random spec of that number."""
    return make_spec(SeededDraw(seed))


def make_spec(draw: Draw) -> RandomSpec:
    """A random spec from any source of numbers."""
    gen = Gen(draw)
    variables = _variables(gen)
    for _, of in variables:
        for name in names_of(of):
            gen.note(f"type {name}")
    text = PRELUDE + "\n\nclass Random(Spec):\n" + indent("\n".join(_members(gen, variables)), "    ") + "\n"
    return RandomSpec(text, gen.tags)


def _variables(gen: Gen) -> list[tuple[str, Type]]:
    """Two to four variables whose types have not too many values together."""
    found: list[tuple[str, Type]] = []
    wanted = gen.number(2, 4)
    for number in range(8):
        of = variable_type(gen)
        if len(found) < wanted and prod(size(other) for _, other in found) * size(of) <= SIZE_MAX:
            found.append((f"x{number}", of))
    return found or [("x", Bool())]


def _members(gen: Gen, variables: list[tuple[str, Type]]) -> list[str]:
    lines = ["def state(self):", *(f"    self.{name} = {declaration(gen, of)}" for name, of in variables), ""]
    results: list[tuple[str, Type, Type]] = []
    changing: list[tuple[str, Type]] = []
    if gen.chance(40):
        takes, gives = scalar_type(gen), scalar_type(gen)
        exprs = Exprs(gen, variables, [])
        exprs.scope.locals.append(("y", takes))
        lines += ["def result(self, y):", f"    if {exprs.cond(1)}:", f"        return {exprs.value(gives, 1)}"]
        lines += [f"    return {exprs.value(gives, 1)}", ""]
        results.append(("result", takes, gives))
    if gen.chance(40):
        takes = scalar_type(gen)
        steps = Steps(Exprs(gen, variables, results), [])
        steps.exprs.scope.locals.append(("y", takes))
        lines += ["def change(self, y):", *indented(steps.body(2, 1)), ""]
        changing.append(("change", takes))
    actions = gen.number(2, 4)
    # Some specs can run out of steps; in the others an action moves on whatever the rest does.
    ending = gen.chance(25)
    for number in range(actions):
        lines += _action(gen, number, Exprs(gen, variables, results), changing, ending)
    for number in range(0 if ending else gen.weighted(((1, 0), (3, 1), (3, 2)))):
        lines += _mover(gen, number, *gen.pick(variables))
    lines += _derived(gen, Exprs(gen, variables, results))
    for number in range(gen.number(1, 4)):
        lines += _property(gen, number, actions, Exprs(gen, variables, results))
    if gen.chance(40):
        exprs = Exprs(gen, variables, results)
        lines += [gen.choice(("@final", "@final")), "def final_state(self):", f"    return {exprs.cond(2)}", ""]
    return lines


def _action(gen: Gen, number: int, exprs: Exprs, helpers: list[tuple[str, Type]], ending: bool) -> list[str]:
    steps = Steps(exprs, helpers)
    domain, arguments = "", ""
    if gen.chance(50):
        keys = _argument(gen, exprs)
        domain, arguments = gen.choice(("action with argument", f"(k={keys.text})")), ", k"
    lines = [f"@{gen.pick(('p', 'p', 'q')) if number else 'p'}.action{domain}", f"def step{number}(self{arguments}):"]
    found = exprs.scope.place(is_scalar) if ending else None
    if found:
        lines += indented([f"require({found[0]} == {literal(gen, found[1])})"])
    if gen.chance(30):
        lines += indented([gen.choice(("require first", f"require({exprs.cond(1)})"))])
    if gen.chance(75):
        lines += indented(steps.changes.change() or [])
    return [*lines, *indented(steps.body(gen.weighted(((4, 1), (4, 2), (2, 3))), 2)), ""]


def _mover(gen: Gen, number: int, name: str, of: Type) -> list[str]:
    """An action that gives a variable many values, so that the others see many states."""
    lines = ["@p.action", f"def move{number}(self):"]
    place = f"self.{name}"
    while isinstance(of, Arr):
        place, of = f"{place}[choose(range({of.length}))]", of.inner
    match of:
        case Map(keys, inner):
            lines += [f"    key = choose({keys.text})", f"    {place}[key] = {literal(gen, inner)}"]
        case Members(keys):
            lines += [f"    {place} ^= {{choose({keys.text})}}"]
        case Line(inner, capacity):
            lines += [f"    require(len({place}) < {capacity})", f"    {place}.append({literal(gen, inner)})"]
        case Counts(keys, most):
            lines += [f"    key = choose({keys.text})", f"    {place}[key] = ({place}[key] + 1) % {most + 1}"]
        case _:
            lines += [f"    {place} = choose([{', '.join(literal(gen, of) for _ in range(3))}])"]
    return [*lines, ""]


def _argument(gen: Gen, exprs: Exprs) -> Keys:
    """The domain of an argument `k`, mostly the keys of a variable."""
    known = [of.keys for _, of in exprs.scope.variables if isinstance(of, Map | Members | Counts)]
    keys = gen.pick(known) if known and gen.chance(75) else gen.pick(KEYS[:4])
    exprs.scope.locals.append(("k", keys.of))
    return keys


def _property(gen: Gen, number: int, actions: int, exprs: Exprs) -> list[str]:
    kind = gen.weighted(((4, "invariant"), (3, "step_invariant"), (3, "reachable"), (3, "always_possible")))
    gen.note(f"@{kind}")
    options, arguments = [], "self"
    if gen.chance(30):
        options.append(f"k={_argument(gen, exprs).text}")
        arguments += ", k"
    if kind == "always_possible" and gen.chance(40):
        options.append(gen.choice(("without", f"without=[{gen.pick(('p', f'step{gen.number(0, actions - 1)}'))}]")))
    if kind == "step_invariant":
        arguments += ", before"
        exprs.scope.owners = ["self", "before"]
        if gen.chance(40):
            arguments += ", step"
    answer = exprs.cond(2)
    if arguments.endswith("step"):
        about = gen.pick(('step.action == "step0"', 'step.process == "p"', 'step.args.get("k") == 1'))
        answer = gen.choice(("step looked at", f"{about} or {answer}"))
    if gen.chance(30):
        body = [f"if {exprs.cond(1)}:", "    return True", f"return {answer}"]
    elif gen.chance(15):
        body = [gen.choice(("truthy answer", f"return {exprs.number(1)}"))]
    else:
        body = [f"return {answer}" if gen.chance(40) else f"return bool({answer})"]
    decorator = f"@{kind}({', '.join(options)})" if options else f"@{kind}"
    return [decorator, f"def question{number}({arguments}):", *indented(body), ""]


def _derived(gen: Gen, exprs: Exprs) -> list[str]:
    if not gen.chance(35):
        return []
    found = exprs.scope.place(lambda of: True)
    answer = found[0] if found and gen.chance(60) else exprs.number(1)
    if found and not is_container(found[1]) and gen.chance(30):
        answer = formatted(found[0])
    return [gen.choice(("@derived", "@derived")), "def shown(self):", f"    return {answer}", ""]
