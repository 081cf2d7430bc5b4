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
    "hash": "hash_",
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
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            _refuse_outside_effects(node, file)
    rewritten = _Rewriter(_bound_in(tree.body)).visit(tree)
    assert isinstance(rewritten, ast.Module)
    return ast.fix_missing_locations(rewritten)


def _bound_in(body: Sequence[ast.stmt | ast.expr]) -> frozenset[str]:
    """The names that these statements bind, without those of functions and classes inside them."""
    bound: set[str] = set()
    left: list[ast.AST] = list(body)
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            bound.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
        left.extend(ast.iter_child_nodes(node))
    return frozenset(bound)


def _arguments(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return frozenset(each.arg for each in named if each is not None)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, bound: frozenset[str]) -> None:
        self._scopes = [bound]
        self._temporaries = 0
        self._in_iterable = False

    def _is_builtin(self, name: str) -> bool:
        return not any(name in scope for scope in self._scopes)

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"__pdspec_{self._temporaries}__"

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if not any(type(op) in _COMPARES for op in node.ops):
            return node
        if len(node.ops) == 1:
            return _at(node, _compared(node.ops[0], node.left, node.comparators[0]))
        if self._in_iterable:
            return _at(node, self._chain_of_functions(node))
        # A chain: each operand is evaluated once, and only as long as the comparisons before it were true.
        links: list[ast.expr] = []
        left = node.left
        for number, (op, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if number < len(node.ops) - 1:
                name = self._temporary()
                links.append(_compared(op, left, ast.NamedExpr(ast.Name(name, ast.Store()), operand)))
                left = ast.Name(name, ast.Load())
            else:
                links.append(_compared(op, left, operand))
        return _at(node, ast.BoolOp(ast.And(), links))

    def _chain_of_functions(self, node: ast.Compare) -> ast.expr:
        """Where Python allows no `:=`, in what a comprehension goes through, and so none in the operands either."""
        links: list[ast.expr] = []
        for op, operand in zip(node.ops, node.comparators, strict=True):
            name = ast.Constant(_COMPARES.get(type(op), type(op).__name__))
            links.append(ast.Tuple([name, _lambda(operand)], ast.Load()))
        return _hook("chain", [node.left, *links])

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._scopes.append(_arguments(node))
        self.generic_visit(node)
        self._scopes.pop()
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in _PASSED_ON and self._is_builtin(node.id):
            return _at(node, _hook_name(_CALLS[node.id]))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in _PASSED_ON:
            return node
        self.generic_visit(node)
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = _each(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        callee = node.func
        name = callee.id if isinstance(callee, ast.Name) and self._is_builtin(callee.id) else None
        if name == "isinstance" and len(node.args) == 2:
            # `isinstance(x, type)` means the class.
            node.args[0] = self.visit(node.args[0])
            return _at(node, _hook("isinstance_", node.args))
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        for keyword in node.keywords:
            if keyword.arg == "key":
                keyword.value = _at(keyword.value, _hook("callee", [keyword.value]))
        if name in ("map", "filter") and node.args:
            node.args[0] = _at(node.args[0], _hook("callee", [node.args[0]]))
        if name in _GOING_THROUGH:
            node.args = [argument if isinstance(argument, ast.Starred) else _each(argument) for argument in node.args]
        if name in _CALLS and not (name in ("type", "len", "id", "hash") and len(node.args) != 1):
            node.func = _at(callee, _hook_name(_CALLS[name]))
            return node
        node.func = self.visit(callee)
        on_self = isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) and callee.value.id == "self"
        if name not in _SAFE_CALLEES and not on_self:
            node.func = _at(callee, _hook("callee", [node.func]))
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
        node.body.insert(0, self._round(node))
        return node

    def _round(self, node: ast.For | ast.While) -> ast.stmt:
        return ast.copy_location(ast.Expr(_at(node, _hook("loop", [ast.Constant(node.lineno)]))), node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        outer, self._in_iterable = self._in_iterable, True
        node.iter = _each(self.visit(node.iter))
        self._in_iterable = outer
        node.target = self.visit(node.target)
        node.ifs = [self.visit(condition) for condition in node.ifs]
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, self._round(node))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        _name_choice(node.targets[0] if len(node.targets) == 1 else None, node.value)
        if any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
            node.value = _each(node.value)
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

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        through = _through(node.target)
        if through is None:
            return node
        base, steps = through
        name = self._temporary()
        read = ast.Assign([ast.Name(name, ast.Store())], _hook("target", [base, *steps]))
        operate = ast.Attribute(ast.Name(name, ast.Load()), "operate", ast.Load())
        store = ast.Expr(ast.Call(operate, [ast.Constant(type(node.op).__name__), node.value], []))
        return [ast.fix_missing_locations(ast.copy_location(each, node)) for each in (read, store)]

    def visit_Match(self, node: ast.Match) -> ast.AST:
        self.generic_visit(node)
        node.subject = _at(node.subject, _hook("subject", [node.subject]))
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        self.generic_visit(node)
        if node.exc is not None:
            node.exc = _at(node.exc, _hook("subject", [node.exc]))
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        if node.type is not None:
            node.type = _at(node.type, _hook("subject", [node.type]))
        return node

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.AST:
        # `case True` asks by identity, which no unknown value has; a value pattern is compared. None is known before.
        if node.value is None:
            return node
        name = _hook_name("TRUE" if node.value else "FALSE")
        return ast.copy_location(ast.MatchValue(_at(node, name)), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        # Annotations are left alone: they are not run by steps.
        self._scopes.append(_arguments(node) | _bound_in(node.body))
        node.body = [part for statement in node.body for part in _listed(self.visit(statement))]
        if node.name in _EXACT:
            _give_plain_values(node)
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.args.kw_defaults = [default and self.visit(default) for default in node.args.kw_defaults]
        self._scopes.pop()
        return node


# Python takes an answer of the exact type only from these.
_EXACT = frozenset(
    ["__bool__", "__float__", "__format__", "__hash__", "__index__", "__int__", "__len__", "__repr__", "__str__"]
)

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
        "getattr",
        "hasattr",
    ]
)


