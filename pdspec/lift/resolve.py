"""What a name means across the files of a source folder, and the classes that a class inherits from, in Python's order.

A name is followed through assignments, imports, renames and re-exports until it reaches a definition or leaves the
folder. A base class outside the folder stays in the order as an `UnknownBase`: what comes behind it cannot be told.
The order is C3 (Barrett et al., "A monotonic superclass linearization for Dylan", 1996), as in Python.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import assert_never

from pdspec.errors import SpecError, did_you_mean
from pdspec.lift.bindings import Assigned, Binding, Class, Function, Import, Opaque, Possible, names_of
from pdspec.lift.meaning import (
    Ancestor,
    ClassRef,
    ConstantRef,
    FunctionRef,
    Meaning,
    Module,
    ModuleRef,
    Outside,
    SourceTree,
    Unbound,
    Undecided,
    UnknownBase,
)

Seen = frozenset[tuple[str, str]]


def resolve(tree: SourceTree, module: Module, dotted: str, seen: Seen = frozenset()) -> Meaning:
    """What `dotted` (`max`, `KVPoll`, `conn.Manager`, `KVPoll.Failed`) means at the end of `module`."""
    return _dotted(tree, module, dotted, module.names.bound, seen)


def _dotted(tree: SourceTree, module: Module, dotted: str, bound: dict[str, Possible], seen: Seen) -> Meaning:
    first, *attributes = dotted.split(".")
    found = _global(tree, module, first, bound, seen)
    if isinstance(found, Unbound) and hasattr(builtins, first):
        found = Outside(f"builtins.{first}")
    for attribute in attributes:
        found = member(tree, found, attribute, seen)
    return found


def member(tree: SourceTree, owner: Meaning, name: str, seen: Seen = frozenset()) -> Meaning:
    """What `owner.name` means."""
    match owner:
        case ModuleRef(dotted, file):
            inside = _export(tree, file, name, seen) if file else Outside(f"{dotted}.{name}")
            # A package's own binding hides its submodule of that name.
            hidden = file is not None and not isinstance(inside, Unbound)
            return inside if hidden else tree.locate(f"{dotted}.{name}") or inside
        case Outside(dotted):
            return Outside(f"{dotted}.{name}")
        case ClassRef():
            return _class_attribute(owner, name, seen)
        case FunctionRef() | ConstantRef():
            return Undecided(f"{owner.name}.{name}", owner.file, (owner.line,), f"is an attribute of `{owner.name}`")
        case Undecided() | Unbound():
            return owner
        case _:
            assert_never(owner)


def linearize(cls: ClassRef, below: tuple[ClassRef, ...] = ()) -> tuple[Ancestor, ...]:
    """`cls` and everything that it inherits from, in the order of lookup, without `object`.

    Raises SpecError PD407 where Python would refuse the class: it inherits from itself, or no order fits its bases.
    """
    if cls in below:
        chain = " -> ".join(one.name for one in (*below[below.index(cls) :], cls))
        raise SpecError("PD407", f"class {cls.name} inherits from itself: {chain}", span=cls.module.span(cls.line))
    bases = [base for base in (_base(cls, expression) for expression in cls.node.bases) if base is not None]
    orders = [linearize(base, (*below, cls)) if isinstance(base, ClassRef) else (base,) for base in bases]
    merged = _merge([*orders, tuple(bases)])
    if merged is None:
        names = ", ".join(base.name for base in bases)
        message = f"class {cls.name}: no order of lookup fits its bases ({names}), so Python refuses it too"
        raise SpecError("PD407", message, span=cls.module.span(cls.line))
    return (cls, *merged)


def own(cls: ClassRef, name: str) -> Possible:
    """What the class itself binds `name` to, without its bases; empty where it does not bind it.

    A private name is asked for in its mangled form, `_Class__name`.
    """
    assigned = cls.module.names.bound.get(f"{cls.name}.{name}", (None,))
    if None not in assigned:
        return assigned
    bound = names_of(cls.node.body, cls.module.package).bound
    prefix = private_name(cls, "__x").removesuffix("__x")
    possible = bound.get(name) or bound.get(name.removeprefix(prefix) if name.startswith(f"{prefix}__") else name, ())
    if assigned == (None,):
        return () if possible == (None,) else possible
    return tuple(dict.fromkeys((*(possible or (None,)), *(one for one in assigned if one is not None))))


def own_names(cls: ClassRef) -> tuple[str, ...]:
    """The names that the class body binds."""
    return tuple(names_of(cls.node.body, cls.module.package).bound)


def private_name(cls: ClassRef, name: str) -> str:
    """The name that Python uses for `name` inside the body of `cls`: `__x` becomes `_Class__x`."""
    bare = cls.node.name.lstrip("_")
    return f"_{bare}{name}" if bare and name.startswith("__") and not name.endswith("__") else name


def dotted_name(expression: ast.expr) -> str | None:
    """`a.b.c` as text, or None for any other expression."""
    match expression:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            owner = dotted_name(value)
            return None if owner is None else f"{owner}.{attribute}"
        case _:
            return None


def _export(tree: SourceTree, file: str, name: str, seen: Seen) -> Meaning:
    module = tree.module(file)
    return _global(tree, module, name, module.names.bound, seen)


def _global(tree: SourceTree, module: Module, name: str, bound: dict[str, Possible], seen: Seen) -> Meaning:
    key = (module.file, name)
    names = module.names
    if key in seen:
        return Unbound(name, module.file)
    seen = seen | {key}
    possible = bound.get(name)
    last = max((one.line for one in possible or () if one is not None), default=0)
    for star in reversed([star for star in names.stars if star.line > last]):
        source = tree.locate(star.module)
        if source is not None and source.file is not None and _exports(tree.module(source.file), name):
            found = _export(tree, source.file, name, seen)
            if not isinstance(found, Unbound):
                return found
        elif source is None and possible is None:
            return Undecided(name, module.file, (star.line,), f"may come from `from {star.module} import *`")
    possible = possible or names.type_only.get(name)
    if possible is None:
        return Unbound(name, module.file, tuple(one for one in bound if "." not in one))
    return _settle(tree, module, None, name, possible, seen)


def _settle(
    tree: SourceTree, module: Module, owner: ClassRef | None, name: str, possible: Possible, seen: Seen
) -> Meaning:
    meanings = [_one(tree, module, owner, name, binding, seen) for binding in possible]
    for binding, meaning in zip(possible, meanings, strict=True):
        # `try: from x import y` with a substitute: where the folder has x.y, that is what the import finds.
        if isinstance(binding, Import) and binding.guarded and not isinstance(meaning, Outside | Unbound | Undecided):
            return meaning
    if all(meaning == meanings[0] for meaning in meanings):
        return meanings[0]
    lines = tuple(sorted(binding.line for binding in possible if binding is not None))
    return Undecided(name, module.file, lines, "depends on a condition")


def _one(
    tree: SourceTree, module: Module, owner: ClassRef | None, name: str, binding: Binding | None, seen: Seen
) -> Meaning:
    qualified = name if owner is None else f"{owner.name}.{name}"
    match binding:
        case Function(node):
            return FunctionRef(module.file, qualified, binding.line, node, module, owner)
        case Class(node, before):
            return ClassRef(module.file, qualified, binding.line, node, module, tree, owner, before)
        case Import(dotted, imported):
            source = tree.locate(dotted) or Outside(dotted)
            return source if imported is None else member(tree, source, imported, seen)
        case Assigned(value, line):
            alias = dotted_name(value)
            meaning = resolve(tree, module, alias, seen) if alias is not None else None
            if meaning is None or isinstance(meaning, Unbound | Undecided):
                rebound = module.declared_global.get(name) if owner is None else None
                return ConstantRef(module.file, qualified, line, value, module, rebound)
            return meaning
        case Opaque(line):
            return Undecided(
                qualified, module.file, (line,), "is bound by a loop, an unpacking or an augmented assignment"
            )
        case None:
            return Unbound(qualified, module.file)
        case _:
            assert_never(binding)


def _exports(module: Module, name: str) -> bool:
    match module.names.bound.get("__all__"):
        case (Assigned(ast.List(elts=names) | ast.Tuple(elts=names)),):
            return any(isinstance(one, ast.Constant) and one.value == name for one in names)
        case _:
            return not name.startswith("_")


def _class_attribute(cls: ClassRef, name: str, seen: Seen) -> Meaning:
    for ancestor in linearize(cls):
        if isinstance(ancestor, UnknownBase):
            why = f"may be inherited from `{ancestor.name}`, which {ancestor.why}"
            return Undecided(f"{cls.name}.{name}", cls.file, (ancestor.span.line,), why)
        possible = own(ancestor, name)
        if possible:
            return _settle(cls.tree, ancestor.module, ancestor, name, possible, seen)
    return Unbound(f"{cls.name}.{name}", cls.file, own_names(cls))


def _base(cls: ClassRef, expression: ast.expr) -> Ancestor | None:
    span = cls.module.span(expression.lineno)
    while isinstance(expression, ast.Subscript):
        expression = expression.value
    name = dotted_name(expression)
    if name is None:
        return UnknownBase(f"{ast.unparse(expression)} at {span}", "is computed when the class is made", span)
    meaning = _in_scope(cls, name)
    match meaning:
        case ClassRef():
            return meaning
        case Outside("builtins.object"):
            return None
        case Outside(dotted):
            return UnknownBase(dotted, "is not in the source folder", span)
        case Undecided(_, file, lines, why):
            places = " and ".join(str(line) for line in lines)
            return UnknownBase(name, f"{why} ({file}, line{'s'[: len(lines) - 1]} {places})", span)
        case Unbound(missing, file, possible):
            return UnknownBase(name, f"is not defined in {file}{did_you_mean(missing, possible)}", span)
        case FunctionRef(file, _, line) | ConstantRef(file, _, line):
            return UnknownBase(name, f"is not a class statement ({file}, line {line})", span)
        case ModuleRef():
            return UnknownBase(name, "is a module", span)


def _in_scope(cls: ClassRef, dotted: str) -> Meaning:
    """What a name in the bases of `cls` means: the body around a nested class is asked before the module."""
    first, *attributes = dotted.split(".")
    outermost = cls
    while outermost.outer is not None:
        outermost = outermost.outer
    if cls.outer is None or first not in cls.before:
        return _dotted(cls.tree, cls.module, dotted, outermost.before, frozenset())
    found = _settle(cls.tree, cls.module, cls.outer, first, cls.before[first], frozenset())
    for attribute in attributes:
        found = member(cls.tree, found, attribute)
    return found


def _merge(orders: Sequence[tuple[Ancestor, ...]]) -> tuple[Ancestor, ...] | None:
    remaining = [list(order) for order in orders if order]
    merged: list[Ancestor] = []
    while remaining:
        heads = (order[0] for order in remaining)
        head = next((one for one in heads if not any(one in order[1:] for order in remaining)), None)
        if head is None:
            return None
        merged.append(head)
        remaining = [rest for rest in ([one for one in order if one != head] for order in remaining) if rest]
    return tuple(merged)
