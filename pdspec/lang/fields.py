"""Assignment to a field through the state: `self.chunks[i].done = True` stores a changed copy of the Record."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from pdspec.lang.record import Record, replace


def assign(value: Any, base: Any, *steps: tuple[str, Any]) -> None:
    """`base.a[k].field = value`: a Record on the way is replaced by a changed copy."""
    _assigned(base, steps, value)


def target(base: Any, *steps: tuple[str, Any]) -> Target:
    """`base.a[k].field` before `+= operand`: read now, stored when the operand is known."""
    value = base
    for kind, key in steps:
        value = getattr(value, key) if kind == "attribute" else value[key]
    return Target(base, steps, value)


@dataclass(frozen=True)
class Target:
    """A place to be assigned, and what was there when it was read."""

    base: Any
    steps: tuple[tuple[str, Any], ...]
    old: Any

    def operate(self, name: str, operand: Any) -> None:
        """Stores the result of the operation. What the operand did to other fields stays."""
        _assigned(self.base, self.steps, getattr(operator, _IN_PLACE[name])(self.old, operand))


_IN_PLACE = {
    "Add": "iadd",
    "Sub": "isub",
    "Mult": "imul",
    "FloorDiv": "ifloordiv",
    "Div": "itruediv",
    "Mod": "imod",
    "Pow": "ipow",
    "LShift": "ilshift",
    "RShift": "irshift",
    "BitAnd": "iand",
    "BitOr": "ior",
    "BitXor": "ixor",
    "MatMult": "imatmul",
}


def _assigned(holder: Any, steps: tuple[tuple[str, Any], ...], value: Any) -> Any:
    kind, key = steps[0]
    if len(steps) > 1:
        inner = getattr(holder, key) if kind == "attribute" else holder[key]
        value = _assigned(inner, steps[1:], value)
        if value is inner and not isinstance(inner, Record):
            return holder
    if isinstance(holder, Record):
        return replace(holder, **{key: value})
    if kind == "attribute":
        setattr(holder, key, value)
    else:
        holder[key] = value
    return holder
