"""Find a function of the connector in its source, as Python would find it, without importing anything.

A reference is `FILE::NAME`: a file relative to the source folder and a qualified name in it, such as
`sglang/srt/disaggregation/nixl/conn.py::NixlKVManager.update_status`. The method is looked up through the base classes
in Python's order, across files, so one reference stays good while releases move the method up and down the class chain.

What surprises: a base class that is not in the folder is passed over only if it can hold no such method (`abc.ABC`,
`typing.Generic`). Behind any other one, nothing is found: that base may define the method, and the folder cannot tell.
A class decorator is taken to leave the methods of its class alone.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, assert_never

from pdspec.errors import SpecError, did_you_mean
from pdspec.lift.bindings import Function, FunctionNode, Possible
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
from pdspec.lift.resolve import dotted_name, linearize, member, own, own_names, private_name, resolve
from pdspec.source import SourceSpan

HARMLESS_DECORATORS = frozenset(
    {
        "abc.abstractmethod",
        "builtins.classmethod",
        "builtins.staticmethod",
        "typing.final",
        "typing.no_type_check",
        "typing.override",
        "typing_extensions.final",
        "typing_extensions.override",
    }
)
# Bases that add no method of their own to look for, beside what every object has.
TRANSPARENT_BASES = frozenset({"abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"})

Kind = Literal["function", "method", "class method", "static method"]


@dataclass(frozen=True, slots=True)
class FoundFunction:
    """A function of the source folder, where it was found and through which classes.

    `owner` is the class that was asked, `defining` the one whose body has it; both are None for a function of a module.
    `node` is the original syntax tree, with true line numbers. `mro` is the owner's order of lookup.
    """

    reference: str
    owner: ClassRef | None
    defining: ClassRef | None
    mro: tuple[Ancestor, ...] = field(repr=False)
    decorators: tuple[str, ...]
    node: ast.FunctionDef = field(compare=False, repr=False)
    module: Module = field(compare=False, repr=False)
    tree: SourceTree = field(compare=False, repr=False)

    @property
    def file(self) -> str:
        """The file that has the `def`, relative to the source folder."""
        return self.module.file

    @property
    def path(self) -> Path:
        """The file that has the `def`."""
        return self.module.path

    @property
    def span(self) -> SourceSpan:
        """The line of the `def`, in the file as it can be opened."""
        return self.module.span(self.node.lineno)

    @property
    def kind(self) -> Kind:
        """How Python calls it: what, if anything, is passed first."""
        if self.defining is None:
            return "function"
        if "builtins.staticmethod" in self.decorators or self.node.name == "__new__":
            return "static method"
        if "builtins.classmethod" in self.decorators or self.node.name in ("__init_subclass__", "__class_getitem__"):
            return "class method"
        return "method"

    def meaning(self, name: str) -> Meaning:
        """What a global name of this function means, `max` or `KVPoll.Failed`. Locals are the caller's business."""
        return resolve(self.tree, self.module, name)


def find_function(
    source: Path | SourceTree, reference: str, *, decorators: Collection[str] | None = HARMLESS_DECORATORS
) -> FoundFunction:
    """The function or method that `reference` names. A SourceTree keeps the files that it parsed for later calls.

    `decorators` are the full names of those that it may have; None admits any, for a caller that only reads the code.
    Raises SpecError: PD401 no such folder or file; PD402 no such class or function, or something else by that name;
    PD403 another decorator; PD404 a file that cannot be parsed; PD407 the text does not tell which definition is meant.
    """
    tree = source if isinstance(source, SourceTree) else SourceTree(source)
    file, names = _parts(reference)
    module = _module(tree, file)
    found: Meaning = resolve(tree, module, names[0])
    if isinstance(found, Outside) and found.dotted == f"builtins.{names[0]}":
        found = member(tree, ModuleRef(module.dotted, file), names[0])
    for index, name in enumerate(names[1:], 1):
        if not isinstance(found, ClassRef):
            break
        if index == len(names) - 1:
            return _method(found, name, reference, decorators)
        found = member(tree, found, name)
    if isinstance(found, FunctionRef) and found.owner is None and len(names) == 1:
        node = _plain(found.node, found.module)
        return _checked(FoundFunction(reference, None, None, (), (), node, found.module, tree), decorators)
    raise _not_found(tree, module, ".".join(names), found)


