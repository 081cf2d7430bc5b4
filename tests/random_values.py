"""Plain values of the types of random specs, and the classes that every random spec starts with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tests.random_draw import Gen
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
    type_text,
)

PRELUDE = """from collections import Counter, deque
from contextlib import suppress
from enum import Enum, IntEnum

from pdspec import *


class Color(Enum):
    red = "r"
    green = "g"
    blue = "b"


class Level(IntEnum):
    low = -1
    mid = 2
    high = 5


class Mode(IntEnum):
    off = 0
    on = 1


class Item(Record):
    kind: Color
    last: bool = False


class Job(Record):
    n: int = field(Range(0, 2), default=1)
    who: int | None = field(Maybe(Range(0, 1)), default=None)


class Wrap(Record):
    item: Item | None = field(Maybe(Item), default=None)
    level: Level = Level.mid


p = Process("p")
q = Process("q", fair="weak")
"""


def literal(gen: Gen, of: Type) -> str:
    """A plain value of the type."""
    match of:
        case Bool():
            return gen.pick(("False", "True"))
        case Int(low, high):
            return str(gen.number(low, high))
        case Member(enum, names):
            return f"{enum}.{gen.pick(names)}"
        case Among(texts):
            return gen.pick(texts)
        case Optional(inner):
            return "None" if gen.chance(40) else literal(gen, inner)
        case Rec(record, fields):
            return record_text(gen, record, fields, lambda inner: literal(gen, inner))
        case Arr(length, inner):
            return f"[{', '.join(literal(gen, inner) for _ in range(length))}]"
        case Map(keys, inner):
            return "{" + ", ".join(f"{key}: {literal(gen, inner)}" for key in some(gen, keys.texts)) + "}"
        case Members(keys):
            inside = ", ".join(some(gen, keys.texts))
            return "{" + inside + "}" if inside else "set()"
        case Line(inner, capacity):
            return f"deque([{', '.join(literal(gen, inner) for _ in range(gen.number(0, capacity)))}])"
        case Counts(keys, most):
            inside = ", ".join(f"{key}: {gen.number(0, most)}" for key in some(gen, keys.texts))
            return "Counter({" + inside + "})"


def record_text(gen: Gen, record: str, fields: Sequence[tuple[str, Type]], value: Callable[[Type], str]) -> str:
    """A Record made of some values; fields after the first have a default."""
    given = [(name, of) for number, (name, of) in enumerate(fields) if number == 0 or gen.chance(60)]
    return f"{record}({', '.join(f'{name}={value(of)}' for name, of in given)})"


def some(gen: Gen, texts: Sequence[str]) -> list[str]:
    """Some of the texts, in order."""
    return [text for text in texts if gen.chance(50)]


def declaration(gen: Gen, of: Type) -> str:
    """What `state()` assigns to declare a variable."""
    text = type_text(of)
    if isinstance(of, Bool | Member | Rec) and gen.chance(70):
        return literal(gen, of)
    if isinstance(of, Bool | Member):
        return literal(gen, of) if gen.chance(50) else text
    if text.endswith(")") and gen.chance(35):
        start = literal(gen, of)
        if isinstance(of, Int) and gen.chance(30):
            start = gen.choice(("any_of", f"any_of(range({of.low}, {of.high + 1}))"))
        return text[:-1] + f", start={start})"
    return text


def names_of(of: Type) -> Iterator[str]:
    """The names of the types that occur in one, for counting; an inner type as "x in y"."""
    name = "sparse IntEnum" if of == LEVEL else "IntEnum" if of == MODE else type(of).__name__
    if isinstance(of, Int) and of.low < 0:
        name = "negative Int"
    yield name
    match of:
        case Optional(inner) | Arr(_, inner) | Map(_, inner) | Line(inner, _):
            for below in names_of(inner):
                yield below if " in " in below else f"{below} in {type(of).__name__}"
        case Rec(record):
            yield record
        case _:
            pass
