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
from pdspec.lang.rewrite import HOOKS, is_logging, rewrite
from pdspec.lang.spec import Spec
from pdspec.lift.find import FoundFunction, find_function, find_method, find_super
from pdspec.lift.lifted import Lifted
from pdspec.lift.meaning import SourceTree
from pdspec.source import SourceSpan

_SUPER = "__pdspec_super__"


_UNKNOWN = "__pdspec_unknown__"


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
    """What lifted code sees as `self`."""

    def __init__(self, spec: Spec, lifted: Lifted, found: FoundFunction) -> None:
        self.__dict__["_pdspec"] = (spec, lifted, found)

    def __getattr__(self, name: str) -> Any:
        spec, lifted, found = self.__dict__["_pdspec"]
        if lifted.known(name):
            return lifted.value(name)
        if name in spec.__dict__["_variables"]:
            return getattr(spec, name)
        if not name.startswith("__") and hasattr(type(spec), name):
            return getattr(spec, name)
        if found.owner is not None and not name.startswith("__"):
            try:
                method = _remembered(
                    lifted, (found.tree.root, f"self.{name}"), functools.partial(find_method, found.owner, name)
                )
            except SpecError:
                pass
            else:
                return bound_method(method, lifted, spec)
        _unknown(f"self.{name}", name, found)

    def __setattr__(self, name: str, value: Any) -> None:
        spec, lifted, found = self.__dict__["_pdspec"]
        if name in lifted.ignored:
            return
        if name not in spec.__dict__["_variables"] or lifted.known(name):
            _unknown(f"self.{name}", name, found, "assigns")
        setattr(spec, name, value)


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
        function = lifted.compiled[key] = _compiled(found, lifted, spec)
    if found.kind != "method":
        return function
    return types.MethodType(function, LiftedSelf(spec, lifted, found))


def _compiled(found: FoundFunction, lifted: Lifted, spec: Spec) -> Callable[..., Any]:
    node = copy.deepcopy(found.node)
    node.decorator_list = []
    _refuse_unsupported(node, found)
    module_names = vars(sys.modules[type(spec).__module__])
    namespace: dict[str, Any] = {HOOKS: hooks, "__name__": found.module.dotted, "__builtins__": builtins}

    def super_of(stand_in: LiftedSelf) -> _Super:
        return _Super(stand_in, found)

    def unknown(name: str) -> Any:
        if lifted.known(name):
            return lifted.value(name)
        return _unknown(name, name, found)

    namespace[_SUPER], namespace[_UNKNOWN] = super_of, unknown
    for name in _globals(node):
        if not lifted.known(name) and name in module_names and not _is_pdspec(module_names[name]):
            namespace[name] = module_names[name]
    first = node.args.posonlyargs + node.args.args
    stripped = _Strip(frozenset(namespace), first[0].arg if first else None).visit(node)
    tree = rewrite(ast.Module([stripped], []), str(found.path))
    exec(compile(tree, str(found.path), "exec", dont_inherit=True, optimize=0), namespace)
    return cast("Callable[..., Any]", namespace[node.name])


def _is_pdspec(value: Any) -> bool:
    return getattr(value, "__module__", "").split(".")[0] == "pdspec" or value is None


def _locals(node: ast.FunctionDef) -> set[str]:
    arguments = node.args
    names = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    names.update(each.arg for each in (arguments.vararg, arguments.kwarg) if each)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store | ast.Del):
            names.add(inner.id)
        elif isinstance(inner, ast.FunctionDef | ast.Lambda) and inner is not node:
            names.update(each.arg for each in (*inner.args.posonlyargs, *inner.args.args, *inner.args.kwonlyargs))
            if isinstance(inner, ast.FunctionDef):
                names.add(inner.name)
        elif isinstance(inner, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and inner.name:
            names.add(inner.name)
    return names


def _globals(node: ast.FunctionDef) -> set[str]:
    loaded = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)}
    return loaded - _locals(node)


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
    """Without annotations; `super()` and names that nothing defines go through the lift."""

    def __init__(self, defined: frozenset[str], stand_in: str | None) -> None:
        self._defined = defined
        self._stand_in = stand_in
        self._local: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._local |= _locals(node)
        node.returns = None
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg):
            if each is not None:
                each.annotation = None
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Call) and is_logging(node.value.func):
            # The logger is not reached: the call is dropped, and its arguments are evaluated.
            node.value.args = [self.visit(argument) for argument in node.value.args]
            node.value.keywords = [self.visit(keyword) for keyword in node.value.keywords]
            return node
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([self.visit(node.target)], self.visit(node.value)), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_super = (
            isinstance(node.func, ast.Call) and isinstance(node.func.func, ast.Name) and node.func.func.id == _UNKNOWN
        )
        if is_super and not node.args and self._stand_in is not None:
            asked = cast("ast.Call", node.func).args[0]
            if isinstance(asked, ast.Constant) and asked.value == "super":
                call = ast.Call(ast.Name(_SUPER, ast.Load()), [ast.Name(self._stand_in, ast.Load())], [])
                return ast.fix_missing_locations(ast.copy_location(call, node))
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not isinstance(node.ctx, ast.Load) or node.id in self._local or node.id in self._defined:
            return node
        if node.id in dir(builtins) and node.id not in (
            "super",
            "open",
            "input",
            "exec",
            "eval",
            "globals",
            "vars",
            "print",
        ):
            return node
        call = ast.Call(ast.Name(_UNKNOWN, ast.Load()), [ast.Constant(node.id)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


class _Super:
    """`super()` inside a lifted method: the methods of the classes after the one that defines it."""

    def __init__(self, stand_in: LiftedSelf, found: FoundFunction) -> None:
        self._pdspec = stand_in, found

    def __getattr__(self, name: str) -> Any:
        stand_in, found = self._pdspec
        spec, lifted, _ = stand_in.__dict__["_pdspec"]
        key = (found.path, f"super.{name} at {found.node.lineno}")
        method = _refusing(lambda: _remembered(lifted, key, lambda: find_super(found, name)))
        return bound_method(method, lifted, spec)
