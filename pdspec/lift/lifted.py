"""`lift`: a function of the connector's source, declared as a method of the spec.

What is needed to find and run it (`pdspec.lift.body`) is loaded when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

from pdspec.errors import SpecError
from pdspec.lang.context import choose, refuse
from pdspec.lang.declare import declare
from pdspec.lang.opaque import Opaque
from pdspec.lang.spec import Spec

if TYPE_CHECKING:
    from pdspec.lift.meaning import SourceTree


@dataclass(eq=False)
class Lifted:
    """A function of the source, to be called as `self.name(...)`. Made by `lift`."""

    reference: str
    cell: str | None = None
    constant: Mapping[str, Any] = field(default_factory=dict)
    any_of: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    ignored: Collection[str] = ()
    found: dict[tuple[Path, str], Any] = field(default_factory=dict, repr=False)
    compiled: dict[tuple[str, str], Callable[..., Any]] = field(default_factory=dict, repr=False)

    @overload
    def __get__(self, instance: None, owner: type) -> Lifted: ...
    @overload
    def __get__(self, instance: Spec, owner: type) -> Callable[..., Any]: ...
    def __get__(self, instance: Spec | None, owner: type) -> Lifted | Callable[..., Any]:
        return self if instance is None else self.bound(instance)

    def bound(self, spec: Spec) -> Callable[..., Any]:
        """The function of the release that `spec` has as its source; refused where it has none."""
        source = spec.__dict__.get("_source")
        if source is None:
            refuse(
                "PD401",
                f"{self.reference} is lifted, but no source was given",
                hint="pdspec check SPEC --source DIR, with DIR the folder that holds the package",
            )
        from pdspec.lift.body import bound

        return bound(self, source, spec)

    def known(self, name: str) -> bool:
        """Whether the author said what a name of the lifted code means."""
        return name in self.constant or name in self.any_of or name in self.ignored

    def value(self, name: str) -> Any:
        """A known name's value on this path."""
        if name in self.constant:
            return self.constant[name]
        return choose(self.any_of[name], name=name) if name in self.any_of else Opaque(name)


def lift(
    reference: str,
    *,
    cell: str | None = None,
    constant: Mapping[str, Any] | None = None,
    any_of: Mapping[str, Sequence[Any]] | None = None,
    ignored: Collection[str] = (),
) -> Callable[..., Any]:
    """Makes a function of the connector's own source a method of the spec: `FILE::Class.method`.

    What it reaches by the name of a variable, parameter or method of the spec is the spec's; a global that the spec's
    module defines (`KVPoll`) is the spec's. Of the other names, of attributes and globals alike, `constant` gives a
    value, `any_of` several, and those in `ignored` may be called, passed and logged only. Methods of the source's class
    are lifted, too. `cell` names the Dict that the function (key, value) writes, for `pdspec table`.
    """
    for name in [*(constant or {}), *(any_of or {}), *ignored]:
        if not name.isidentifier():
            raise SpecError("PD405", f"lift(): {name!r} is no name", hint="write the attribute's name without `self.`")
    return cast("Callable[..., Any]", Lifted(reference, cell, dict(constant or {}), dict(any_of or {}), tuple(ignored)))


def with_source(spec: Spec, source: SourceTree) -> Spec:
    """The same spec, whose lifted functions come from the folder `source`."""
    if not source.root.is_dir():
        raise SpecError(
            "PD401",
            f"no such source folder: {source.root}",
            hint="the folder that holds the package, e.g. .cache/sglang/0.5.15",
        )
    twin = spec.with_parameters()
    twin.__dict__["_source"] = source
    twin.__dict__["_variables"] = frozenset(declare(spec)[0])
    return twin


def lifted_members(cls: type[Spec]) -> dict[str, Lifted]:
    """The lifted functions of a spec, by name."""
    names = dict.fromkeys(name for base in reversed(cls.__mro__) for name in base.__dict__)
    found = {name: getattr(cls, name, None) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, Lifted)}


def ignored_names(cls: type[Spec]) -> tuple[str, ...]:
    """What the lifted functions of a spec ignore or take as constant, for the sentence on what was not shown."""
    found: dict[str, None] = {}
    for lifted in lifted_members(cls).values():
        for name in lifted.ignored:
            found[name] = None
        for name, value in lifted.constant.items():
            found[f"{name} (taken as {value!r})"] = None
    return tuple(found)
