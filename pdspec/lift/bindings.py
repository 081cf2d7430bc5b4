"""What a module or a class body binds, as far as its text decides it. Nothing is ever imported.

Statements are followed in order, so the last binding of a name wins and `g = f` binds what `f` was at that moment.
Where a condition decides (`if`, `try`, a loop, `match`), a name keeps every binding that it may end with, None standing
for none at all. Two conditions are known: `TYPE_CHECKING` is false and a constant is itself. A name that exists only
for type checkers is kept apart, because a base class or an annotation may still have to be understood.

What is not seen: what a function or another module assigns, and names bound by `:=` or by a pattern.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Function:
    """`def` or `async def`."""

    node: FunctionNode

    @property
    def line(self) -> int:
        return self.node.lineno


@dataclass(frozen=True, slots=True)
class Class:
    """A `class` statement. `before` is what the names around it were bound to when it ran, and its bases mean."""

    node: ast.ClassDef
    before: dict[str, Possible] = field(compare=False, repr=False)

    @property
    def line(self) -> int:
        return self.node.lineno


@dataclass(frozen=True, slots=True)
class Import:
    """The module `module`, or its name `name`. `guarded`: in the body of a `try`, so another may stand in for it."""

    module: str
    name: str | None
    line: int
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class Assigned:
    """A plain assignment of an expression."""

    value: ast.expr
    line: int


@dataclass(frozen=True, slots=True)
class Opaque:
    """Bound in a way that text does not tell: by a loop, an augmented assignment, unpacking."""

    line: int


Binding = Function | Class | Import | Assigned | Opaque
Possible = tuple[Binding | None, ...]


@dataclass(slots=True)
class Names:
    """The names that a body ends with. `Cls.attr` is a key of its own where a module assigns to a class's attribute."""

    bound: dict[str, Possible] = field(default_factory=dict)
    type_only: dict[str, Possible] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)

    def copy(self) -> Names:
        return Names(dict(self.bound), self.type_only, self.stars)


def names_of(body: Sequence[ast.stmt], package: str) -> Names:
    """The bindings that the statements of a module or class body end with."""
    names = Names()
    _Follower(package, names.type_only, names.stars).run(body, names)
    return names


