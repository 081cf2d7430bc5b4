"""Types of random specs: how each is declared, and which plain values it has.

Everything random goes through `Draw`, so that Hypothesis can shrink a spec and a test can count over a fixed seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Draw(Protocol):
    """A source of small numbers: 0 is the simplest."""

    def below(self, count: int) -> int: ...


class SeededDraw:
    """Numbers from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, count: int) -> int:
        return self._random.randrange(count)


class HypothesisDraw:
    """Numbers that Hypothesis makes smaller when it shrinks."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(st.integers(0, count - 1))


class Gen:
    """Draws, and notes by a tag what was drawn."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self.tags: Counter[str] = Counter()

    def pick(self, options: Sequence[T]) -> T:
        return options[self._draw.below(len(options))] if len(options) > 1 else options[0]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        at = self._draw.below(sum(weight for weight, _ in options))
        for weight, option in options:
            if at < weight:
                return option
            at -= weight
        raise AssertionError(at)

    def number(self, low: int, high: int) -> int:
        return low + self._draw.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        return self._draw.below(100) >= 100 - percent

    def tag(self, name: str, value: T) -> T:
        self.tags[name] += 1
        return value


@dataclass(frozen=True)
class Bool:
    pass


@dataclass(frozen=True)
class Int:
    """Values from `low` to `high`; locals that are computed have no declared range."""

    low: int
    high: int


