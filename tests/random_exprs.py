"""Expressions of random specs: ints and values of a type, over the state and the locals."""

from __future__ import annotations

from tests import random_conds
from tests.random_draw import Gen
from tests.random_scope import Scope, is_container, is_int, is_scalar
from tests.random_types import (
    LEVEL,
    MODE,
    Among,
    Arr,
    Bool,
    Counts,
    Int,
    Line,
    Map,
    Member,
    Members,
    Optional,
    Rec,
    Type,
)
from tests.random_values import literal, record_text


def is_numeric(of: Type) -> bool:
    return isinstance(of, Int | Bool) or of in (LEVEL, MODE)


class Exprs:
    """Writes expressions over a scope. `helpers` are methods with what they take and give."""

    def __init__(self, gen: Gen, variables: list[tuple[str, Type]], helpers: list[tuple[str, Type, Type]]) -> None:
        self.gen = gen
        self.scope = Scope(gen, variables)
        self.helpers = helpers

    def cond(self, depth: int) -> str:
        """Something to ask."""
        return random_conds.condition(self, depth)

    def number(self, depth: int) -> str:
        """An int, whatever its size."""
        gen = self.gen
        found = self.scope.place(is_numeric if gen.chance(25) else is_int)
        if depth <= 0 or gen.chance(25):
            return found[0] if found and gen.chance(75) else str(gen.number(-1, 3))
        kind = gen.number(0, 13)
        if kind < 4:
            op = gen.pick(("+", "-", "*"))
            return gen.choice((f"operator {op}", f"({self.number(depth - 1)} {op} {self.number(depth - 1)})"))
        if kind == 4:
            op = gen.pick(("//", "%", "&", "|", "^", "<<"))
            right = str(gen.pick((2, 3, 1, -2) if op in ("//", "%") else (1, 2)))
            if op in ("//", "%") and gen.chance(6):
                right = self.number(0)
            return gen.choice((f"operator {op}", f"({self.number(depth - 1)} {op} {right})"))
        if kind == 5:
            call = gen.pick(("abs({})", "-{}", "int({})", "+{}", "~{}", "divmod({}, 2)[1]", "pow({}, 2)", "round({})"))
            return gen.choice(("unary or call", call.format(self.number(depth - 1))))
        if kind == 6:
            name = gen.pick(("max", "min"))
            return gen.choice((f"{name} of numbers", f"{name}({self.number(depth - 1)}, {self.number(depth - 1)})"))
        if kind == 7:
            text = f"({self.number(0)} if {self.cond(depth - 1)} else {self.number(0)})"
            return gen.choice(("conditional expression", text))
        if kind == 8:
            return gen.choice(("bool as int", f"(({self.cond(depth - 1)}) + {self.number(0)})"))
        return self.counted(depth)

    def counted(self, depth: int) -> str:
        """An int that a container is asked for."""
        gen = self.gen
        found = self.scope.place(is_container)
        if not found:
            return str(gen.number(0, 2))
        text, of = found
        name = f"e{depth + 9}{len(self.scope.locals)}"
        match of:
            case Map(keys, inner):
                with self.scope.block():
                    self.scope.locals.append((name, keys.of))
                    condition = self.cond(depth - 1)
                options = [f"len({text})", f"sum(1 for {name} in {text} if {condition})", f"len({text}.items())"]
                if is_int(inner):
                    options += [f"sum({text}.values())", f"max({text}.values(), default=0)"]
            case Members(keys):
                options = [f"len({text})", f"len({text} & {{{', '.join(keys.texts[:1])}}})"]
                if isinstance(keys.of, Int):
                    options += [f"sum({text})", f"min({text}, default=1)", f"max({text}, default=0)"]
            case Line(inner, _) | Arr(_, inner):
                options = [f"len({text})", f"{text}.count({self.value(inner, 0)})"]
                if gen.chance(15):
                    options.append(f"{text}.index({self.value(inner, 0)})")
                if is_int(inner):
                    options += [f"sum({text})", f"max({text}, default=0)", f"min({text}, key=lambda y: -y, default=1)"]
                    options += [f"sorted([*{text}, 1])[0]"]
                if isinstance(inner, Bool):
                    options.append(f"sum({text})")
            case Counts(keys, _):
                options = [f"{text}.total()", f"sum({text}.values())", f"len({text})", f"len(list({text}.elements()))"]
                options.append(f"{text}[{self.scope.key(keys)}]")
            case _:
                raise AssertionError(of)
        return gen.choice(("counted", gen.pick(options)))

    def value(self, of: Type, depth: int, avoid: str = "") -> str:
        """A value for a place of the type; seldom one that does not belong there."""
        gen = self.gen
        if gen.chance(2):
            return gen.choice(("foreign value", gen.pick(("None", "7", '"z"', "Color.red", "[]"))))
        held = isinstance(of, Optional) and is_container(of.inner)
        same = self.scope.place(lambda other: other == of) if not held else None
        if same and same[0] != avoid and gen.chance(35):
            return same[0] if not is_container(of) else self.snapshot(same[0], of)
        if depth <= 0 or gen.chance(30):
            return literal(gen, of)
        if gen.chance(8) and is_scalar(of):
            text = f"({literal(gen, of)} if {self.cond(depth - 1)} else {self.value(of, 0)})"
            return gen.choice(("conditional expression", text))
        helpers = [(name, takes) for name, takes, gives in self.helpers if gives == of]
        if helpers and gen.chance(40):
            name, takes = gen.pick(helpers)
            return gen.choice(("helper with result", f"self.{name}({self.value(takes, 0)})"))
        return self._made(of, depth)

    def _made(self, of: Type, depth: int) -> str:
        gen = self.gen
        match of:
            case Bool():
                return self.cond(depth - 1)
            case Int(low, high):
                number = self.number(depth)
                if gen.chance(35):
                    return number
                if gen.chance(60):
                    return gen.choice(("max and min nested", f"max({low}, min({number}, {high}))"))
                return f"({number}) % {high - low + 1} + {low}"
            case Member(enum, names, numbers):
                if numbers and gen.chance(50):
                    pair = f"{self.value(of, 0)}, {self.value(of, 0)}"
                    return gen.choice(
                        ("max of members", f"max({pair})"),
                        ("max of members", f"min({pair})"),
                        ("int for a member", str(gen.pick(numbers))),
                    )
                return gen.pick((f"{enum}[{gen.pick(names)!r}]", f"{enum}({literal(gen, of)})"))
            case Optional(inner):
                return "None" if gen.chance(30) else self.value(inner, depth - 1)
            case Rec(record, fields):
                found = self.scope.place(lambda other: other == of)
                if found and gen.chance(60):
                    name, inner = gen.pick(fields)
                    return gen.choice(("replace", f"replace({found[0]}, {name}={self.value(inner, depth - 1)})"))
                return record_text(gen, record, fields, lambda inner: self.value(inner, depth - 1))
            case Among():
                return literal(gen, of)
            case _:
                return literal(gen, of)

    def snapshot(self, text: str, of: Type) -> str:
        """A copy of a container, or what an operator makes of it."""
        gen = self.gen
        match of:
            case Members(keys):
                other = "{" + gen.pick(keys.texts) + "}"
                options = [
                    f"set({text})",
                    f"{text}.copy()",
                    f"{text} | {other}",
                    f"{text} - {other}",
                    f"{text} ^ {other}",
                ]
                options += [f"{text}.union({other})", f"{{k for k in {text} if k != {gen.pick(keys.texts)}}}"]
            case Map(_, inner) if is_scalar(inner):
                options = [f"dict({text})", f"{text}.copy()", f"{{k: y for k, y in {text}.items() if y}}"]
            case Line():
                options = [f"deque({text})", f"{text}.copy()", f"deque(reversed({text}))", f"list({text})[:2]"]
            case Arr(_, inner) if not is_container(inner):
                options = [f"list({text})", f"{text}[::-1]", f"{text}.copy()", f"[y for y in {text}]"]
            case Counts():
                options = [f"Counter({text})", f"{text}.copy()", f"{text} + Counter()"]
            case _:
                return literal(gen, of)
        return gen.choice(("snapshot", gen.pick(options)))
