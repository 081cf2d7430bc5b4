"""Expressions of random specs: values of a type, ints and conditions, over the state and the locals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.random_types import (
    LEVEL,
    MIXED,
    MODE,
    WORDS,
    Among,
    Arr,
    Bool,
    Counts,
    Gen,
    Int,
    Keys,
    Line,
    Map,
    Member,
    Members,
    Optional,
    Rec,
    Type,
    literal,
    record_text,
    some,
)

Text = Callable[[], str]
# A text and the condition that what it says is there, each time with other keys and indices.
Spot = Callable[[], tuple[str, str]]
Wanted = Callable[[Type], bool]


def is_int(of: Type) -> bool:
    return isinstance(of, Int)


def is_numeric(of: Type) -> bool:
    return isinstance(of, Int | Bool) or of in (LEVEL, MODE)


def is_scalar(of: Type) -> bool:
    return isinstance(of, Int | Bool | Member | Among)


def is_container(of: Type) -> bool:
    return isinstance(of, Arr | Map | Members | Line | Counts)


def formatted(text: str) -> str:
    """An f-string of an expression, in quotes that do not occur in it."""
    quotes = [quote for quote in ('"', "'") if quote not in text]
    return f"f{quotes[0]}{{{text}}}{quotes[0]}" if quotes else f"str({text})"


class Exprs:
    """Writes expressions; `locals` grows and shrinks with the blocks of the method that is being written."""

    def __init__(self, gen: Gen, variables: list[tuple[str, Type]], helpers: list[tuple[str, Type, Type]]) -> None:
        self.gen = gen
        self.variables = variables
        self.helpers = helpers
        self.locals: list[tuple[str, Type]] = []
        self.owners = ["self"]
        self._names = 0

    @contextmanager
    def block(self) -> Iterator[None]:
        """Locals made inside are not known outside."""
        known = list(self.locals)
        yield
        self.locals = known

    def local(self, of: Type) -> str:
        """A new local variable."""
        self._names += 1
        name = f"v{self._names}"
        self.locals.append((name, of))
        return name

    # Places

    def places(self, wanted: Wanted, *, state_only: bool = False) -> list[tuple[Spot, Type, bool]]:
        """Everything of a wanted type that can be read, and whether it may be missing."""
        found: list[tuple[Spot, Type, bool]] = []
        for owner in ["self"] if state_only else self.owners:
            for name, of in self.variables:
                found.extend(_below(self, lambda owner=owner, name=name: (f"{owner}.{name}", ""), of, False))  # type: ignore[misc]
        if not state_only:
            for name, of in self.locals:
                found.extend(_below(self, lambda name=name: (name, ""), of, False))  # type: ignore[misc]
        return [(spot, of, missing) for spot, of, missing in found if wanted(of)]

    def place(self, wanted: Wanted, *, state_only: bool = False) -> tuple[str, Type] | None:
        """One of them; seldom one that may be missing."""
        found = [(spot, of) for spot, of, missing in self.places(wanted, state_only=state_only) if not missing or self.gen.chance(6)]
        if not found:
            return None
        spot, of = self.gen.pick(found)
        return spot()[0], of

    def guarded_place(self, wanted: Wanted, *, state_only: bool = False) -> tuple[str, Type, str] | None:
        """One of them, with the condition that it is there, or without a text."""
        found = self.places(wanted, state_only=state_only)
        if not found:
            return None
        spot, of, _ = self.gen.pick(found)
        text, guard = spot()
        return text, of, guard if self.gen.chance(90) else ""

    def key(self, keys: Keys) -> str:
        """A key, seldom one that is not declared."""
        if self.gen.chance(3):
            return self.gen.tag("undeclared key", self.gen.pick(("9", '"z"', "None")))
        known = [name for name, of in self.locals if of == keys.of and of != Int(-1, 2)]
        if known and self.gen.chance(60):
            return self.gen.pick(known)
        if self.gen.chance(10):
            found = self.place(lambda of: of == keys.of and is_scalar(of))
            if found:
                return self.gen.tag("symbolic key", found[0])
        return self.gen.pick(keys.texts)

    def index(self, length: int) -> str:
        """An index of an Array, seldom out of range."""
        if self.gen.chance(10):
            return self.gen.tag("symbolic index", self.number(0))
        return str(self.gen.pick((*range(length), -1)))

    # Ints

    def number(self, depth: int) -> str:
        """An int, whatever its size."""
        gen = self.gen
        found = self.place(is_numeric if gen.chance(25) else is_int)
        if depth <= 0 or gen.chance(25):
            return found[0] if found and gen.chance(75) else str(gen.number(-1, 3))
        kind = gen.number(0, 13)
        if kind < 4:
            op = gen.pick(("+", "-", "*"))
            return gen.tag(f"operator {op}", f"({self.number(depth - 1)} {op} {self.number(depth - 1)})")
        if kind == 4:
            op = gen.pick(("//", "%", "&", "|", "^", "<<"))
            right = str(gen.pick((2, 3, 1, -2) if op in ("//", "%") else (1, 2)))
            if op in ("//", "%") and gen.chance(6):
                right = self.number(0)
            return gen.tag(f"operator {op}", f"({self.number(depth - 1)} {op} {right})")
        if kind == 5:
            call = gen.pick(("abs({})", "-{}", "int({})", "+{}", "~{}", "divmod({}, 2)[1]", "pow({}, 2)", "round({})"))
            return gen.tag("unary or call", call.format(self.number(depth - 1)))
        if kind == 6:
            name = gen.pick(("max", "min"))
            return gen.tag(f"{name} of numbers", f"{name}({self.number(depth - 1)}, {self.number(depth - 1)})")
        if kind == 7:
            return gen.tag("conditional expression", f"({self.number(0)} if {self.cond(depth - 1)} else {self.number(0)})")
        if kind == 8:
            return gen.tag("bool as int", f"({self.cond(depth - 1)}) + {self.number(0)}")
        return self.counted(depth)

    def counted(self, depth: int) -> str:
        """An int that a container is asked for."""
        gen = self.gen
        found = self.place(is_container)
        if not found:
            return str(gen.number(0, 2))
        text, of = found
        name = "".join(filter(str.isalnum, f"e{depth}{len(self.locals)}"))
        match of:
            case Map(keys, inner):
                with self.block():
                    self.locals.append((name, keys.of))
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
                options.append(f"{text}[{self.key(keys)}]")
            case _:
                raise AssertionError(of)
        return gen.tag("counted", gen.pick(options))

    # Values

    def value(self, of: Type, depth: int, avoid: str = "") -> str:
        """A value for a place of the type; seldom one that does not belong there."""
        gen = self.gen
        if gen.chance(2):
            return gen.tag("foreign value", gen.pick(("None", "7", '"z"', "Color.red", "[]")))
        same = self.place(lambda other: other == of)
        if same and same[0] != avoid and gen.chance(35):
            return same[0] if not is_container(of) else self.snapshot(same[0], of)
        if depth <= 0 or gen.chance(30):
            return literal(gen, of)
        if gen.chance(8) and is_scalar(of):
            return gen.tag("conditional expression", f"({literal(gen, of)} if {self.cond(depth - 1)} else {self.value(of, 0)})")
        helpers = [(name, takes) for name, takes, gives in self.helpers if gives == of]
        if helpers and gen.chance(40):
            name, takes = gen.pick(helpers)
            return gen.tag("helper with result", f"self.{name}({self.value(takes, 0)})")
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
                    return gen.tag("max and min nested", f"max({low}, min({number}, {high}))")
                return f"({number}) % {high - low + 1} + {low}"
            case Member(enum, names, numbers):
                if numbers and gen.chance(50):
                    first, second = self.value(of, 0), self.value(of, 0)
                    made = gen.pick((f"max({first}, {second})", f"min({first}, {second})", str(gen.pick(numbers))))
                    return gen.tag("max of members" if "m" in made else "int for a member", made)
                return gen.pick((f"{enum}[{gen.pick(names)!r}]", f"{enum}({literal(gen, of)})"))
            case Among(_):
                return literal(gen, of)
            case Optional(inner):
                return "None" if gen.chance(30) else self.value(inner, depth - 1)
            case Rec(record, fields):
                found = self.place(lambda other: other == of)
                if found and gen.chance(60):
                    name, inner = gen.pick(fields)
                    return gen.tag("replace", f"replace({found[0]}, {name}={self.value(inner, depth - 1)})")
                return record_text(gen, record, fields, lambda inner: self.value(inner, depth - 1))
            case _:
                return literal(gen, of)

    def snapshot(self, text: str, of: Type) -> str:
        """A copy of a container, or what an operator makes of it."""
        gen = self.gen
        match of:
            case Members(keys):
                other = "{" + gen.pick(keys.texts) + "}"
                made = gen.pick((f"set({text})", f"{text}.copy()", f"{text} | {other}", f"{text} - {other}", f"{text} ^ {other}"))
                made = gen.pick((made, made, f"{text}.union({other})", f"{{k for k in {text} if k != {gen.pick(keys.texts)}}}"))
            case Map(_, inner) if is_scalar(inner):
                made = gen.pick((f"dict({text})", f"{text}.copy()", f"{{k: y for k, y in {text}.items() if y}}"))
            case Line():
                made = gen.pick((f"deque({text})", f"{text}.copy()", f"deque(reversed({text}))", f"list({text})[:2]"))
            case Arr(_, inner) if not is_container(inner):
                made = gen.pick((f"list({text})", f"{text}[::-1]", f"{text}.copy()", f"[y for y in {text}]"))
            case Counts():
                made = gen.pick((f"Counter({text})", f"{text}.copy()", f"{text} + Counter()"))
            case _:
                return literal(gen, of)
        return gen.tag("snapshot", made)

    # Conditions

    def cond(self, depth: int) -> str:
        """Something to ask."""
        gen = self.gen
        if depth > 0 and gen.chance(40):
            kind = gen.number(0, 4)
            if kind == 0:
                return gen.tag("not", f"(not ({self.cond(depth - 1)}))")
            word = "and" if kind < 3 else "or"
            return gen.tag(word, f"({self.cond(depth - 1)} {word} {self.cond(depth - 1)})")
        found = self.guarded_place(lambda of: True)
        if not found:
            return f"{self.number(0)} < 1"
        text, of, guard = found
        asked = self._asked(text, of, depth)
        if guard:
            return gen.tag("guarded", f"({guard} and {asked})")
        if gen.chance(2):
            name = f"w{len(self.locals)}"
            return gen.tag("walrus", f"(({name} := {text}) == {literal(gen, of)} or {name} == {literal(gen, of)})")
        return asked

    def _asked(self, text: str, of: Type, depth: int) -> str:
        gen = self.gen
        equal = f"{text} {gen.pick(('==', '!='))} {self.value(of, depth - 1)}"
        match of:
            case Bool():
                return gen.pick((text, f"(not {text})", gen.tag("is True", f"{text} is True"), equal, f"{text} is not False"))
            case Int():
                return self._asked_int(text, depth)
            case Member():
                return self._asked_member(text, of, equal)
            case Among(texts):
                options = [equal, f"{text} in ({', '.join(texts[:2])})", f'{formatted(text)} == "a"', f"str({text}) in ('3', 'None')"]
                if of == MIXED:
                    options += [f"{text} is None", f"{text} is not None", f"isinstance({text}, int)", f"isinstance({text}, str)"]
                if of == WORDS:
                    options += [f'{text}.upper() == "A"', f'{text} + "x" == "ax"', f'{text} < "b"', f"len({text}) == 1"]
                return gen.tag("about a string or mixed", gen.pick(options))
            case Optional(inner):
                options = [gen.tag("is None", f"{text} is None"), f"{text} is not None", equal, f"{text} == None", text]
                if isinstance(inner, Rec):
                    name, part = gen.pick(inner.fields)
                    options.append(f"({text} is not None and {text}.{name} == {self.value(part, 0)})")
                elif is_scalar(inner):
                    options.append(f"{text} in (None, {literal(gen, inner)})")
                return gen.pick(options)
            case Rec(record, fields):
                name, inner = gen.pick(fields)
                return gen.pick((equal, f"isinstance({text}, {record})", f"{text}.{name} == {self.value(inner, 0)}"))
            case _:
                return self._asked_container(text, of, depth)

    def _asked_int(self, text: str, depth: int) -> str:
        gen = self.gen
        op = gen.pick(("<", "<=", "==", "!=", ">", ">="))
        other = self.number(depth - 1)
        return gen.pick(
            (
                gen.tag(f"compare {op}", f"{text} {op} {other}"),
                gen.tag(f"compare {op}", f"{text} {op} {other}"),
                gen.tag("chained comparison", f"{gen.number(-1, 1)} {gen.pick(('<', '<='))} {text} {op} {other}"),
                gen.tag("in a tuple", f"{text} {gen.pick(('in', 'not in'))} ({gen.number(-1, 1)}, {gen.number(1, 3)})"),
                gen.tag("in a range", f"{text} in range({gen.number(-1, 1)}, {gen.number(1, 4)})"),
                gen.tag("in a tuple", f"{text} in {{{gen.number(-1, 1)}, {gen.number(2, 3)}}}"),
                gen.tag("f-string", f'{formatted(text)} == "{gen.number(-1, 2)}"'),
                gen.tag("isinstance", f"isinstance({text}, int)"),
                f"{text} / 2 >= 0.5",
                gen.tag("type()", f"type({text}) is int"),
                text,
            )
        )

    def _asked_member(self, text: str, of: Member, equal: str) -> str:
        gen = self.gen
        some_names = ", ".join(f"{of.enum}.{name}" for name in (some(gen, of.names) or of.names[:1]))
        options = [
            equal,
            gen.tag("is a member", f"{text} {gen.pick(('is', 'is not'))} {literal(gen, of)}"),
            gen.tag("in a tuple", f"{text} {gen.pick(('in', 'not in'))} ({some_names},)"),
            gen.tag("member attribute", f"{text}.name == {gen.pick(of.names)!r}"),
            gen.tag("member attribute", f"{text}.value in ('r', 2, 1)"),
            gen.tag("f-string", f'{formatted(text)} in ("2", "Color.red", "1")'),
            gen.tag("isinstance", f"isinstance({text}, {of.enum})"),
            gen.tag("type()", f"type({text}) is {of.enum}"),
        ]
        if of.numbers:
            options += [f"{text} {gen.pick(('<', '>=', '=='))} {gen.pick(of.numbers)}", f"{text} + 1 > {self.number(0)}", text]
            options += [f"{text} == True" if of == MODE else f"{text} > {literal(gen, of)}"]
        return gen.pick(options)

    def _asked_container(self, text: str, of: Type, depth: int) -> str:
        gen = self.gen
        options = [text, f"(not {text})", f"len({text}) {gen.pick(('<', '==', '>='))} {gen.number(0, 2)}"]
        options.append(gen.tag("container ==", f"{text} {gen.pick(('==', '!='))} {literal(gen, of)}"))
        name = f"e{depth}{len(self.locals)}".replace("-", "m")
        quantifier = gen.pick(("any", "all"))
        match of:
            case Map(keys, inner):
                key = self.key(keys)
                options += [gen.tag("in a view", f"{key} {gen.pick(('in', 'not in'))} {text}")] * 3
                options += [f"{text}.get({key}) is None", f"{self.value(inner, 0)} in {text}.values()"]
                if not is_container(inner):
                    options += [f"{text}.get({key}) == {self.value(inner, 0)}"]
                    options += [f"{text}.get({key}, {literal(gen, inner)}) == {self.value(inner, 0)}"]
                    options += [f"({key}, {literal(gen, inner)}) in {text}.items()"]
                options += [f"set({text}) == {{{', '.join(keys.texts)}}}", f"{text}.keys() >= {{{keys.texts[0]}}}"]
                item = (name, inner)
                source = f"{text}.values()"
            case Members(keys):
                key = self.key(keys)
                options += [gen.tag("in a view", f"{key} {gen.pick(('in', 'not in'))} {text}")] * 3
                other = self.place(lambda other: isinstance(other, Members))
                if other:
                    options += [gen.tag("set comparison", f"{text} {gen.pick(('<=', '<', '==', '>=', '!='))} {other[0]}")]
                    options += [f"{text} & {other[0]}", f"{text}.isdisjoint({other[0]})", f"{text}.issubset({other[0]})"]
                options += [f"{text} >= {literal(gen, of)}", f"{text}.issuperset({literal(gen, of)})"]
                item = (name, keys.of)
                source = text
            case Line(inner, _) | Arr(_, inner):
                options += [gen.tag("in a view", f"{self.value(inner, 0)} in {text}")] * 2
                options += [f"list({text})[-1:] == [{self.value(inner, 0)}]", f"{self.value(inner, 0)} not in list({text})"]
                if isinstance(inner, Int | Bool) or inner in (LEVEL, MODE, WORDS):
                    options += [gen.tag("sorted", f"sorted({text}) == {text if isinstance(of, Arr) else f'list({text})'}")]
                item = (name, inner)
                source = gen.pick((text, f"reversed({text})", f"list({text})"))
            case Counts(keys, most):
                key = self.key(keys)
                options += [f"{key} in {text}", f"{text}[{key}] {gen.pick(('>', '=='))} {gen.number(0, most)}"] * 2
                options += [f"{text}.get({key}) is None", f"{text}.get({key}, 0) > 0"]
                item = (name, keys.of)
                source = text
            case _:
                raise AssertionError(of)
        if depth > 0:
            with self.block():
                self.locals.append(item)
                quantified = f"{quantifier}({self.cond(depth - 1)} for {name} in {source})"
            options += [gen.tag(f"{quantifier}()", quantified)] * 3
        return gen.pick(options)


def _below(exprs: Exprs, spot: Spot, of: Type, missing: bool) -> Iterator[tuple[Spot, Type, bool]]:
    """A place and the places in it."""
    yield spot, of, missing
    gen = exprs.gen

    def within(part: Text, there: Callable[[str, str], str] | None = None) -> Spot:
        def both() -> tuple[str, str]:
            (text, guard), name = spot(), part()
            more = there(text, name) if there else ""
            return text + name, " and ".join(filter(None, (guard, more)))

        return both

    match of:
        case Rec(_, fields):
            for name, inner in fields:
                yield from _below(exprs, within(lambda name=name: f".{name}"), inner, missing)  # type: ignore[misc]
        case Arr(length, inner):
            yield from _below(exprs, within(lambda: f"[{exprs.index(length)}]"), inner, missing)
        case Map(keys, inner):
            there = within(lambda: f"[{exprs.key(keys)}]", lambda text, name: f"{name[1:-1]} in {text}")
            yield from _below(exprs, there, inner, True)
        case Line(inner, _):
            there = within(lambda: f"[{gen.pick(('0', '-1'))}]", lambda text, _: text)
            yield from _below(exprs, there, inner, True)
        case Counts(keys, most):
            yield within(lambda: f"[{exprs.key(keys)}]"), Int(0, most), missing
        case Optional(Rec() | Members() as inner):
            yield from _below(exprs, within(lambda: "", lambda text, _: f"{text} is not None"), inner, True)
        case _:
            return
