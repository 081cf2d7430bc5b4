"""The body of a lifted function, made to run as a method of the spec.

It is stripped of annotations and decorators, rewritten like a spec file and compiled with its own file and lines. Its
`self` is a stand-in that knows only what the spec models, what has a constant and what is ignored; every other name
that it reaches is refused, never guessed.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from pdspec.errors import SpecError
from pdspec.lang import hooks
from pdspec.lang.context import refuse
from pdspec.lang.rewrite import HOOKS, rewrite
from pdspec.lang.spec import Spec
from pdspec.lift.find import FoundFunction, find_function, find_method, find_super
from pdspec.lift.lifted import Lifted
from pdspec.lift.meaning import SourceTree
from pdspec.source import SourceSpan

_SUPER = "__pdspec_super__"


def bound(lifted: Lifted, source: SourceTree, spec: Spec) -> Callable[..., Any]:
    """The lifted function of this source, to be called as a method of `spec`. SpecError PD401 and on where it is not
    there.
    """
    return bound_method(_refusing(lambda: found_in(lifted, source)), lifted, spec)


def found_in(lifted: Lifted, source: SourceTree) -> FoundFunction:
    """Where the lifted function stands in a source, which is read once."""
    return _remembered(lifted, (source.root, lifted.reference), lambda: find_function(source, lifted.reference))


def _refusing(find: Callable[[], FoundFunction]) -> FoundFunction:
    """What `find` finds; its error is a refusal, which the code that runs in the step cannot catch."""
    try:
        return find()
    except SpecError as error:
        refuse(error.code, error.message, hint=error.hint, span=error.span)


def _remembered(lifted: Lifted, key: tuple[Path, str], find: Callable[[], FoundFunction]) -> FoundFunction:
    if key not in lifted.found:
        lifted.found[key] = find()
    found: FoundFunction = lifted.found[key]
    return found


class LiftedSelf:
    """What lifted code sees as `self`: nothing but what the spec or the lift says of it."""

    __slots__ = ("_pdspec",)

    def __init__(self, spec: Spec, lifted: Lifted, found: FoundFunction) -> None:
        object.__setattr__(self, "_pdspec", (spec, lifted, found))

    def __getattribute__(self, name: str) -> Any:
        spec, lifted, found = object.__getattribute__(self, "_pdspec")
        if lifted.known(name):
            return lifted.value(name)
        if name in spec.__dict__["_variables"] or _is_of_the_spec(type(spec), name):
            return getattr(spec, name)
        if found.owner is not None and not name.startswith("__"):
            key = (found.tree.root, f"self.{name}")
            try:
                method = _remembered(lifted, key, functools.partial(find_method, found.owner, name))
            except SpecError:
                pass
            else:
                return bound_method(method, lifted, spec)
        _unknown(f"self.{name}", name, found)

    def __setattr__(self, name: str, value: Any) -> None:
        spec, lifted, found = object.__getattribute__(self, "_pdspec")
        if name in lifted.ignored:
            return
        if name not in spec.__dict__["_variables"] or lifted.known(name):
            _unknown(f"self.{name}", name, found, "assigns")
        setattr(spec, name, value)

    def __delattr__(self, name: str) -> None:
        _, _, found = object.__getattribute__(self, "_pdspec")
        _unknown(f"self.{name}", name, found, "deletes")


def _is_of_the_spec(cls: type[Spec], name: str) -> bool:
    """Whether the author's classes define the name. What every Spec has is not meant by the connector's code."""
    if name.startswith("__") or name == "state":
        return False
    return any(name in base.__dict__ for base in cls.__mro__ if base not in (Spec, object))


def _unknown(shown: str, name: str, found: FoundFunction, what: str = "reaches") -> Any:
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != str(found.path):
        frame = frame.f_back
    line = frame.f_lineno if frame is not None else found.node.lineno
    refuse(
        "PD405",
        f"{found.node.name} {what} {shown}, which the spec does not model",
        span=SourceSpan(str(found.path), line),
        hint=f"declare a variable of that name, or lift(..., constant={{{name!r}: value}}), "
        f"any_of={{{name!r}: (...)}} or ignored=[{name!r}]",
    )


def bound_method(found: FoundFunction, lifted: Lifted, spec: Spec) -> Callable[..., Any]:
    """The found function, compiled, with a stand-in as its first argument where it takes one."""
    if found.kind == "class method":
        raise SpecError("PD404", f"{found.reference} is a class method, which cannot be lifted", span=found.span)
    key = (str(found.path), f"{found.node.lineno}/{type(spec).__module__}")
    function = lifted.compiled.get(key)
    if function is None:
        try:
            function = lifted.compiled[key] = _compiled(found, lifted, spec)
        except SpecError as error:
            refuse(error.code, error.message, hint=error.hint, span=error.span)
    if found.kind != "method":
        return function
    return types.MethodType(function, LiftedSelf(spec, lifted, found))


def _compiled(found: FoundFunction, lifted: Lifted, spec: Spec) -> Callable[..., Any]:
    node = copy.deepcopy(found.node)
    node.decorator_list = []
    _refuse_unsupported(node, found)
    namespace = _Namespace(found, lifted, vars(sys.modules[type(spec).__module__]))
    first = node.args.posonlyargs + node.args.args
    stripped = _Strip(first[0].arg if first else None).visit(node)
    tree = rewrite(ast.Module([stripped], []), str(found.path))
    exec(compile(tree, str(found.path), "exec", dont_inherit=True, optimize=0), namespace)
    return cast("Callable[..., Any]", dict.__getitem__(namespace, node.name))


class _Namespace(dict[str, Any]):
    """The globals of a lifted function. Python asks here for every name that is not local to it."""

    def __init__(self, found: FoundFunction, lifted: Lifted, names: dict[str, Any]) -> None:
        super().__init__({HOOKS: hooks, "__builtins__": builtins, "__name__": found.module.dotted})
        self[_SUPER] = lambda stand_in: _Super(stand_in, found)
        self._found = found
        self._lifted = lifted
        self._names = names

    def __missing__(self, name: str) -> Any:
        if self._lifted.known(name):
            return self._lifted.value(name)
        if name in self._names and not name.startswith("__") and not _is_pdspec(self._names[name]):
            return self._names[name]
        if hasattr(builtins, name) and name not in _OUTSIDE:
            raise KeyError(name)
        return _unknown(name, name, self._found)


# Builtins that reach past the function.
_OUTSIDE = frozenset(
    ("open", "input", "exec", "eval", "globals", "vars", "locals", "print", "breakpoint", "__import__")
)


def _is_pdspec(value: Any) -> bool:
    return getattr(value, "__module__", "").split(".")[0] == "pdspec" or value is None


_REFUSED: dict[type[ast.AST], str] = {
    ast.Global: "`global`",
    ast.Nonlocal: "`nonlocal`",
    ast.Yield: "`yield`",
    ast.YieldFrom: "`yield from`",
    ast.Await: "`await`",
    ast.AsyncFor: "`async for`",
    ast.AsyncWith: "`async with`",
    ast.AsyncFunctionDef: "an async function",
    ast.ClassDef: "a class",
    ast.Import: "`import`",
    ast.ImportFrom: "`import`",
}


def _refuse_unsupported(node: ast.FunctionDef, found: FoundFunction) -> None:
    for inner in ast.walk(node):
        what = _REFUSED.get(type(inner))
        if what is not None:
            span = SourceSpan(str(found.path), getattr(inner, "lineno", node.lineno))
            hint = "model this function by a method of the spec"
            raise SpecError("PD104", f"{node.name} contains {what}, which cannot be lifted", span=span, hint=hint)


class _Strip(ast.NodeTransformer):
    """Without annotations; `super()` goes through the lift."""

    def __init__(self, stand_in: str | None) -> None:
        self._stand_in = stand_in

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg):
            if each is not None:
                each.annotation = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([self.visit(node.target)], self.visit(node.value)), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self._stand_in is not None:
            call = ast.Call(ast.Name(_SUPER, ast.Load()), [ast.Name(self._stand_in, ast.Load())], [])
            return ast.fix_missing_locations(ast.copy_location(call, node))
        return node


class _Super:
    """`super()` inside a lifted method: the methods of the classes after the one that defines it."""

    def __init__(self, stand_in: LiftedSelf, found: FoundFunction) -> None:
        self._pdspec = stand_in, found

    def __getattr__(self, name: str) -> Any:
        stand_in, found = self._pdspec
        spec, lifted, _ = object.__getattribute__(stand_in, "_pdspec")
        key = (found.path, f"super.{name} at {found.node.lineno}")
        method = _refusing(lambda: _remembered(lifted, key, lambda: find_super(found, name)))
        return bound_method(method, lifted, spec)
