"""Types of random specs: which there are, and how each is declared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.random_draw import Gen


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
JOB = Rec("Job", (("n", Int(0, 2)), ("who", Optional(Int(0, 1)))))
WRAP = Rec("Wrap", (("item", Optional(ITEM)), ("level", LEVEL)))

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
    others: list[tuple[int, Type]] = [
        (2, Bool()),
        (2, COLOR),
        (2, LEVEL),
        (1, MODE),
        (1, WORDS),
        (1, MIXED),
        (1, PAIRS),
    ]
    return gen.weighted([(5, gen_int(gen)), *others])


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
        inner: list[Type] = [Int(0, 1), COLOR, ITEM, Bool(), LEVEL]
        return Optional(gen.pick(inner))
    return gen.pick((ITEM, JOB, WRAP))


def variable_type(gen: Gen) -> Type:
    """The type of a variable."""
    keys = gen.weighted(((4, KEYS[0]), (2, KEYS[1]), (2, KEYS[2]), (2, KEYS[3]), (1, KEYS[4]), (1, KEYS[5])))
    short = gen.pick(KEYS[:3])
    held: list[Type]
    match gen.number(0, 15):
        case 0 | 1 | 2 | 3:
            return scalar_type(gen)
        case 4:
            held = [ITEM, JOB, Members(short), Line(Bool(), 2), Map(short, Bool())]
            return Optional(scalar_maybe(gen) if gen.chance(45) else gen.pick(held))
        case 5:
            return gen.pick((ITEM, JOB, WRAP))
        case 6 | 7:
            held = [Optional(Int(0, 1)), ITEM, Line(Int(0, 1), 1), Members(short), Arr(2, Bool()), Map(short, Bool())]
            return Arr(2, scalar_type(gen) if gen.chance(45) else gen.pick(held))
        case 8 | 9 | 10:
            held = [
                ITEM,
                JOB,
                Optional(ITEM),
                Optional(Int(0, 1)),
                Members(short),
                Map(short, Bool()),
                Map(short, COLOR),
            ]
            held += [Map(short, Optional(Int(0, 1))), Line(Bool(), 2), Counts(short, 1), Arr(2, Bool())]
            return Map(keys, scalar_type(gen) if gen.chance(45) else gen.pick(held))
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


def _product(numbers: Iterable[int]) -> int:
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
