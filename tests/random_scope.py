"""What the method that is being written can name: variables, locals, and the places in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.random_draw import Gen
from tests.random_types import Among, Arr, Bool, Counts, Int, Keys, Line, Map, Member, Members, Optional, Rec, Type

Text = Callable[[], str]
# A text and the condition that what it says is there, each time with other keys and indices.
Spot = Callable[[], tuple[str, str]]
Wanted = Callable[[Type], bool]


def is_int(of: Type) -> bool:
    return isinstance(of, Int)


def is_scalar(of: Type) -> bool:
    return isinstance(of, Int | Bool | Member | Among)


def is_container(of: Type) -> bool:
    return isinstance(of, Arr | Map | Members | Line | Counts)


class Scope:
    """Variables and locals; the locals grow and shrink with the blocks of the method."""

    def __init__(self, gen: Gen, variables: list[tuple[str, Type]]) -> None:
        self.gen = gen
        self.variables = variables
        self.locals: list[tuple[str, Type]] = []
        self.owners = ["self"]
        self.untouched: list[str] = []
        self._names = 0

    @contextmanager
    def block(self) -> Iterator[None]:
        """Locals made inside are not known outside."""
        known = list(self.locals)
        yield
        self.locals = known

    @contextmanager
    def leaving(self, variable: str) -> Iterator[None]:
        """Inside nothing changes the variable: a loop waits for it."""
        self.untouched.append(variable)
        yield
        self.untouched.pop()

    def local(self, of: Type) -> str:
        """A new local variable."""
        self._names += 1
        name = f"v{self._names}"
        self.locals.append((name, of))
        return name

    def places(self, wanted: Wanted, *, changing: bool = False) -> list[tuple[Spot, Type, bool]]:
        """Everything of a wanted type that can be read, or be changed, and whether it may be missing."""
        found: list[tuple[Spot, Type, bool]] = []
        for owner in ["self"] if changing else self.owners:
            for name, of in self.variables:
                if not changing or name not in self.untouched:
                    found.extend(_below(self, _named(f"{owner}.{name}"), of, False))
        if not changing:
            for name, of in self.locals:
                found.extend(_below(self, _named(name), of, False))
        return [(spot, of, missing) for spot, of, missing in found if wanted(of)]

    def place(self, wanted: Wanted, *, changing: bool = False) -> tuple[str, Type] | None:
        """One of them; seldom one that may be missing."""
        found = [
            (spot, of)
            for spot, of, missing in self.places(wanted, changing=changing)
            if not missing or self.gen.chance(6)
        ]
        if not found:
            return None
        spot, of = self.gen.pick(found)
        return spot()[0], of

    def guarded_place(self, wanted: Wanted, *, changing: bool = False) -> tuple[str, Type, str] | None:
        """One of them, with the condition that it is there, or without a text."""
        found = self.places(wanted, changing=changing)
        if not found:
            return None
        spot, of, _ = self.gen.pick(found)
        text, guard = spot()
        return text, of, guard if self.gen.chance(90) else ""

    def key(self, keys: Keys) -> str:
        """A key, seldom one that is not declared."""
        if self.gen.chance(3):
            return self.gen.choice(("undeclared key", self.gen.pick(("9", '"z"', "None"))))
        known = [name for name, of in self.locals if of == keys.of and of != Int(-1, 2)]
        if known and self.gen.chance(60):
            return self.gen.pick(known)
        if self.gen.chance(10):
            found = self.place(lambda of: of == keys.of and is_scalar(of))
            if found:
                return self.gen.choice(("symbolic key", found[0]))
        return self.gen.pick(keys.texts)

    def index(self, length: int) -> str:
        """An index of an Array, seldom out of range."""
        if self.gen.chance(10):
            found = self.place(is_int)
            if found:
                return self.gen.choice(("symbolic index", found[0]))
        return str(self.gen.pick((*range(length), -1)))


def _named(text: str) -> Spot:
    return lambda: (text, "")


def _below(scope: Scope, spot: Spot, of: Type, missing: bool) -> Iterator[tuple[Spot, Type, bool]]:
    """A place and the places in it."""
    yield spot, of, missing
    gen = scope.gen

    def within(part: Text, there: Callable[[str, str], str] | None = None) -> Spot:
        def both() -> tuple[str, str]:
            (text, guard), name = spot(), part()
            more = there(text, name) if there else ""
            return text + name, " and ".join(filter(None, (guard, more)))

        return both

    match of:
        case Rec(_, fields):
            for name, inner in fields:
                yield from _below(scope, within(_text(f".{name}")), inner, missing)
        case Arr(length, inner):
            yield from _below(scope, within(lambda: f"[{scope.index(length)}]"), inner, missing)
        case Map(keys, inner):
            there = within(lambda: f"[{scope.key(keys)}]", lambda text, name: f"{name[1:-1]} in {text}")
            yield from _below(scope, there, inner, True)
        case Line(inner, _):
            there = within(lambda: f"[{gen.pick(('0', '-1'))}]", lambda text, _: text)
            yield from _below(scope, there, inner, True)
        case Counts(keys, most):
            yield within(lambda: f"[{scope.key(keys)}]"), Int(0, most), missing
        case Optional(Rec() | Members() | Line() | Map() as inner):
            yield from _below(scope, within(lambda: "", lambda text, _: f"{text} is not None"), inner, True)
        case _:
            return


def _text(text: str) -> Text:
    return lambda: text