@dataclass(frozen=True)
class Member:
    """A member of an Enum class; `numbers` are its values where it is an IntEnum."""

    enum: str
    names: tuple[str, ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Among:
    """OneOf some values, given by their texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Optional:
    inner: Type


@dataclass(frozen=True)
class Rec:
    record: str
    fields: tuple[tuple[str, Type], ...]
    domains: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Arr:
    length: int
    inner: Type


@dataclass(frozen=True)
class Keys:
    """Keys of a container: how they are written, each one's text, and the type that they have as values."""

    text: str
    texts: tuple[str, ...]
    of: Type
    sortable: bool


@dataclass(frozen=True)
class Map:
    keys: Keys
    inner: Type


@dataclass(frozen=True)
class Members:
    keys: Keys


@dataclass(frozen=True)
class Line:
    """A Queue."""

    inner: Type
    capacity: int


@dataclass(frozen=True)
class Counts:
    """A Bag."""

    keys: Keys
    most: int


Type = Bool | Int | Member | Among | Optional | Rec | Arr | Map | Members | Line | Counts

COLOR = Member("Color", ("red", "green", "blue"))
LEVEL = Member("Level", ("low", "mid", "high"), (-1, 2, 5))
MODE = Member("Mode", ("off", "on"), (0, 1))
WORDS = Among(('"a"', '"b"'))
PAIRS = Among(("(0, 1)", "(1, 0)"))
MIXED = Among(("None", "3", '"x"'))
ITEM = Rec("Item", (("kind", COLOR), ("last", Bool())))
JOB = Rec("Job", (("n", Int(0, 2)), ("who", Optional(Int(0, 1)))), (("n", "Range(0, 2)"), ("who", "Maybe(Range(0, 1))")))
WRAP = Rec("Wrap", (("item", Optional(ITEM)), ("level", LEVEL)), (("item", "Maybe(Item)"),))

PRELUDE = '''from collections import Counter, deque
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
'''

KEYS = (
    Keys("range(2)", ("0", "1"), Int(0, 1), True),
    Keys("Mode", ("Mode.off", "Mode.on"), MODE, True),
    Keys('("a", "b")', ('"a"', '"b"'), WORDS, True),
    Keys("Color", ("Color.red", "Color.green", "Color.blue"), COLOR, False),
    Keys("range(3)", ("0", "1", "2"), Int(0, 2), True),
    Keys("(2, -1)", ("2", "-1"), Int(-1, 2), True),
)


def scalar_type(gen: Gen) -> Type:
    """The type of a value without parts."""
    return gen.weighted(
        (
            (3, gen_int(gen)),
            (2, Bool()),
            (2, COLOR),
            (2, LEVEL),
            (1, MODE),
            (1, WORDS),
            (1, MIXED),
            (1, PAIRS),
        )
    )


def gen_int(gen: Gen) -> Int:
    """A small Range, from below zero too."""
    low = gen.weighted(((6, 0), (1, -1), (1, 1), (1, -2)))
    return Int(low, low + gen.number(1, 3))


def value_type(gen: Gen, small: bool = False) -> Type:
    """A type that may be in a Queue or a Record: no container in it."""
    kind = gen.number(0, 9)
    if kind < 5 or small:
        return scalar_type(gen)
    if kind < 7:
        return Optional(gen.pick((Int(0, 1), COLOR, ITEM, Bool(), LEVEL)))
    return gen.pick((ITEM, JOB, WRAP))


def variable_type(gen: Gen) -> Type:
    """The type of a variable."""
    keys = gen.weighted(((4, KEYS[0]), (2, KEYS[1]), (2, KEYS[2]), (2, KEYS[3]), (1, KEYS[4]), (1, KEYS[5])))
    short = gen.pick(KEYS[:3])
    match gen.number(0, 15):
        case 0 | 1 | 2 | 3:
            return scalar_type(gen)
        case 4:
            return Optional(gen.pick((scalar_maybe(gen), ITEM, JOB, Members(short))))
        case 5:
            return gen.pick((ITEM, JOB, WRAP))
        case 6 | 7:
            inner = gen.pick((value_type(gen, small=True), Optional(Int(0, 1)), ITEM, Line(Int(0, 1), 1), Members(short)))
            return Arr(2, inner)
        case 8 | 9 | 10:
            nested = gen.pick(
                (
                    Optional(Int(0, 1)),
                    Members(short),
                    Map(short, gen.pick((Bool(), COLOR, Optional(Int(0, 1))))),
                    ITEM,
                    JOB,
                    Line(Bool(), 2),
                    Counts(short, 1),
                    Optional(ITEM),
                )
            )
            return Map(keys, scalar_type(gen) if gen.chance(50) else nested)
        case 11 | 12:
            return Members(keys)
        case 13 | 14:
            return Line(value_type(gen), gen.number(1, 3))
        case _:
            return Counts(keys, gen.number(1, 3))


def scalar_maybe(gen: Gen) -> Type:
    """A scalar that is never None itself."""
    of = scalar_type(gen)
    return WORDS if of == MIXED else of


def size(of: Type) -> int:
    """How many values the type has."""
    match of:
        case Bool():
            return 2
        case Int(low, high):
            return high - low + 1
        case Member(_, names) | Among(names):
            return len(names)
        case Optional(inner):
            return 1 + size(inner)
        case Rec(_, fields):
            return _product(size(inner) for _, inner in fields)
        case Arr(length, inner):
            return int(size(inner) ** length)
        case Map(keys, inner):
            return int((1 + size(inner)) ** len(keys.texts))
        case Members(keys):
            return int(2 ** len(keys.texts))
        case Line(inner, capacity):
            return sum(int(size(inner) ** n) for n in range(capacity + 1))
        case Counts(keys, most):
            return int((1 + most) ** len(keys.texts))


def _product(numbers: Iterator[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def type_text(of: Type) -> str:
    """The type as `state()` declares it inside another."""
    match of:
        case Bool():
            return "bool"
        case Int(low, high):
            return f"Range({low}, {high})"
        case Member(enum, _):
            return enum
        case Among(texts):
            return f"OneOf(({', '.join(texts)}))"
        case Optional(inner):
            return f"Maybe({type_text(inner)})"
        case Rec(record, _):
            return record
        case Arr(length, inner):
            return f"Array(range({length}), {type_text(inner)})"
        case Map(keys, inner):
            return f"Dict({keys.text}, {type_text(inner)})"
        case Members(keys):
            return f"Set({keys.text})"
        case Line(inner, capacity):
            return f"Queue({type_text(inner)}, {capacity})"
        case Counts(keys, most):
            return f"Bag({keys.text}, {most})"


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
            start = gen.tag("any_of", f"any_of(range({of.low}, {of.high + 1}))")
        return text[:-1] + f", start={start})"
    return text
