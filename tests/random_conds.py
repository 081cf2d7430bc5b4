"""Conditions of random specs: what each type can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.random_scope import is_container, is_scalar
from tests.random_types import (
    LEVEL,
    MIXED,
    MODE,
    WORDS,
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
from tests.random_values import literal, some

if TYPE_CHECKING:
    from tests.random_exprs import Exprs

# A text, with a tag where it is worth counting.
Option = str | tuple[str, str]


def condition(exprs: Exprs, depth: int) -> str:
    """Something to ask of the state, of a local, or of both."""
    gen = exprs.gen
    if depth > 0 and gen.chance(40):
        kind = gen.number(0, 4)
        if kind == 0:
            return gen.choice(("not", f"(not ({condition(exprs, depth - 1)}))"))
        word = "and" if kind < 3 else "or"
        return gen.choice((word, f"({condition(exprs, depth - 1)} {word} {condition(exprs, depth - 1)})"))
    found = exprs.scope.guarded_place(lambda of: True)
    if not found:
        return f"{exprs.number(0)} < 1"
    text, of, guard = found
    if gen.chance(2):
        name = f"w{len(exprs.scope.locals)}"
        asked = gen.choice(("walrus", f"(({name} := {text}) == {literal(gen, of)} or {name} == {literal(gen, of)})"))
    else:
        asked = gen.choice(*_options(exprs, text, of, depth))
    return gen.choice(("guarded", f"({guard} and {asked})")) if guard else asked


def formatted(text: str) -> str:
    """An f-string of an expression, in quotes that do not occur in it."""
    quotes = [quote for quote in ('"', "'") if quote not in text]
    return f"f{quotes[0]}{{{text}}}{quotes[0]}" if quotes else f"str({text})"


def _options(exprs: Exprs, text: str, of: Type, depth: int) -> list[Option]:
    gen = exprs.gen
    equal = f"{text} {gen.pick(('==', '!='))} {exprs.value(of, depth - 1)}"
    match of:
        case Bool():
            return [text, f"(not {text})", ("is True", f"{text} is True"), equal, ("is True", f"{text} is not False")]
        case Int():
            return _of_int(exprs, text, depth)
        case Member():
            return _of_member(exprs, text, of, equal)
        case Among():
            return [("about a string or mixed", option) for option in (*_of_values(exprs, text, of), equal)]
        case Optional(inner):
            return _of_optional(exprs, text, inner, equal)
        case Rec(record, fields):
            name, inner = gen.pick(fields)
            return [equal, f"isinstance({text}, {record})", f"{text}.{name} == {exprs.value(inner, 0)}"]
        case _:
            assert is_container(of)
            return _of_container(exprs, text, of, depth)


def _of_int(exprs: Exprs, text: str, depth: int) -> list[Option]:
    gen = exprs.gen
    op = gen.pick(("<", "<=", "==", "!=", ">", ">="))
    other = exprs.number(depth - 1)
    return [
        (f"compare {op}", f"{text} {op} {other}"),
        (f"compare {op}", f"{text} {op} {other}"),
        ("chained comparison", f"{gen.number(-1, 1)} {gen.pick(('<', '<='))} {text} {op} {other}"),
        ("in a tuple", f"{text} {gen.pick(('in', 'not in'))} ({gen.number(-1, 1)}, {gen.number(1, 3)})"),
        ("in a range", f"{text} in range({gen.number(-1, 1)}, {gen.number(1, 4)})"),
        ("in a tuple", f"{text} in {{{gen.number(-1, 1)}, {gen.number(2, 3)}}}"),
        ("f-string", f'{formatted(text)} == "{gen.number(-1, 2)}"'),
        ("isinstance", f"isinstance({text}, int)"),
        ("truth of an int", text),
        gen.pick((("type()", f"type({text}) is int"), ("true division", f"{text} / 2 >= 0.5"))),
    ]


def _of_member(exprs: Exprs, text: str, of: Member, equal: str) -> list[Option]:
    gen = exprs.gen
    some_names = ", ".join(f"{of.enum}.{name}" for name in (some(gen, of.names) or of.names[:1]))
    options: list[Option] = [
        equal,
        ("is a member", f"{text} {gen.pick(('is', 'is not'))} {literal(gen, of)}"),
        ("in a tuple", f"{text} {gen.pick(('in', 'not in'))} ({some_names},)"),
        ("member attribute", f"{text}.name == {gen.pick(of.names)!r}"),
        ("member attribute", f"{text}.value in ('r', 2, 1)"),
        ("f-string", f'{formatted(text)} in ("2", "Color.red", "1")'),
        gen.pick((("isinstance", f"isinstance({text}, {of.enum})"), ("type()", f"type({text}) is {of.enum}"))),
    ]
    if of.numbers:
        options += [("IntEnum as int", f"{text} {gen.pick(('<', '>=', '=='))} {gen.pick(of.numbers)}")]
        options += [("IntEnum as int", f"{text} + 1 > {exprs.number(0)}"), ("IntEnum as int", text)]
        options += [("IntEnum as int", f"{text} == True" if of == MODE else f"{text} > {literal(gen, of)}")]
    return options


def _of_values(exprs: Exprs, text: str, of: Among) -> list[str]:
    options = [f"{text} in ({', '.join(of.texts[:2])})", f'{formatted(text)} == "a"', f"str({text}) in ('3', 'None')"]
    if of == MIXED:
        options += [f"{text} is None", f"{text} is not None", f"isinstance({text}, int)", f"isinstance({text}, str)"]
    if of == WORDS:
        options += [f'{text}.upper() == "A"', f'{text} + "x" == "ax"', f'{text} < "b"', f"len({text}) == 1"]
        options += [f'{text} in "ab"', f'"abc".startswith({text})', f'"-".join(({text}, "x")) == "a-x"']
    return options


def _of_optional(exprs: Exprs, text: str, inner: Type, equal: str) -> list[Option]:
    gen = exprs.gen
    options: list[Option] = [("is None", f"{text} is None"), ("is None", f"{text} is not None"), equal, text]
    options.append(f"{text} == None")
    if isinstance(inner, Rec):
        name, part = gen.pick(inner.fields)
        options.append(f"({text} is not None and {text}.{name} == {exprs.value(part, 0)})")
    elif is_scalar(inner):
        options.append(("in a tuple", f"{text} in (None, {literal(gen, inner)})"))
    return options


def _of_container(exprs: Exprs, text: str, of: Type, depth: int) -> list[Option]:
    gen, scope = exprs.gen, exprs.scope
    options: list[Option] = [("truth of a container", text), ("truth of a container", f"(not {text})")]
    options.append(("len", f"len({text}) {gen.pick(('<', '==', '>='))} {gen.number(0, 2)}"))
    options.append(("container ==", f"{text} {gen.pick(('==', '!='))} {literal(gen, of)}"))
    item: Type
    source = text
    match of:
        case Map(keys, inner):
            options += _of_map(exprs, text, of)
            item, source = inner, f"{text}.values()"
        case Members(keys):
            key = scope.key(keys)
            options += [("in a view", f"{key} {gen.pick(('in', 'not in'))} {text}")] * 3
            other = scope.place(lambda other: isinstance(other, Members))
            if other:
                options += [("set comparison", f"{text} {gen.pick(('<=', '<', '==', '>=', '!='))} {other[0]}")]
                options += [("set method", f"{text}.{name}({other[0]})") for name in ("isdisjoint", "issubset")]
                options += [("set operator asked", f"({text} {gen.pick(('&', '|', '-', '^'))} {other[0]})")]
            options += [("set comparison", f"{text} >= {literal(gen, of)}"), f"{text}.issuperset({literal(gen, of)})"]
            item = keys.of
        case Line(inner, _) | Arr(_, inner):
            options += [("in a view", f"{exprs.value(inner, 0)} in {text}")] * 2
            options += [
                f"list({text})[-1:] == [{exprs.value(inner, 0)}]",
                f"{exprs.value(inner, 0)} not in list({text})",
            ]
            if isinstance(inner, Int | Bool) or inner in (LEVEL, MODE, WORDS):
                options += [("sorted", f"sorted({text}) == {text if isinstance(of, Arr) else f'list({text})'}")] * 2
            item, source = inner, gen.pick((text, f"reversed({text})", f"list({text})"))
        case Counts(keys, most):
            key = scope.key(keys)
            options += [
                ("in a view", f"{key} in {text}"),
                f"{text}[{key}] {gen.pick(('>', '=='))} {gen.number(0, most)}",
            ]
            options += [f"{text}.get({key}) is None", f"{text}.get({key}, 0) > 0"]
            item = keys.of
        case _:
            raise AssertionError(of)
    if depth > 0:
        quantifier = gen.pick(("any", "all"))
        name = f"e{depth}{len(scope.locals)}"
        with scope.block():
            scope.locals.append((name, item))
            quantified = f"{quantifier}({condition(exprs, depth - 1)} for {name} in {source})"
        options += [(f"{quantifier}()", quantified)] * 3
    return options


def _of_map(exprs: Exprs, text: str, of: Map) -> list[Option]:
    gen, inner = exprs.gen, of.inner
    key = exprs.scope.key(of.keys)
    options: list[Option] = [("in a view", f"{key} {gen.pick(('in', 'not in'))} {text}")] * 3
    options += [
        ("dict get", f"{text}.get({key}) is None"),
        ("dict view", f"{exprs.value(inner, 0)} in {text}.values()"),
    ]
    if not is_container(inner):
        options += [("dict get", f"{text}.get({key}) == {exprs.value(inner, 0)}")]
        options += [("dict get", f"{text}.get({key}, {literal(gen, inner)}) == {exprs.value(inner, 0)}")]
        options += [("dict view", f"({key}, {literal(gen, inner)}) in {text}.items()")]
    options += [("dict view", f"set({text}) == {{{', '.join(of.keys.texts)}}}")]
    options += [("dict view", f"{text}.keys() {gen.pick(('>=', '<', '=='))} {{{of.keys.texts[0]}}}")]
    return options
