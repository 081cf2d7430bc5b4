"""Loads a spec file: rewritten, with the modules beside it rewritten as well, and finds what it defines."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import traceback
import types
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pdspec.errors import SpecError
from pdspec.lang import hooks
from pdspec.lang.names import check_names
from pdspec.lang.rewrite import HOOKS, compile_module
from pdspec.lang.scenario import Scenario
from pdspec.lang.spec import Spec
from pdspec.source import SourceSpan


@dataclass(frozen=True)
class SpecFile:
    """What a spec file defines: its Spec classes and its scenarios, in the order of the file."""

    path: Path
    module: types.ModuleType
    specs: tuple[type[Spec], ...]
    scenarios: tuple[Scenario, ...]


def load_file(path: str | Path) -> SpecFile:
    """Runs the file and finds its scenarios. SpecError PD101 where it cannot be read or run."""
    file = Path(path)
    if not file.is_file():
        near = sorted(str(other) for other in file.parent.glob("*.py")) if file.parent.is_dir() else []
        hint = f"in {file.parent}: {', '.join(near[:8])}" if near else None
        raise SpecError("PD101", f"no such spec file: {path}", hint=hint)
    module = _execute(file)
    specs = [value for value in vars(module).values() if _is_spec(value, module)]
    scenarios = _scenarios(module)
    if not specs and not scenarios:
        raise SpecError("PD201", f"{path} defines no Spec", hint="class MySpec(Spec): ...")
    if not scenarios:
        scenarios = [Scenario(cls.__name__, cls(), span=SourceSpan(str(file), 1)) for cls in specs]
    names: dict[str, Scenario] = {}
    for scenario in scenarios:
        if scenario.name in names:
            raise SpecError("PD201", f"two scenarios are called {scenario.name!r}", span=scenario.span)
        names[scenario.name] = scenario
    return SpecFile(file, module, tuple(specs), tuple(scenarios))


def _is_spec(value: object, module: types.ModuleType) -> bool:
    return isinstance(value, type) and issubclass(value, Spec) and value.__module__ == module.__name__


def _scenarios(module: types.ModuleType) -> list[Scenario]:
    found: list[Scenario] = []
    for value in vars(module).values():
        for item in value if isinstance(value, list | tuple) else (value,):
            if isinstance(item, Scenario) and not any(item is other for other in found):
                found.append(item)
    return found


def _execute(file: Path) -> types.ModuleType:
    try:
        source = file.read_bytes()
    except OSError as error:
        raise SpecError("PD101", f"cannot read {file}: {error.strerror}") from None
    # Named by the whole path, so that two files of one name do not share what is looked up by the module's name.
    name = f"pdspec_spec_{file.stem.replace('-', '_')}_{zlib.crc32(str(file.resolve()).encode()):08x}"
    _forget_others(file.parent.resolve())
    module = types.ModuleType(name)
    module.__file__ = str(file)
    module.__dict__[HOOKS] = hooks
    code = compile_module(source, str(file))
    sys.modules[name] = module
    finder = _BesideFinder(file.parent.resolve())
    sys.meta_path.insert(0, finder)
    try:
        exec(code, module.__dict__)
        check_names(code, module.__dict__)
    except SpecError as error:
        error.span = error.span or _last_line(error, file)
        raise
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise SpecError("PD101", f"the spec file does not run: {what}", span=_last_line(error, file)) from error
    finally:
        sys.meta_path.remove(finder)
    return module


def _forget_others(folder: Path) -> None:
    """Modules beside another spec file may have the names of those beside this one."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        beside = HOOKS in getattr(module, "__dict__", {}) and not name.startswith("pdspec_spec_")
        if beside and file is not None and Path(file).resolve().parent != folder:
            del sys.modules[name]


def _last_line(error: BaseException, file: Path) -> SourceSpan | None:
    frames = traceback.extract_tb(error.__traceback__)
    folder = file.parent.resolve()
    lines = [
        frame for frame in frames if Path(frame.filename).is_file() and Path(frame.filename).resolve().parent == folder
    ]
    return SourceSpan(lines[-1].filename, lines[-1].lineno or 1) if lines else SourceSpan(str(file), 1)


class _BesideFinder(importlib.abc.MetaPathFinder):
    """Finds modules in the folder of the spec file, and has them rewritten."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        folder = Path(path[0]) if path else self._folder
        if self._folder not in (folder, *folder.parents):
            return None
        last = name.rpartition(".")[2]
        for candidate in (folder / f"{last}.py", folder / last / "__init__.py"):
            if candidate.is_file():
                loader = _RewritingLoader(name, str(candidate))
                return importlib.util.spec_from_file_location(name, candidate, loader=loader)
        return None


class _RewritingLoader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> types.CodeType:
        return compile_module(self.get_data(self.path), self.path)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__[HOOKS] = hooks
        super().exec_module(module)
        check_names(self.get_code(module.__name__), module.__dict__)