# Builtins that code may pass on instead of calling them.
_PASSED_ON = frozenset(("type", "id", "hash"))
# Builtins that go through what they are given, in its order.
_GOING_THROUGH = frozenset(
    ("enumerate", "sorted", "zip", "map", "filter", "reversed", "dict", "next", "sum", "any", "all")
)


def _compared(op: ast.cmpop, left: ast.expr, right: ast.expr) -> ast.expr:
    hook = _COMPARES.get(type(op))
    return ast.Compare(left, [op], [right]) if hook is None else _hook(hook, [left, right])


def _listed(result: ast.AST | list[ast.stmt] | None) -> Sequence[ast.stmt]:
    return () if result is None else result if isinstance(result, list) else [result]  # type: ignore[list-item]


def _hook_name(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name(HOOKS, ast.Load()), name, ast.Load())


def _hook(name: str, arguments: Sequence[ast.expr]) -> ast.Call:
    return ast.Call(_hook_name(name), list(arguments), [])


def _lambda(body: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def _give_plain_values(function: ast.FunctionDef) -> None:
    """Has the function return the values that the path picks."""
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Return) and node.value is not None:
            node.value = _at(node.value, _hook("plain", [node.value]))
        left.extend(ast.iter_child_nodes(node))


def _at(place: ast.AST, node: ast.expr) -> ast.expr:
    """`node` and its new parts on the lines of `place`."""
    for part in ast.walk(node):
        if not hasattr(part, "lineno") and isinstance(part, ast.expr):
            ast.copy_location(part, place)
            # Python would give a call through an attribute of several lines the last of them.
            part.end_lineno, part.end_col_offset = part.lineno, part.col_offset
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
