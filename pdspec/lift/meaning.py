"""A folder of source as text, and the kinds of thing that a name in it can mean."""

from __future__ import annotations

import ast
import importlib.util
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from pdspec.errors import SpecError
from pdspec.lift.bindings import FunctionNode, Names, Possible, names_of
from pdspec.source import SourceSpan


@dataclass(frozen=True, slots=True)
class Module:
    """One parsed file: `file` is relative to the source folder, `package` is what relative imports start from."""

    path: Path
    file: str
    dotted: str
    package: str
    tree: ast.Module = field(compare=False, repr=False)
    names: Names = field(compare=False, repr=False)
    declared_global: dict[str, int] = field(compare=False, repr=False)

    def span(self, line: int) -> SourceSpan:
        return SourceSpan(str(self.path), line)


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A folder of Python source. Each file is parsed when it is first needed and kept."""

    root: Path
    parsed: dict[str, Module] = field(default_factory=dict, compare=False, repr=False)

    def module(self, file: str) -> Module:
        """The parsed file. `file` is relative to the root and exists. Raises SpecError PD404."""
        if file not in self.parsed:
            parts = file.removesuffix(".py").split("/")
            package = parts[:-1]
            dotted = package if parts[-1] == "__init__" else parts
            self.parsed[file] = _parse(self.root / file, file, ".".join(dotted), ".".join(package))
        return self.parsed[file]

    def locate(self, dotted: str) -> ModuleRef | None:
        """The module or package of that name, or None where the folder has none."""
        if not all(part.isidentifier() for part in dotted.split(".")):
            return None
        path = dotted.replace(".", "/")
        for file in (f"{path}/__init__.py", f"{path}.py"):
            if (self.root / file).is_file():
                return ModuleRef(dotted, file)
        return ModuleRef(dotted, None) if (self.root / path).is_dir() else None


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the folder. `name` is qualified: `Outer.Inner`."""

    file: str
    name: str
    line: int
    node: ast.ClassDef = field(compare=False, repr=False)
    module: Module = field(compare=False, repr=False)
    tree: SourceTree = field(compare=False, repr=False)
    outer: ClassRef | None = field(compare=False, repr=False)
    before: dict[str, Possible] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A function of the folder, or a method where `owner` is its class."""

    file: str
    name: str
    line: int
    node: FunctionNode = field(compare=False, repr=False)
    module: Module = field(compare=False, repr=False)
    owner: ClassRef | None = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConstantRef:
    """A name bound to an expression. `rebound_line`: where a function declares it `global`, so that it may change."""

    file: str
    name: str
    line: int
    value: ast.expr = field(compare=False, repr=False)
    module: Module = field(compare=False, repr=False)
    rebound_line: int | None


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the folder; a package without `__init__.py` has no file."""

    dotted: str
    file: str | None


@dataclass(frozen=True, slots=True)
class Outside:
    """Something that is not in the folder, by its full name: `numpy.array`, `builtins.max`."""

    dotted: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """Text alone does not tell; `why` is a clause for a message, `lines` are where the name is bound."""

    name: str
    file: str
    lines: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Unbound:
    """No definition of `name` was found in `file`; `possible` are the names that it does define."""

    name: str
    file: str
    possible: tuple[str, ...] = field(default=(), compare=False, repr=False)


Meaning = ClassRef | FunctionRef | ConstantRef | ModuleRef | Outside | Undecided | Unbound


@dataclass(frozen=True, slots=True)
class UnknownBase:
    """A base class that is not in the folder, or that its text does not name."""

    name: str
    why: str = field(compare=False)
    span: SourceSpan = field(compare=False)


Ancestor = ClassRef | UnknownBase


def _parse(path: Path, file: str, dotted: str, package: str) -> Module:
    """Read one file. Raises SpecError PD404 where it cannot be read, decoded or parsed."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SpecError("PD404", f"cannot read {path}: {error.strerror or error}") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(importlib.util.decode_source(content), str(path))
    except UnicodeDecodeError as error:
        span = SourceSpan(str(path), content.count(b"\n", 0, error.start) + 1)
        message = f"not Python: byte 0x{content[error.start]:02x} is not {error.encoding}"
        raise SpecError("PD404", message, span=span, hint="declare the file's encoding in its first line") from error
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) and error.lineno else 1
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        hint = "pdspec reads a source with the grammar of the Python that runs pdspec; a newer one may be needed"
        raise SpecError("PD404", f"not Python: {reason}", span=SourceSpan(str(path), line), hint=hint) from error
    except (RecursionError, MemoryError) as error:
        raise SpecError("PD404", f"{path} is nested too deeply to be parsed") from error
    nodes = ast.walk(tree) if b"global" in content else ()
    rebound = {name: node.lineno for node in nodes if isinstance(node, ast.Global) for name in node.names}
    return Module(path, file, dotted, package, tree, names_of(tree.body, package), rebound)