def find_method(
    owner: ClassRef, name: str, *, decorators: Collection[str] | None = HARMLESS_DECORATORS
) -> FoundFunction:
    """The method that `self.name` calls on an object of class `owner`. Raises SpecError as `find_function` does.

    A private name is that of `owner` itself; give it mangled (`private_name`) to ask for another class's.
    """
    return _method(owner, name, f"{owner.file}::{owner.name}.{name}", decorators)


def find_super(
    found: FoundFunction, name: str, *, decorators: Collection[str] | None = HARMLESS_DECORATORS
) -> FoundFunction:
    """The method that `super().name` calls inside `found`, on an object of the class that was asked for `found`.

    Raises SpecError as `find_function` does, and PD402 where `found` is not a method.
    """
    if found.owner is None or found.defining is None:
        raise SpecError("PD402", f"`super()` in {found.node.name}, which is not a method", span=found.span)
    reference = f"{found.owner.file}::{found.owner.name}.{name}"
    return _method(found.owner, name, reference, decorators, after=found.defining)


def _parts(reference: str) -> tuple[str, list[str]]:
    file, separator, qualified = reference.partition("::")
    names = qualified.split(".")
    if separator and file and all(name.isidentifier() for name in names):
        return file, names
    hint = "write FILE::NAME with a file relative to the source folder, as in 'pkg/conn.py::Manager.update_status'"
    raise SpecError("PD402", f"'{reference}' is not a reference to a function", hint=hint)


def _module(tree: SourceTree, file: str) -> Module:
    root = tree.root
    if not root.is_dir():
        what = "is a file" if root.exists() else "does not exist"
        raise SpecError("PD401", f"the source folder {root} {what}", hint="name the folder that holds the package")
    parts = file.split("/")
    if file.startswith("/") or any(part in ("", ".", "..") for part in parts):
        message = f"'{file}' is not a file relative to the source folder {root}"
        raise SpecError("PD401", message, hint="write it as it would be imported from there: 'pkg/module.py'")
    if (root / file).is_file():
        return tree.module(file)
    here, depth = root, 0
    while (here / parts[depth]).is_dir() and depth < len(parts) - 1:
        here, depth = here / parts[depth], depth + 1
    there = sorted(
        one.name for one in here.iterdir() if one.suffix == ".py" or (one.is_dir() and one.name[0] not in "._")
    )
    listed = ", ".join(there[:12]) + (", ..." if len(there) > 12 else "") if there else "no Python file"
    message = f"no file '{file}' in {root}: {here} has no '{parts[depth]}'{did_you_mean(parts[depth], there)}"
    raise SpecError("PD401", message, hint=_other_root(root, file) or f"{here} has: {listed}")


def _other_root(root: Path, file: str) -> str | None:
    around = [*root.resolve().parents][:4]
    for folder in (*around, *sorted(one for one in root.iterdir() if one.is_dir())):
        if (folder / file).is_file():
            return f"the file exists in {folder}: give that as the source folder"
    return None


def _method(
    owner: ClassRef, name: str, reference: str, decorators: Collection[str] | None, after: ClassRef | None = None
) -> FoundFunction:
    mro = linearize(owner)
    sought = private_name(owner, name)
    unknown: list[UnknownBase] = []
    for ancestor in mro[mro.index(after) + 1 :] if after else mro:
        if isinstance(ancestor, UnknownBase):
            if ancestor.name not in TRANSPARENT_BASES:
                unknown.append(ancestor)
            continue
        possible = own(ancestor, sought)
        if possible and unknown:
            raise _hidden(owner, name, unknown, f"{ancestor.name} has it, but only behind")
        if possible:
            node = _plain(_only_function(ancestor, name, possible), ancestor.module)
            found = FoundFunction(reference, owner, ancestor, mro, (), node, ancestor.module, owner.tree)
            return _checked(found, decorators)
    if unknown:
        raise _hidden(owner, name, unknown, "no class of the folder has it, but it may come from")
    known = [ancestor for ancestor in mro if isinstance(ancestor, ClassRef)]
    possible_names = sorted({one for ancestor in known for one in own_names(ancestor)})
    where = (
        f"neither it nor its bases ({', '.join(one.name for one in known[1:])})" if known[1:] else "it has no bases and"
    )
    behind = f" after {after.name}" if after else ""
    message = (
        f"class {owner.name} has no method '{name}'{behind}: {where} define it{did_you_mean(name, possible_names)}"
    )
    raise SpecError("PD402", message, span=owner.module.span(owner.line))


