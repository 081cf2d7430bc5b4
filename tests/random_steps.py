"""Statements of random specs: control flow, and changes of the state through what each type offers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tests.random_changes import Changes
from tests.random_exprs import Exprs
from tests.random_scope import is_int, is_scalar
from tests.random_types import COLOR, Arr, Bool, Int, Line, Map, Member, Members, Optional, Rec, Type
from tests.random_values import literal

T = TypeVar("T")

Lines = list[str]


class Steps:
    """Writes the bodies of actions and helper methods."""

    def __init__(self, exprs: Exprs, helpers: list[tuple[str, Type]]) -> None:
        self.exprs = exprs
        self.gen = exprs.gen
        self.helpers = helpers
        self.changes = Changes(exprs)
        self.in_loop = False
        self.chosen = 0

    def body(self, statements: int, depth: int) -> Lines:
        """Some statements, at least one line."""
        lines: Lines = []
        for _ in range(statements):
            lines += self.statement(depth)
        return lines or ["pass"]

    def nested(self, depth: int, loop: bool = False) -> Lines:
        """The block of a compound statement, indented."""
        before, self.in_loop = self.in_loop, loop or self.in_loop
        with self.exprs.scope.block():
            lines = self.body(self.gen.weighted(((5, 1), (2, 2))), depth - 1)
        self.in_loop = before
        return indented(lines)

    def statement(self, depth: int) -> Lines:
        """One statement, or a few that belong together."""
        simple: list[tuple[int, Callable[[], Lines | None]]] = [
            (18, self.changes.change),
            (3, self._local),
            (2, self._choose),
            (2, self._helper),
            (1, self._require),
            (1, self._failing),
        ]
        compound: list[tuple[int, Callable[[int], Lines | None]]] = [
            (6, self._if),
            (3, self._match),
            (3, self._for),
            (2, self._while),
            (3, self._try),
            (1, self._closure),
            (1, self._unordered_loop),
        ]
        for _ in range(5):
            if depth > 0 and self.gen.chance(45):
                lines = self.gen.weighted(compound)(depth)
            else:
                lines = self.gen.weighted(simple)()
            if lines:
                return lines
        return ["pass"]

    # Without a block of their own

    def _require(self) -> Lines:
        return [self.gen.choice(("require in the middle", f"require({self.exprs.cond(1)})"))]

    def _local(self) -> Lines | None:
        found = self.exprs.scope.place(is_scalar if self.gen.chance(60) else lambda of: isinstance(of, Optional | Rec))
        if not found:
            return None
        text, of = found
        if is_int(of) and self.gen.chance(40):
            text, of = self.exprs.number(1), Int(-1, 2)
        return [self.gen.choice(("local", f"{self.exprs.scope.local(of)} = {text}"))]

    def _choose(self) -> Lines | None:
        if self.in_loop or self.chosen >= 2:
            return None
        self.chosen += 1
        gen, exprs = self.gen, self.exprs
        found = exprs.scope.place(lambda of: isinstance(of, Members | Map | Line))
        chosen: Type
        if found and gen.chance(50):
            text, of = found
            if isinstance(of, Members | Map):
                chosen = of.keys.of
                in_order = [("choose from sorted", f"sorted({text})")] if of.keys.sortable else []
                source = gen.choice(("choose from a view", text), ("choose from a view", text), *in_order)
            else:
                assert isinstance(of, Line)
                chosen, source = of.inner, gen.choice(("choose from a queue", text))
        elif gen.chance(40):
            chosen = Int(0, 2)
            with exprs.scope.block():
                exprs.scope.locals.append(("o", chosen))
                source = gen.choice(("choose from some", f"[o for o in range(3) if {exprs.cond(1)}]"))
        else:
            known: list[tuple[Type, str]] = [
                (Int(0, 2), "range(0, 3)"),
                (Int(0, 2), "[2, 0, 2]"),
                (Bool(), "(True, False)"),
            ]
            chosen, source = gen.pick([*known, (COLOR, "Color")])
            gen.note("choose from all")
        return [f"{exprs.scope.local(chosen)} = choose({source})"]

    def _helper(self) -> Lines | None:
        if not self.helpers or self.exprs.scope.untouched:
            return None
        name, takes = self.gen.pick(self.helpers)
        return [self.gen.choice(("helper method", f"self.{name}({self.exprs.value(takes, 1)})"))]

    def _failing(self) -> Lines | None:
        gen = self.gen
        if self.in_loop and gen.chance(70):
            return [
                f"if {self.exprs.cond(1)}:",
                gen.choice(("break or continue", "    break"), ("break or continue", "    continue")),
            ]
        kind = gen.number(0, 5)
        if kind < 3:
            return [f"if {self.exprs.cond(1)}:", gen.choice(("early return", "    return"))]
        if kind < 5:
            return [gen.choice(("assert", f"assert {self.exprs.cond(1)}, 'no'"))]
        error = gen.pick(('ValueError("no")', "KeyError(0)", "RuntimeError"))
        return [f"if {self.exprs.cond(1)}:", gen.choice(("raise", f"    raise {error}"))]

    # With blocks

    def _if(self, depth: int) -> Lines:
        lines = [self.gen.choice(("if", f"if {self.exprs.cond(2)}:")), *self.nested(depth)]
        if self.gen.chance(30):
            lines += [self.gen.choice(("elif", f"elif {self.exprs.cond(1)}:")), *self.nested(depth)]
        if self.gen.chance(50):
            lines += [self.gen.choice(("else", "else:")), *self.nested(depth)]
        return lines

    def _match(self, depth: int) -> Lines | None:
        gen = self.gen
        found = self.exprs.scope.place(lambda of: isinstance(of, Member | Optional | Bool | Rec | Int | Line))
        if not found:
            return None
        text, of = found
        cases = self._patterns(of)
        guard = f" if {self.exprs.cond(0)}" if gen.chance(25) else ""
        if guard:
            gen.note("match guard")
        lines = [f"match {text}:"]
        for number, pattern in enumerate(cases):
            lines += indented([f"case {pattern}{guard if number == 0 else ''}:", *self.nested(depth)])
        if gen.chance(60):
            lines += indented(["case _:", *self.nested(depth)])
        return lines

    def _patterns(self, of: Type) -> list[str]:
        gen = self.gen
        match of:
            case Member(enum, names):
                first, second = gen.pick(names), gen.pick(names)
                if gen.chance(40):
                    return [gen.choice(("match or", f"{enum}.{first} | {enum}.{second}"))]
                return [gen.choice(("match value", f"{enum}.{first}")), f"{enum}.{second}"]
            case Bool():
                return [gen.choice(("match True", "True"), ("match True", "False"))]
            case Int(low, high):
                options = [f"{low} | {high}", gen.choice(("match class", "int()")), str(gen.number(low, high))]
                return [gen.choice(("match literal", gen.pick(options)))]
            case Optional(inner):
                cases = [gen.choice(("match None", "None"))]
                if isinstance(inner, Rec) and gen.chance(60):
                    cases.insert(gen.number(0, 1), self._class_pattern(inner))
                elif is_scalar(inner) and gen.chance(60) and not isinstance(inner, Bool):
                    cases.append(literal(gen, inner))
                return cases
            case Rec():
                return [self._class_pattern(of)]
            case _:
                return [gen.choice(("match sequence", gen.pick(("[]", "[_]", "[_, *_]", "[x, *rest]", "[x, y]"))))]

    def _class_pattern(self, of: Rec) -> str:
        gen = self.gen
        name, inner = gen.pick(of.fields)
        part = (
            literal(gen, inner) if is_scalar(inner) or (isinstance(inner, Optional) and is_scalar(inner.inner)) else "_"
        )
        return gen.choice(("match class", f"{of.record}({name}={part})"))

    def _for(self, depth: int) -> Lines | None:
        gen, exprs = self.gen, self.exprs
        found = exprs.scope.place(lambda of: isinstance(of, Members | Map | Line | Arr))
        source = gen.choice(("for range", f"range({gen.pick(('2', '3'))})"))
        item: Type = Int(0, 1)
        target = None
        if found and gen.chance(75):
            text, of = found
            if isinstance(of, Line | Arr):
                source, item = (
                    gen.choice(("for sequence", gen.pick((text, f"list({text})", f"reversed({text})")))),
                    of.inner,
                )
                if gen.chance(25):
                    target = gen.choice(("enumerate", "i, {}"))
                    source = f"enumerate({source})"
            elif isinstance(of, Members | Map) and of.keys.sortable:
                source, item = gen.choice(("for sorted", f"sorted({text})")), of.keys.of
                if isinstance(of, Map) and is_scalar(of.inner) and gen.chance(40):
                    target = gen.choice(("for sorted items", "{}, w"))
                    source = f"sorted({text}.items(), key=lambda pair: pair[0])"
            else:
                return None
        elif gen.chance(50):
            number = exprs.scope.place(is_int)
            if number:
                source = gen.choice(("for symbolic range", f"range({number[0]})"))
        with exprs.scope.block():
            name = exprs.scope.local(item)
            lines = [f"for {target.format(name) if target else name} in {source}:", *self.nested(depth, loop=True)]
        if gen.chance(10):
            lines += [gen.choice(("for else", "else:")), *self.nested(depth)]
        return lines

    def _unordered_loop(self, depth: int) -> Lines | None:
        """A loop over a container without order, whose body does the same in any order."""
        gen, exprs = self.gen, self.exprs
        found = exprs.scope.place(lambda of: isinstance(of, Members | Map))
        if not found:
            return None
        text, of = found
        assert isinstance(of, Members | Map)
        target = next(
            (name for name, other in exprs.scope.variables if isinstance(other, Members) and other.keys == of.keys),
            None,
        )
        count = exprs.scope.local(Int(-1, 2))
        with exprs.scope.block():
            name = exprs.scope.local(of.keys.of)
            lines = [f"{count} = 0", gen.choice(("for unordered", f"for {name} in {text}:"))]
            inside = [f"{count} += 1"]
            if target and f"self.{target}" != text:
                inside.append(f"self.{target}.{gen.pick(('add', 'discard'))}({name})")
            if gen.chance(40):
                inside = [f"if {exprs.cond(0)}:", *indented(inside)]
        if gen.chance(12) and text.startswith("self."):
            inside = [
                gen.choice(
                    ("changed while looping", f"{text}.{'discard' if isinstance(of, Members) else 'pop'}({name})")
                )
            ]
        return [*lines, *indented(inside)]

    def _while(self, depth: int) -> Lines | None:
        gen, exprs = self.gen, self.exprs
        found = exprs.scope.place(lambda of: isinstance(of, Line) or is_int(of), changing=True)
        if not found:
            return None
        text, of = found
        if isinstance(of, Line):
            gen.note("while queue")
            with exprs.scope.block(), exprs.scope.leaving(text.split(".")[1].split("[")[0]):
                lines = [f"while {text}:", f"    {exprs.scope.local(of.inner)} = {text}.popleft()"]
                return lines + self.nested(depth, loop=True)
        name = exprs.scope.local(Int(-1, 2))
        if gen.chance(50):
            lines = [f"{name} = {text}", gen.choice(("while counter", f"while {name} > 0:")), f"    {name} -= 1"]
            return lines + self.nested(depth, loop=True)
        ends = [f"    if {exprs.cond(1)} or {name} > 2:", "        break"]
        return [
            f"{name} = 0",
            gen.choice(("while True", "while True:")),
            f"    {name} += 1",
            *ends,
            *self.nested(depth, loop=True),
        ]

    def _try(self, depth: int) -> Lines:
        gen, exprs = self.gen, self.exprs
        risky = [*self.changes.risky(), *self.body(gen.number(0, 1), 0)]
        if gen.chance(12):
            gen.note("suppress")
            return ["with suppress(KeyError, IndexError):", *indented(risky)]
        if gen.chance(15):
            risky.append(f"require({exprs.cond(0)})")
        lines = ["try:", *indented(risky)]
        if gen.chance(85):
            error = gen.weighted(
                (
                    (5, "KeyError"),
                    (2, "IndexError"),
                    (2, "(KeyError, IndexError)"),
                    (1, "Exception"),
                    (1, "BaseException"),
                    (2, "LookupError as error"),
                )
            )
            gen.note("except BaseException" if error == "BaseException" else "except")
            lines += [f"except {error}:", *self.nested(depth)]
            if gen.chance(20):
                lines += [gen.choice(("try else", "else:")), *self.nested(depth)]
            if gen.chance(15):
                lines += [gen.choice(("finally", "finally:")), *self.nested(depth)]
            return lines
        last = indented(self.changes.change() or ["pass"])
        if gen.chance(30):
            last += [gen.choice(("return in finally", "    return"))]
        return [*lines, gen.choice(("finally", "finally:")), *last]

    def _closure(self, depth: int) -> Lines | None:
        gen, exprs = self.gen, self.exprs
        found = exprs.scope.place(is_int)
        if not found:
            return None
        count = exprs.scope.local(Int(-1, 2))
        lines = [f"{count} = 0", gen.choice(("closure", "def inner(y):")), f"    nonlocal {count}", f"    {count} += y"]
        with exprs.scope.block():
            exprs.scope.locals.append(("y", Int(0, 1)))
            lines += [f"    return y > {exprs.number(0)}"]
        return [*lines, f"if inner({found[0]}):", *self.nested(depth)]


def indented(lines: Lines) -> Lines:
    """The lines one level deeper."""
    return ["    " + line for line in lines]
