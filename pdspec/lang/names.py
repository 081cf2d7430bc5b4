"""Names in the functions of a spec file that mean nothing: found when the file is loaded, not when a step runs.

In a step they would be a NameError or AttributeError, which an `except Exception` could turn into behaviour.
"""

from __future__ import annotations

import builtins
import dis
import enum
import types
from collections.abc import Iterator
from typing import Any

from pdspec.errors import SpecError, did_you_mean
from pdspec.source import SourceSpan


def check_names(code: types.CodeType, names: dict[str, Any]) -> None:
    """SpecError PD102 for the first global name, Enum member or attribute of a module that does not exist."""
    for function in _functions(code):
        line = function.co_firstlineno
        owner: Any = None
        for instruction in dis.get_instructions(function):
            positions = instruction.positions
            line = positions.lineno if positions is not None and positions.lineno else line
            span = SourceSpan(function.co_filename, line)
            if instruction.opname == "LOAD_GLOBAL":
                owner = _global(instruction.argval, names, span)
                continue
            if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and owner is not None:
                _check_attribute(owner, instruction.argval, span)
            owner = None


def _functions(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            # The body of a class has run when this is asked; its methods have not.
            if constant.co_flags & 0x2:
                yield constant
            yield from _functions(constant)


def _global(name: str, names: dict[str, Any], span: SourceSpan) -> Any:
    if name in names:
        return names[name]
    if hasattr(builtins, name):
        return None
    near = did_you_mean(name, [each for each in names if not each.startswith("__")])
    raise SpecError("PD102", f"{name!r} is defined nowhere{near}", span=span)


def _check_attribute(owner: Any, name: str, span: SourceSpan) -> None:
    if isinstance(owner, type) and issubclass(owner, enum.Enum) and not hasattr(owner, name):
        members = [member.name for member in owner]
        message = f"{owner.__name__} has no member {name!r} ({', '.join(members)}){did_you_mean(name, members)}"
        raise SpecError("PD102", message, span=span)
    if isinstance(owner, types.ModuleType) and not hasattr(owner, name):
        raise SpecError(
            "PD102", f"the module {owner.__name__} has no {name!r}{did_you_mean(name, dir(owner))}", span=span
        )
