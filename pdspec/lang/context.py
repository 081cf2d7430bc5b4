"""The step that is being run: `require` and `choose` speak to it. The only global state of the language.

Two kinds of run exist: a concrete one (plain values, the reference) and a symbolic one (the tracer). What ends a run
from inside derives from BaseException, so that an author's `except Exception` does not catch it, and is recorded by the
run before it is raised, so that one that does catch it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol, TypeVar, cast

from pdspec.errors import SpecError
from pdspec.source import SourceSpan

T = TypeVar("T")


class Stop(BaseException):
    """Leaves a step whose outcome is already recorded."""


class Run(Protocol):
    """What a running step can be asked."""

    def require(self, condition: Any) -> None: ...
    def choose(self, options: Any, name: str) -> Any: ...
    def refuse(
        self, code: str, message: str, *, hint: str | None = None, span: SourceSpan | None = None
    ) -> NoReturn: ...


_runs: list[Run] = []


@contextmanager
def running(run: Run) -> Iterator[None]:
    """`run` is the current step inside the `with`."""
    _runs.append(run)
    try:
        yield
    finally:
        _runs.pop()


def is_running() -> bool:
    """Whether a step is being run."""
    return bool(_runs)


def current() -> Run:
    """The step being run; SpecError PD104 outside of one."""
    if not _runs:
        raise SpecError("PD104", "require(), choose() and any_of() work inside a step or state() only")
    return _runs[-1]


def refuse(code: str, message: str, *, hint: str | None = None, span: SourceSpan | None = None) -> NoReturn:
    """Refuses what the running step does, whatever the step makes of it; outside of a step, a SpecError."""
    if _runs:
        _runs[-1].refuse(code, message, hint=hint, span=span)
    raise SpecError(code, message, hint=hint, span=span)


def require(condition: object, because: str = "") -> None:
    """The step is not enabled on this path unless `condition`: nothing of it happens, also of what stands before.

    `because` is for the reader.
    """
    current().require(condition)


def choose(options: Iterable[T], *, name: str = "choice") -> T:
    """Any one of `options`; the checker tries all. No option: the step is not enabled.

    An Enum class stands for its members. `name` is what traces call the choice; pdspec fills in the name of the
    variable that it is assigned to.
    """
    return cast(T, current().choose(options, name))


def any_of(options: Iterable[T], *, name: str = "initially") -> T:
    """In `state()`: each of `options` starts a behaviour of its own."""
    return cast(T, current().choose(options, name))


def options_of(options: Any) -> list[Any]:
    """The members of an Enum class, or the elements of an iterable; those of a set in an order without hashes."""
    return ordered(options) if type(options) in (set, frozenset) else list(options)


def ordered(collection: Any) -> list[Any]:
    """The members of a plain set, in an order that does not depend on `PYTHONHASHSEED`."""
    try:
        return sorted(collection)
    except TypeError:
        return sorted(collection, key=lambda item: (type(item).__name__, str(item)))