@dataclass(slots=True)
class _Follower:
    package: str
    type_only: dict[str, Possible]
    stars: list[Import]
    guarded: bool = False
    # For each `try` around the current statement, what the names were after every statement in it so far.
    interruptions: list[list[Names]] = field(default_factory=list)

    def run(self, body: Iterable[ast.stmt], names: Names) -> None:
        for statement in body:
            self.follow(statement, names)
            for states in self.interruptions:
                states.append(names.copy())

    def follow(self, statement: ast.stmt, names: Names) -> None:
        line = statement.lineno
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                names.bound[statement.name] = (Function(statement),)
            case ast.ClassDef():
                names.bound[statement.name] = (Class(statement, dict(names.bound)),)
            case ast.Import():
                for alias in statement.names:
                    module = alias.name if alias.asname else alias.name.partition(".")[0]
                    names.bound[alias.asname or module] = (Import(module, None, line, self.guarded),)
            case ast.ImportFrom():
                self.import_from(statement, names)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.assign(target, value, line, names)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, value, line, names)
            case ast.AugAssign(target=target):
                self.bind(target, (Opaque(line),), names)
            case ast.Delete(targets=targets):
                names.bound.update({target.id: (None,) for target in targets if isinstance(target, ast.Name)})
            case ast.If():
                self.branch(statement, names)
            case ast.Try() | ast.TryStar():
                self.attempt(statement.body, statement.orelse, statement.handlers, names)
                self.run(statement.finalbody, names)
            case ast.For(target=target) | ast.AsyncFor(target=target):
                self.loop(statement, target, names)
            case ast.While():
                self.loop(statement, None, names)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, (Opaque(line),), names)
                ignoring = [ast.ExceptHandler(None, None, [])] if any(_suppresses(item) for item in items) else []
                self.attempt(statement.body, [], ignoring, names)
            case ast.Match(cases=cases):
                self.alternatives([case.body for case in cases] + [[]], names)
            case _:
                pass

    def import_from(self, statement: ast.ImportFrom, names: Names) -> None:
        module = statement.module or ""
        if statement.level:
            parts = self.package.split(".") if self.package else []
            kept = len(parts) - (statement.level - 1)
            # Above the source folder nothing can be found: such a name keeps its dots, and no module has one like it.
            parent = ".".join(parts[:kept]) if kept > 0 else "." * statement.level
            module = ".".join(part for part in (parent, module) if part)
        for alias in statement.names:
            found = Import(module, alias.name, statement.lineno, self.guarded)
            if alias.name == "*":
                self.stars.append(found)
            else:
                names.bound[alias.asname or alias.name] = (found,)

    def assign(self, target: ast.expr, value: ast.expr, line: int, names: Names) -> None:
        match target, value:
            case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), ast.Tuple(elts=values)) if len(targets) == len(
                values
            ) and not any(isinstance(one, ast.Starred) for one in (*targets, *values)):
                # All of the right side is read before anything is bound, as `f, g = g, f` needs.
                for one, possible in [
                    (one, _value(its, line, names)) for one, its in zip(targets, values, strict=True)
                ]:
                    self.bind(one, possible, names)
            case ((ast.Tuple() | ast.List()), _):
                self.bind(target, (Opaque(line),), names)
            case _:
                self.bind(target, _value(value, line, names), names)

    def bind(self, target: ast.expr, possible: Possible, names: Names) -> None:
        match target:
            case ast.Name(id=name):
                names.bound[name] = possible
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
                names.bound[f"{owner}.{attribute}"] = possible
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for one in targets:
                    self.bind(one, tuple(Opaque(each.line) for each in possible if each is not None), names)
            case ast.Starred(value=inner):
                self.bind(inner, possible, names)
            case _:
                pass

    def branch(self, statement: ast.If, names: Names) -> None:
        match _truth(statement.test):
            case True:
                self.run(statement.body, names)
                self.checkers_only(statement.orelse, names)
            case False:
                self.run(statement.orelse, names)
                self.checkers_only(statement.body, names)
            case None:
                self.alternatives([statement.body, statement.orelse], names)

    def checkers_only(self, body: Sequence[ast.stmt], names: Names) -> None:
        aside, stars, around = names.copy(), len(self.stars), self.interruptions
        self.interruptions = []
        self.run(body, aside)
        self.interruptions = around
        del self.stars[stars:]
        self.type_only.update({name: what for name, what in aside.bound.items() if names.bound.get(name) != what})

    def alternatives(self, bodies: Sequence[Sequence[ast.stmt]], names: Names) -> None:
        ends = []
        for body in bodies:
            end = names.copy()
            self.run(body, end)
            if not _leaves(body):
                ends.append(end)
        if ends:
            names.bound = _either(ends)

    def loop(self, statement: ast.For | ast.AsyncFor | ast.While, target: ast.expr | None, names: Names) -> None:
        """Any number of turns, the last one left after any statement: turns are followed until one adds nothing."""
        before: dict[str, Possible] | None = None
        while names.bound != before:
            before = dict(names.bound)
            states = [names.copy()]
            self.interruptions.append(states)
            if target is not None:
                self.bind(target, (Opaque(statement.lineno),), names)
                states.append(names.copy())
            self.run(statement.body, names)
            self.interruptions.pop()
            names.bound = _either(states)
        self.alternatives([statement.orelse, []], names)

    def attempt(
        self,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        handlers: Sequence[ast.ExceptHandler],
        names: Names,
    ) -> None:
        states, outer = [names.copy()], self.guarded
        self.interruptions.append(states)
        self.guarded = self.guarded or bool(handlers)
        self.run(body, names)
        self.guarded = outer
        self.interruptions.pop()
        self.run(orelse, names)
        ends = [names]
        for handler in handlers:
            end = Names(_either(states), self.type_only, self.stars)
            self.run(handler.body, end)
            if handler.name is not None:
                end.bound[handler.name] = (None,)
            if not _leaves(handler.body):
                ends.append(end)
        names.bound = _either(ends)


def _value(value: ast.expr, line: int, names: Names) -> Possible:
    if isinstance(value, ast.Name) and value.id in names.bound:
        known = tuple(one for one in names.bound[value.id] if one is not None)
        if known:
            return known
    return (Assigned(value, line),)


def _either(ends: Sequence[Names]) -> dict[str, Possible]:
    every = dict.fromkeys(name for end in ends for name in end.bound)
    return {name: tuple(dict.fromkeys(one for end in ends for one in end.bound.get(name, (None,)))) for name in every}


def _suppresses(item: ast.withitem) -> bool:
    match item.context_expr:
        case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress")):
            return True
        case _:
            return False


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def _truth(test: ast.expr) -> bool | None:
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            truth = _truth(operand)
            return None if truth is None else not truth
        case _:
            return None
