"""Functions from elsewhere, which were not rewritten: what `is`, `type`, `id` and C code would make of unknown values.

C code asks for the exact type (`"ab".startswith(x)`, `json.dumps(x)`), so it gets the value that the path picks. A
plain Python function keeps what it is given, and is refused where it asks for identity.
"""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

from pdspec.lang.context import current, is_running, ordered, refuse
from pdspec.lang.path import Path
from pdspec.lang.symbolic import concrete, is_symbol
from pdspec.source import SourceSpan


def _pop_any(collection: set[Any]) -> Any:
    """`collection.pop()` of a plain set: any member."""
    if not collection:
        raise KeyError("pop from an empty set")
    item = current().choose(ordered(collection), "pop")
    collection.discard(item)
    return item


def callee(function: Any) -> Any:
    """`function`, guarded where it is plain Python from elsewhere that Python's identity could mislead."""
    if not is_running():
        return function
    plain = function.__func__ if type(function) is types.MethodType else function
    if type(plain) is types.FunctionType and "__pdspec__" in plain.__globals__:
        return function
    if type(function) is types.BuiltinMethodType and function.__name__ == "pop" and type(function.__self__) is set:
        return functools.partial(_pop_any, function.__self__)
    owner = getattr(function, "__self__", None)
    if type(function) is types.BuiltinMethodType and function.__name__ in _CHANGES_ITS_OWNER:
        _refuse_global(owner, sys._getframe(1).f_globals)
    module = getattr(function, "__module__", None) or getattr(owner, "__module__", None) or type(owner).__module__
    if module in _CHANGING:
        name = getattr(function, "__qualname__", str(function))
        hint = "let the spec choose: choose(range(3)), or a step that may happen at any time"
        refuse("PD105", f"{module}: {name} gives another value each time", hint=hint)
    if _goes_through(function, owner):
        return functools.partial(_with_sets_in_order, function)
    if isinstance(function, _IN_C) and not isinstance(owner, _HOLDERS):
        return functools.partial(_with_plain_values, function)
    if type(plain) is not types.FunctionType:
        return function
    if (plain.__module__ or "").split(".")[0] == "pdspec":
        return function
    if (plain.__module__ or "").split(".")[0] in sys.stdlib_module_names:
        return functools.partial(_with_plain_values, function)
    line = _hazard(plain)
    if line is None:
        return function

    def guarded(*args: Any, **kwargs: Any) -> Any:
        path = current()
        if isinstance(path, Path) and any(is_symbol(value) for value in (*args, *kwargs.values())):
            path.refuse(
                "PD104",
                f"{plain.__qualname__} is not part of the spec and asks `is`, `type` or `id` of its argument at {line}",
                hint="put the function into the spec file or a module beside it, or write == and isinstance",
            )
        return function(*args, **kwargs)

    return guarded


# Modules whose functions do not depend on their arguments only.
_CHANGING = frozenset(("random", "time", "secrets", "uuid", "datetime", "os", "posix", "threading", "socket"))


_IN_C = (types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType)
# Their methods keep and compare what they are given, and ask for nothing else.
_HOLDERS = (list, tuple, dict, set, frozenset, deque)


def _goes_through(function: Any, owner: Any) -> bool:
    """Whether the order of a set that is given to `function` may show in what it does."""
    if isinstance(function, type):
        return function.__module__ in ("collections", "itertools")
    name = getattr(function, "__name__", "")
    return (
        (isinstance(owner, list | deque) and name.startswith("extend"))
        or name == "fromkeys"
        or function is functools.reduce
    )


def _with_sets_in_order(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The result with plain sets in an order without hashes, and in both orders when traced."""
    from pdspec.lang.hooks import each

    return function(*map(each, args), **kwargs)


def _with_plain_values(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The result for the values that this path picks."""
    if isinstance(getattr(function, "__self__", None), str) and len(args) == 1:
        from pdspec.lang.hooks import each

        args = (list(each(args[0])) if isinstance(args[0], Iterator | set | frozenset) else args[0],)
    return function(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})


def _plain(value: Any) -> Any:
    """`value` with the symbols in it picked: in place, since the function may change what it is given."""
    if is_symbol(value):
        return concrete(value)
    if type(value) is tuple:
        return tuple(map(_plain, value))
    if type(value) is list or type(value) is deque:
        for index, item in enumerate(value):
            value[index] = _plain(item)
    elif type(value) is dict:
        for key, item in value.items():
            value[key] = _plain(item)
    return value


_CHANGES_ITS_OWNER = frozenset(
    [
        "append",
        "appendleft",
        "extend",
        "insert",
        "remove",
        "pop",
        "popleft",
        "popitem",
        "clear",
        "sort",
        "reverse",
        "add",
        "discard",
        "update",
        "setdefault",
    ]
)


def _refuse_global(owner: Any, names: dict[str, Any]) -> None:
    name = next((name for name, value in names.items() if value is owner), None)
    if name is not None:
        hint = "declare a variable in state() and use self.variable"
        refuse("PD105", f"{name} is a global and would change, so that the step does not repeat", hint=hint)


def guard_method(function: types.FunctionType) -> SourceSpan | None:
    """Where a method that was not rewritten asks what Python would answer wrongly, or None."""
    return None if "__pdspec__" in function.__globals__ else _hazard(function)


@functools.cache
def _hazard(function: types.FunctionType) -> SourceSpan | None:
    """The first line of `function`, or of a Python function that it names, that asks for identity or type."""
    seen: set[types.CodeType] = set()

    def scan(code: types.CodeType, names: dict[str, Any]) -> SourceSpan | None:
        if code in seen or len(seen) > 100:
            return None
        seen.add(code)
        line = code.co_firstlineno
        before: dis.Instruction | None = None
        for instruction in dis.get_instructions(code):
            if instruction.starts_line:
                # The line itself up to Python 3.12, whether a line starts here from 3.13 on.
                positions = instruction.positions
                line = positions.lineno if positions is not None and positions.lineno else line
            asks_none = before is not None and before.opname == "LOAD_CONST" and before.argval is None
            if instruction.opname == "IS_OP" and not asks_none:
                return SourceSpan(code.co_filename, line)
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                if instruction.argval in ("type", "id") and instruction.argval not in names:
                    return SourceSpan(code.co_filename, line)
                other = names.get(instruction.argval)
                if isinstance(other, types.FunctionType) and "__pdspec__" not in other.__globals__:
                    found = scan(other.__code__, other.__globals__)
                    if found:
                        return found
            before = instruction
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                found = scan(constant, names)
                if found:
                    return found
        return None

    return scan(function.__code__, function.__globals__)
