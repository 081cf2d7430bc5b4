"""Rewrites spec files and lifted functions so that what Python never asks a value is asked.

`is`, `in`, `type(x)`, `len(x)` and a few more go through `pdspec.lang.hooks`, which does what Python does on plain
values. Line numbers stay, so spans and tracebacks need no map. Compiled with `optimize=0`: `-O` changes no verdict.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

from pdspec.errors import SpecError
from pdspec.source import SourceSpan

HOOKS = "__pdspec__"
_CALLS = {
    "type": "type_",
    "id": "id_",
    "len": "len_",
    "isinstance": "isinstance_",
    "max": "max_",
    "min": "min_",
    "iter": "iter_",
    "list": "list_",
    "tuple": "tuple_",
}
_COMPARES: dict[type[ast.cmpop], str] = {ast.Is: "is_", ast.IsNot: "is_not", ast.In: "in_", ast.NotIn: "not_in"}
_LOGGERS = frozenset(("logger", "logging", "log", "LOG", "LOGGER", "_logger"))
_LEVELS = frozenset(("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"))


def compile_module(source: str | bytes, file: str) -> types.CodeType:
    """The code of a module, rewritten. SpecError PD101 for what is not Python, PD104 for what no step may do."""
    try:
        tree = ast.parse(source, file)
    except SyntaxError as error:
        span = SourceSpan(file, error.lineno or 1)
        raise SpecError("PD101", f"not Python: {error.msg}", span=span) from None
    except ValueError as error:
        raise SpecError("PD101", f"not Python: {error}", span=SourceSpan(file, 1)) from None
    return compile(rewrite(tree, file), file, "exec", dont_inherit=True, optimize=0)


def rewrite(tree: ast.Module, file: str) -> ast.Module:
    """The same module with its questions asked through the hooks."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        if isinstance(node, ast.FunctionDef):
            bound.update(argument.arg for argument in (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            _refuse_outside_effects(node, file)
    rewritten = _Rewriter(frozenset(bound)).visit(tree)
    assert isinstance(rewritten, ast.Module)
    return ast.fix_missing_locations(rewritten)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, bound: frozenset[str]) -> None:
        self._bound = bound

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if not any(type(op) in _COMPARES for op in node.ops):
            return node
        if len(node.ops) == 1:
            return _at(node, _hook(_COMPARES[type(node.ops[0])], [node.left, node.comparators[0]]))
        # A chain: each operand is evaluated once, and only as long as the comparisons before it were true.
        links: list[ast.expr] = []
        for op, operand in zip(node.ops, node.comparators, strict=True):
            name = ast.Constant(_COMPARES.get(type(op), type(op).__name__))
            links.append(ast.Tuple([name, _lambda(operand)], ast.Load()))
        return _at(node, _hook("chain", [node.left, *links]))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        callee = node.func
        if isinstance(callee, ast.Name):
            hook = _CALLS.get(callee.id)
            if (
                hook
                and callee.id not in self._bound
                and not (callee.id in ("type", "len", "id") and len(node.args) != 1)
            ):
                node.func = _at(callee, _hook_name(hook))
                return node
        known = isinstance(callee, ast.Name) and callee.id in _SAFE_CALLEES
        on_self = isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) and callee.value.id == "self"
        if not known and not on_self:
            node.func = _at(callee, _hook("callee", [callee]))
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and is_logging(call.func):
            # Formatting would fork on every value; the arguments are still evaluated, for what they may do.
            arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
            texts = [part for argument in arguments for part in _evaluated(argument)]
            node.value = _at(call, _hook("log", [self.visit(argument) for argument in texts]))
            return node
        self.generic_visit(node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = _each(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = _each(node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.copy_location(ast.Expr(_at(node, _hook("loop", [ast.Constant(node.lineno)]))), node))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        _name_choice(node.targets[0] if len(node.targets) == 1 else None, node.value)
        if len(node.targets) == 1 and (through := _through(node.targets[0])):
            base, steps = through
            return ast.copy_location(ast.Expr(_at(node, _hook("assign", [node.value, base, *steps]))), node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
            _name_choice(node.target, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if through := _through(node.target):
            base, steps = through
            operator = ast.Constant(type(node.op).__name__)
            call = _hook("assign_operated", [operator, _lambda(node.value), base, *steps])
            return ast.copy_location(ast.Expr(_at(node, call)), node)
        return node

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.AST:
        # `case True` asks by identity, which no unknown value has; a value pattern is compared. None is known before.
        if node.value is None:
            return node
        name = _hook_name("TRUE" if node.value else "FALSE")
        return ast.copy_location(ast.MatchValue(_at(node, name)), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        # Annotations are left alone: they are not run by steps.
        node.body = [part for statement in node.body for part in _listed(self.visit(statement))]
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.args.kw_defaults = [default and self.visit(default) for default in node.args.kw_defaults]
        return node


_SAFE_CALLEES = frozenset(
    [
        "require",
        "choose",
        "any_of",
        "replace",
        "range",
        "list",
        "dict",
        "set",
        "tuple",
        "sorted",
        "sum",
        "any",
        "all",
        "enumerate",
        "zip",
        "reversed",
        "bool",
        "int",
        "str",
        "frozenset",
        "super",
        "print",
        "abs",
        "round",
        "divmod",
        "next",
        "map",
        "filter",
        "repr",
        "hash",
        "getattr",
        "hasattr",
    ]
)


def _listed(result: ast.AST | list[ast.stmt] | None) -> Sequence[ast.stmt]:
    return () if result is None else result if isinstance(result, list) else [result]  # type: ignore[list-item]


def _hook_name(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name(HOOKS, ast.Load()), name, ast.Load())


def _hook(name: str, arguments: Sequence[ast.expr]) -> ast.Call:
    return ast.Call(_hook_name(name), list(arguments), [])


def _lambda(body: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def _at(place: ast.AST, node: ast.expr) -> ast.expr:
    """`node` and its new parts on the lines of `place`."""
    for part in ast.walk(node):
        if not hasattr(part, "lineno") and isinstance(part, ast.expr):
            ast.copy_location(part, place)
    return node


def _each(collection: ast.expr) -> ast.expr:
    """What a loop goes through, unless it is plainly a range or a display."""
    callee = collection.func if isinstance(collection, ast.Call) else None
    if isinstance(callee, ast.Name) and callee.id in ("range", "enumerate", "zip", "sorted", "reversed"):
        return collection
    return collection if isinstance(collection, ast.Tuple | ast.List) else _at(collection, _hook("each", [collection]))


def is_logging(callee: ast.expr) -> bool:
    """Whether a call of `callee` writes a log line: `logger.info`, `self.logger.warning`, `logging.debug`."""
    if not isinstance(callee, ast.Attribute) or callee.attr not in _LEVELS:
        return False
    owner = callee.value
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name | ast.Attribute):
        # logging.getLogger(...).info(...)
        called = owner.func
        return (called.id if isinstance(called, ast.Name) else called.attr) in ("getLogger", "get_logger")
    name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
    return name in _LOGGERS


def _evaluated(argument: ast.expr) -> list[ast.expr]:
    """What evaluating a log argument may do: an f-string's parts without the formatting."""
    if isinstance(argument, ast.JoinedStr):
        return [part.value for part in argument.values if isinstance(part, ast.FormattedValue)]
    if isinstance(argument, ast.Starred):
        return [argument.value]
    return [argument]


def _name_choice(target: ast.expr | None, value: ast.expr) -> None:
    """`peer = choose(...)` shows as `peer` in traces."""
    if (
        not isinstance(value, ast.Call)
        or not isinstance(value.func, ast.Name)
        or value.func.id not in ("choose", "any_of")
    ):
        return
    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else None
    if name and not any(keyword.arg == "name" for keyword in value.keywords):
        value.keywords.append(ast.keyword("name", _at(value, ast.Constant(name))))


def _through(target: ast.expr) -> tuple[ast.expr, list[ast.expr]] | None:
    """For `base.a[k].field` the base and the steps to the field; None for a plain name or `name.field`."""
    if not isinstance(target, ast.Attribute) or isinstance(target.value, ast.Name):
        return None
    steps: list[ast.expr] = []
    node: ast.expr = target
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            steps.append(ast.Tuple([ast.Constant("attribute"), ast.Constant(node.attr)], ast.Load()))
        else:
            steps.append(ast.Tuple([ast.Constant("item"), node.slice], ast.Load()))
        node = node.value
    return node, steps[::-1]


def _refuse_outside_effects(cls: ast.ClassDef, file: str) -> None:
    """Refuses methods that assign to globals, classes or modules: such a step would not repeat."""
    for method in cls.body:
        if not isinstance(method, ast.FunctionDef):
            continue
        local = {argument.arg for argument in (*method.args.args, *method.args.kwonlyargs, *method.args.posonlyargs)}
        for node in ast.walk(method):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                local.add(node.id)
            if isinstance(node, ast.FunctionDef | ast.Lambda):
                local.update(
                    argument.arg for argument in (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs)
                )
            if isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name:
                local.add(node.name)
        for node in ast.walk(method):
            span = SourceSpan(file, getattr(node, "lineno", method.lineno))
            if isinstance(node, ast.Global):
                raise SpecError(
                    "PD104", f"`global` in {cls.name}.{method.name}: {_OUTSIDE}", span=span, hint=_OUTSIDE_HINT
                )
            if not isinstance(node, ast.Attribute | ast.Subscript) or isinstance(node.ctx, ast.Load):
                continue
            base: ast.expr = node
            while isinstance(base, ast.Attribute | ast.Subscript):
                base = base.value
            past = any(
                isinstance(part, ast.Attribute) and part.attr in ("__class__", "__dict__") for part in ast.walk(node)
            )
            if past or _reaches_outside(base) or (isinstance(base, ast.Name) and base.id not in local):
                message = f"{cls.name}.{method.name} assigns to {ast.unparse(node)}: {_OUTSIDE}"
                raise SpecError("PD104", message, span=span, hint=_OUTSIDE_HINT)


def _reaches_outside(base: ast.expr) -> bool:
    callee = base.func if isinstance(base, ast.Call) else None
    return isinstance(callee, ast.Name) and callee.id in ("type", "vars", "globals", "locals")


_OUTSIDE = "a step changes the variables of the spec only"
_OUTSIDE_HINT = "declare a variable in state() and use self.variable"