def _hidden(owner: ClassRef, name: str, unknown: list[UnknownBase], how: str) -> SpecError:
    bases = " and ".join(f"`{base.name}`, which {base.why}" for base in unknown)
    message = f"cannot tell which '{name}' class {owner.name} has: {how} {bases}"
    hint = "add the missing file to the source folder, or name a class whose chain does not pass through it"
    return SpecError("PD407", message, span=unknown[0].span, hint=hint)


def _only_function(cls: ClassRef, name: str, possible: Possible) -> FunctionNode:
    match possible:
        case (Function(node),):
            return node
        case (one,) if one is not None:
            message = f"'{name}' of class {cls.name} is not defined by `def`, so there is no body to read"
            hint = "name the function that it stands for, by the file and class that define it"
            raise SpecError("PD402", message, span=cls.module.span(one.line), hint=hint)
        case _:
            lines = sorted(one.line for one in possible if one is not None)
            raise _conditional(f"'{name}' of class {cls.name}", cls.module, tuple(lines))


def _conditional(what: str, module: Module, lines: tuple[int, ...]) -> SpecError:
    where = f"lines {' and '.join(map(str, lines))}" if len(lines) > 1 else f"line {lines[0]}, or not at all"
    message = f"{what} depends on a condition: it is bound at {where}, and the text does not tell which holds"
    return SpecError(
        "PD407", message, span=module.span(lines[0]), hint="name a definition that stands under no condition"
    )


def _plain(node: FunctionNode, module: Module) -> ast.FunctionDef:
    if isinstance(node, ast.FunctionDef):
        return node
    message = f"'{node.name}' is `async def`; only a plain `def` can be read"
    raise SpecError("PD402", message, span=module.span(node.lineno), hint="name the plain function that does the work")


def _checked(found: FoundFunction, allowed: Collection[str] | None) -> FoundFunction:
    names = tuple(_decorator(found, expression) for expression in found.node.decorator_list)
    for name, expression in zip(names, found.node.decorator_list, strict=True):
        if allowed is not None and name not in allowed:
            known = ", ".join(sorted(allowed)) or "none"
            message = f"decorator `{name}` of '{found.node.name}' may change what the function does"
            span = found.module.span(expression.lineno)
            raise SpecError("PD403", message, span=span, hint=f"known to be harmless: {known}")
    return FoundFunction(
        found.reference, found.owner, found.defining, found.mro, names, found.node, found.module, found.tree
    )


def _decorator(found: FoundFunction, expression: ast.expr) -> str:
    name = dotted_name(expression.func if isinstance(expression, ast.Call) else expression)
    if name is None:
        return ast.unparse(expression)
    match found.meaning(name):
        case Outside(dotted):
            return dotted
        case FunctionRef(_, qualified, _, _, module) | ClassRef(_, qualified, _, _, module):
            return f"{module.dotted}.{qualified}"
        case _:
            return name


def _not_found(tree: SourceTree, module: Module, name: str, found: Meaning) -> SpecError:
    match found:
        case Unbound(missing, file, possible):
            line, path = 1, tree.root / file
            hint = f"{file} defines: {', '.join(sorted(possible)[:12])}" if possible else None
            message = f"{file} defines no '{missing}'{did_you_mean(missing, possible)}"
            return SpecError("PD402", message, span=SourceSpan(str(path), line), hint=hint)
        case Undecided(missing, file, lines, "depends on a condition"):
            return _conditional(f"'{missing}'", tree.module(file), lines)
        case Undecided(missing, file, lines, why):
            span = tree.module(file).span(lines[0])
            return SpecError("PD407", f"cannot tell what '{missing}' is: it {why}", span=span)
        case Outside(dotted):
            message = f"'{name}' is `{dotted}`, which is not in the source folder {tree.root}"
            return SpecError("PD402", message, span=module.span(1), hint="add its package to the source folder")
        case ClassRef(_, qualified, line, _, where):
            hint = f"add the method: '{qualified}.METHOD'"
            return SpecError("PD402", f"'{name}' is a class, not a function", span=where.span(line), hint=hint)
        case FunctionRef(_, qualified, line, _, where):
            message = f"'{qualified}' is a function, so '{name}' names nothing that can be found"
            return SpecError("PD402", message, span=where.span(line))
        case ConstantRef(_, qualified, line, _, where):
            return SpecError("PD402", f"'{qualified}' is a value, not a class or function", span=where.span(line))
        case ModuleRef(dotted):
            hint = "name the module's own file before the `::`"
            return SpecError("PD402", f"'{name}' is the module {dotted}", span=module.span(1), hint=hint)
        case _:
            assert_never(found)
