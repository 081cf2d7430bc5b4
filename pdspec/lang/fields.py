"""Assignment to a field through the state: `self.chunks[i].done = True` stores a changed copy of the Record."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from pdspec.lang.record import Record, replace


def assign(value: Any, base: Any, *steps: tuple[str, Any]) -> None:
    """`base.a[k].field = value`: a Record on the way is replaced by a changed copy."""
    _assigned(base, steps, lambda _: value)


def assign_operated(name: str, operand: Callable[[], Any], base: Any, *steps: tuple[str, Any]) -> None:
    """`base.a[k].field += operand`."""
    operate = getattr(operator, _IN_PLACE[name])
    _assigned(base, steps, lambda old: operate(old(), operand()))


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


def _assigned(holder: Any, steps: tuple[tuple[str, Any], ...], new: Callable[[Callable[[], Any]], Any]) -> Any:
    kind, key = steps[0]

    def old() -> Any:
        return getattr(holder, key) if kind == "attribute" else holder[key]

    if len(steps) == 1:
        changed = new(old)
    else:
        inner = old()
        changed = _assigned(inner, steps[1:], new)
        if changed is inner and not isinstance(inner, Record):
            return holder
    if isinstance(holder, Record):
        return replace(holder, **{key: changed})
    if kind == "attribute":
        setattr(holder, key, changed)
    else:
        holder[key] = changed
    return holder
