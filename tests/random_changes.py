"""Changes of the state in random specs: assignments, and what each container offers."""

from __future__ import annotations

from tests.random_exprs import Exprs
from tests.random_scope import is_container, is_int, is_scalar
from tests.random_types import Arr, Bool, Counts, Int, Line, Map, Members, Optional, Type
from tests.random_values import literal, some

Lines = list[str]


class Changes:
    """Writes single changes, mostly ones that fit."""

    def __init__(self, exprs: Exprs) -> None:
        self.exprs = exprs
        self.gen = exprs.gen

    def change(self) -> Lines | None:
        """One change, perhaps behind a guard that makes it fit."""
        found = self.exprs.scope.guarded_place(lambda of: True, changing=True)
        if not found:
            return None
        text, of, guard = found
        with self.exprs.scope.block():
            known = len(self.exprs.scope.locals)
            lines = self._changed(text, of)
            made = self.exprs.scope.locals[known:]
        if guard:
            return self._guarded(guard, lines)
        self.exprs.scope.locals += made
        return lines

    def _changed(self, text: str, of: Type) -> Lines:
        if not is_container(of):
            return self._assigned(text, of)
        if text.startswith("self.") and self.gen.chance(8):
            return self._held(text, of)
        if text.startswith("self.") and self.gen.chance(12):
            return [self.gen.choice(("whole container", f"{text} = {self._fresh(text, of)}"))]
        match of:
            case Map():
                return self._map(text, of)
            case Members():
                return self._members(text, of)
            case Line():
                return self._line(text, of)
            case Arr():
                return self._array(text, of)
            case Counts():
                return self._counts(text, of)
            case _:
                raise AssertionError(of)

    def _held(self, text: str, of: Type) -> Lines:
        """Changes through a local that holds the container, or what it held before another takes its place."""
        exprs = self.exprs
        with exprs.scope.block():
            name = exprs.scope.local(of)
        if self.gen.chance(60):
            self.gen.note("change through a local")
            return [f"{name} = {text}", *self._changed(name, of)]
        counted = next((f"self.{other}" for other, kind in exprs.scope.variables if isinstance(kind, Int)), "_")
        lines = [f"{name} = {text}", self.gen.choice(("old content", f"{text} = {literal(self.gen, of)}"))]
        return [*lines, f"{counted} = len({name})", f"assert {name} != {literal(self.gen, of)}"]

    def risky(self) -> Lines:
        """A change that raises where something is not there."""
        gen, exprs = self.gen, self.exprs
        found = exprs.scope.place(lambda of: isinstance(of, Map | Members | Line), changing=True)
        if not found:
            return [f"raise {gen.pick(('KeyError(1)', 'IndexError', 'ValueError'))}"]
        text, of = found
        match of:
            case Map(keys, _):
                name = "_"
                return [gen.pick((f"{name} = {text}[{exprs.scope.key(keys)}]", f"del {text}[{exprs.scope.key(keys)}]"))]
            case Members(keys):
                return [f"{text}.remove({exprs.scope.key(keys)})"]
            case Line(inner, _):
                return [
                    gen.pick(
                        (f"{text}.popleft()", f"{text}.pop()", f"_ = {text}[0]", f"{text}[1] = {literal(gen, inner)}")
                    )
                ]
            case _:
                raise AssertionError(of)

    def _fresh(self, text: str, of: Type) -> str:
        """A new container to be stored."""
        if self.gen.chance(50):
            return literal(self.gen, of)
        return self.exprs.snapshot(text, of)

    def _assigned(self, text: str, of: Type) -> Lines:
        gen, exprs = self.gen, self.exprs
        through = text.count(".") > 1 or "[" in text
        if is_int(of) and gen.chance(45):
            op = gen.weighted(((4, "+="), (3, "-="), (1, "*="), (1, "//="), (1, "%="), (1, "|=")))
            right = str(gen.pick((1, 1, 2))) if gen.chance(75) else exprs.number(0)
            gen.note("augmented through" if through else "augmented assignment")
            change = f"{text} {op} {right}"
            assert isinstance(of, Int)
            if gen.chance(60) and op in ("+=", "-="):
                bound = f"{text} < {of.high}" if op == "+=" else f"{text} > {of.low}"
                return self._guarded(bound, [change])
            return [change]
        if isinstance(of, Bool) and gen.chance(20):
            return [gen.choice(("augmented assignment", f"{text} {gen.pick(('|=', '^=', '&='))} {exprs.cond(0)}"))]
        other = exprs.scope.place(lambda other: other == of, changing=True)
        if other and gen.chance(10) and other[0] != text:
            return [gen.choice(("swap", f"{text}, {other[0]} = {other[0]}, {text}"))]
        gen.note("assignment through the state" if through else "assignment")
        return [f"{text} = {exprs.value(of, 2, avoid=text)}"]

    def _guarded(self, condition: str, lines: Lines) -> Lines:
        gen = self.gen
        if gen.chance(35):
            return [gen.choice(("require before", f"require({condition})")), *lines]
        return [gen.choice(("if before", f"if {condition}:")), *("    " + line for line in lines)]

    def _map(self, text: str, of: Map) -> Lines:
        gen, exprs = self.gen, self.exprs
        keys, inner = of.keys, of.inner
        key = exprs.scope.key(keys)
        value = self._fresh(f"{text}[{key}]", inner) if is_container(inner) and gen.chance(20) else literal(gen, inner)
        if not is_container(inner):
            value = exprs.value(inner, 2)
        kind = gen.weighted(
            (
                (6, "d[k] = v"),
                (2, "del"),
                (2, "pop"),
                (2, "pop default"),
                (2, "setdefault"),
                (1, "update"),
                (1, "dict clear"),
                (1, "popitem"),
                (1, "|= dict"),
                (1, "update named or pairs"),
            )
        )
        gen.note(kind)
        match kind:
            case "d[k] = v":
                return [f"{text}[{key}] = {value}"]
            case "del":
                change = [f"del {text}[{key}]"]
                return self._guarded(f"{key} in {text}", change) if gen.chance(70) else change
            case "pop":
                change = [
                    f"{exprs.scope.local(inner)} = {text}.pop({key})" if is_scalar(inner) else f"{text}.pop({key})"
                ]
                return [f"require({key} in {text})", *change] if gen.chance(70) else change
            case "pop default":
                if is_scalar(inner):
                    return [f"{exprs.scope.local(Optional(inner))} = {text}.pop({key}, None)"]
                return [f"{text}.pop({key}, None)"]
            case "setdefault":
                if isinstance(inner, Members):
                    return [
                        gen.choice(
                            ("setdefault().add", f"{text}.setdefault({key}, set()).add({exprs.scope.key(inner.keys)})")
                        )
                    ]
                if isinstance(inner, Line):
                    return [f"{text}.setdefault({key}, deque()).append({exprs.value(inner.inner, 0)})"]
                return [f"{text}.setdefault({key}, {value})"]
            case "update":
                return [f"{text}.update({literal(gen, of)})"]
            case "dict clear":
                return [f"{text}.clear()"]
            case "popitem":
                if is_scalar(inner):
                    return [f"require({text})", f"_, {exprs.scope.local(inner)} = {text}.popitem()"]
                return [f"{text}.popitem()"]
            case "|= dict":
                return [f"{text} |= {literal(gen, of)}"]
            case _:
                return [f"{text}.update([({key}, {value})])"]

    def _members(self, text: str, of: Members) -> Lines:
        gen, exprs = self.gen, self.exprs
        key = exprs.scope.key(of.keys)
        kind = gen.weighted(
            (
                (5, "add"),
                (4, "discard"),
                (2, "remove"),
                (2, "set pop"),
                (1, "set clear"),
                (2, "set operator"),
                (2, "set update"),
            )
        )
        gen.note(kind)
        other = exprs.scope.place(lambda other: other == of)
        right = other[0] if other and gen.chance(50) else literal(gen, of)
        match kind:
            case "add" | "discard":
                return [f"{text}.{kind}({key})"]
            case "remove":
                change = [f"{text}.remove({key})"]
                return self._guarded(f"{key} in {text}", change) if gen.chance(60) else change
            case "set pop":
                guard = [f"require({text})"] if gen.chance(70) else []
                return [*guard, f"{exprs.scope.local(of.keys.of)} = {text}.pop()"]
            case "set clear":
                return [f"{text}.clear()"]
            case "set operator":
                return [f"{text} {gen.pick(('|=', '-=', '&=', '^='))} {right}"]
            case _:
                name = gen.pick(("update", "difference_update", "intersection_update", "symmetric_difference_update"))
                return [f"{text}.{name}({right})"]

    def _line(self, text: str, of: Line) -> Lines:
        gen, exprs = self.gen, self.exprs
        item = exprs.value(of.inner, 1)
        kind = gen.weighted(
            (
                (8, "append"),
                (2, "appendleft"),
                (6, "popleft"),
                (2, "queue pop"),
                (1, "extend"),
                (1, "rotate"),
                (1, "insert"),
                (1, "queue remove"),
                (2, "queue item"),
                (1, "del item"),
                (1, "queue clear"),
                (1, "reverse"),
                (1, "queue +="),
            )
        )
        gen.note(kind)
        room = f"len({text}) < {of.capacity}"
        match kind:
            case "append" | "appendleft":
                change = [f"{text}.{kind}({item})"]
                return self._guarded(room, change) if gen.chance(70) else change
            case "popleft" | "queue pop":
                name = kind.split()[-1]
                change = [f"{exprs.scope.local(of.inner)} = {text}.{name}()"]
                return [f"require({gen.pick((text, f'len({text}) > 0'))})", *change] if gen.chance(75) else change
            case "extend":
                return [f"{text}.{gen.pick(('extend', 'extendleft'))}([{item}])"]
            case "rotate":
                return [f"{text}.rotate({gen.pick(('', '-1', '2', exprs.number(0)))})"]
            case "insert":
                return self._guarded(room, [f"{text}.insert({gen.pick((0, 1, -1, 5))}, {item})"])
            case "queue remove":
                return self._guarded(f"{item} in {text}", [f"{text}.remove({item})"])
            case "queue item":
                return self._guarded(text, [f"{text}[{gen.pick((0, -1, 0, 1))}] = {item}"])
            case "del item":
                return self._guarded(f"len({text}) > 1", [f"del {text}[{gen.pick((0, 1, -1))}]"])
            case "queue clear" | "reverse":
                return [f"{text}.{kind.split()[-1]}()"]
            case _:
                return self._guarded(room, [f"{text} += [{item}]"])

    def _array(self, text: str, of: Arr) -> Lines:
        gen, exprs = self.gen, self.exprs
        if is_container(of.inner):
            return [f"{text}[{exprs.scope.index(of.length)}] = {literal(gen, of.inner)}"]
        kind = gen.weighted(
            ((6, "item"), (1, "slice"), (1, "reversed"), (1, "sort"), (1, "swap items"), (1, "whole array"))
        )
        gen.note(f"array {kind}")
        match kind:
            case "item":
                return [f"{text}[{exprs.scope.index(of.length)}] = {exprs.value(of.inner, 2)}"]
            case "slice":
                return [f"{text}[0:1] = [{exprs.value(of.inner, 1)}]"]
            case "sort" if isinstance(of.inner, Int | Bool):
                return [f"{text}.sort({gen.pick(('', 'reverse=True'))})"]
            case "swap items":
                return [f"{text}[0], {text}[-1] = {text}[-1], {text}[0]"]
            case "whole array":
                return [f"{text} = [{', '.join(exprs.value(of.inner, 1) for _ in range(of.length))}]"]
            case _:
                return [f"{text}.reverse()"]

    def _counts(self, text: str, of: Counts) -> Lines:
        gen, exprs = self.gen, self.exprs
        key = exprs.scope.key(of.keys)
        kind = gen.weighted(
            (
                (5, "+= 1"),
                (4, "-= 1"),
                (1, "= n"),
                (1, "update"),
                (1, "subtract"),
                (1, "pop"),
                (1, "del"),
                (1, "clear"),
                (1, "-="),
            )
        )
        gen.note(f"bag {kind}")
        given = "[" + ", ".join(some(gen, of.keys.texts)) + "]"
        match kind:
            case "+= 1":
                return self._guarded(f"{text}[{key}] < {of.most}", [f"{text}[{key}] += 1"])
            case "-= 1":
                change = [f"{text}[{key}] -= 1"]
                return (
                    self._guarded(gen.pick((f"{text}[{key}] > 0", f"{key} in {text}")), change)
                    if gen.chance(80)
                    else change
                )
            case "= n":
                return [f"{text}[{key}] = {exprs.value(Int(0, of.most), 1)}"]
            case "update" | "subtract":
                return [f"{text}.{kind}({given})"]
            case "pop":
                return [f"{exprs.scope.local(Int(0, of.most))} = {text}.pop({key}, 0)"]
            case "del":
                return [f"del {text}[{key}]"]
            case "clear":
                return [f"{text}.clear()"]
            case _:
                return [f"{text} {gen.pick(('-=', '+='))} Counter({given})"]
