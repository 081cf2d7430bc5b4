"""Reading and writing a place: values are copied, containers are handed out as live views.

A value that can be None is handed out after the path has chosen, so that `is None` on it means what it says. What is
stored must belong to the type of its place when it is stored; otherwise the path ends with an overflow.
"""

from __future__ import annotations

import copy
from collections import Counter, deque
from collections.abc import Collection, Iterator
from typing import Any, NoReturn, assert_never

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.layout import (
    ArrayPlace,
    BagPlace,
    DictPlace,
    OptionalPlace,
    Place,
    QueuePlace,
    RecordPlace,
    ScalarPlace,
    SetPlace,
    place_slots,
)
from pdspec.lang.opaque import is_opaque, refuse_use
from pdspec.lang.path import Frame, Path, member
from pdspec.lang.record import Record
from pdspec.lang.symbolic import concrete, expression, is_numeric, is_symbol, make, value_map
from pdspec.model.expr import Const, Expr, Not
from pdspec.model.text import value_text


class View:
    """A live view of the container at a place."""

    _pdspec_container = True

    def __init__(self, frame: Frame, place: Any) -> None:
        object.__setattr__(self, "_frame", frame)
        object.__setattr__(self, "_place", place)
        object.__setattr__(self, "_changes", 0)
        object.__setattr__(self, "_loops", 0)

    _frame: Frame
    _place: Any
    _changes: int
    _loops: int

    __hash__ = None  # type: ignore[assignment]

    @property
    def _path(self) -> Path:
        path = self._frame.path
        if not path.active:
            from pdspec.lang.context import current

            now = current()
            assert isinstance(now, Path)
            now.refuse(
                "PD109", f"{self._place.name} of an earlier run turns up here", hint="do not keep views in globals"
            )
        return path

    def _replace(self, content: Any) -> None:
        """Writes a whole built-in container of the same kind."""
        raise NotImplementedError

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self.copy(), memo)

    def __repr__(self) -> str:
        return repr(self.copy())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        kind = self.__class__.__name__
        possible = [each for each in dir(self) if not each.startswith("_")]
        near = did_you_mean(name, possible)
        self._path.refuse("PD104", f"{self._place.name}.{name}: not supported of a {kind}{near}", hint=self._hint(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_changes", "_loops"):
            object.__setattr__(self, name, value)
        else:
            self._path.refuse(
                "PD102", f"{self._place.name}.{name} is assigned, but a {self.__class__.__name__} has no fields"
            )

    def _hint(self, name: str) -> str:
        return "the methods that are supported: " + ", ".join(
            each for each in dir(type(self)) if not each.startswith("_")
        )


# The view of each kind of container; the modules of the views enter theirs.
VIEWS: dict[type, type[View]] = {}


class StateStore:
    """The variables of a spec as `self.name`, for the tracer."""

    def __init__(self, frame: Frame, spec_name: str, parameters: Collection[str] = ()) -> None:
        self.frame = frame
        self.spec_name = spec_name
        self.parameters = parameters

    def load(self, name: str) -> Any:
        path = self.frame.path
        path.tick()
        place = path.layout.places.get(name)
        if place is None:
            self._unknown(name, "reads")
        return load(self.frame, place)

    def assign(self, name: str, value: Any) -> None:
        path = self.frame.path
        path.tick()
        place = path.layout.places.get(name)
        if place is None:
            self._unknown(name, "assigns")
        store(self.frame, place, value)

    def _unknown(self, name: str, what: str) -> NoReturn:
        possible = self.frame.path.layout.places
        if name in self.parameters:
            self.frame.path.refuse("PD102", f"{self.spec_name} {what} {name!r}, which is a parameter: it never changes")
        near = did_you_mean(name, possible)
        message = f"{self.spec_name} {what} {name!r}, which state() does not declare ({', '.join(possible)}){near}"
        self.frame.path.refuse("PD102", message)


def present(frame: Frame, place: OptionalPlace) -> Expr:
    """The condition that there is something at an optional place."""
    here = frame.is_code(place.presence, place.absent)
    return Const(1 - here.value) if isinstance(here, Const) else Not(here)


def load(frame: Frame, place: Place) -> Any:
    """The value at a place: plain or symbolic, a Record of these, None, or a view."""
    match place:
        case ScalarPlace():
            expr = frame.get(place.slot)
            if None in place.codes and frame.path.decide(member(expr, (place.codes[None],))):
                return None
            if place.structured:
                return place.values[frame.path.code_of(expr)]
            plain = place.numeric and all(type(value) is int for value in place.of.values)
            return make(frame.path, expr, None if plain else place.values)
        case OptionalPlace():
            return load(frame, place.inner) if frame.path.decide(present(frame, place)) else None
        case RecordPlace():
            record = object.__new__(place.cls)
            for name, inner in place.fields.items():
                object.__setattr__(record, name, load(frame, inner))
            return record
        case _:
            view = frame.views.get(id(place))
            if view is None:
                view = frame.views[id(place)] = VIEWS[type(place)](frame, place)
            return view


def store(frame: Frame, place: Place, value: Any) -> None:
    """`value` at a place from now on; a path on which it does not belong there ends with an overflow."""
    if is_opaque(value):
        refuse_use(value, f"stores it in {place.name}, so that the state depends on")
    match place:
        case ScalarPlace():
            _store_scalar(frame, place, value)
        case OptionalPlace():
            if value is None:
                clear(frame, place)
            else:
                store_present(frame, place, value)
        case RecordPlace():
            if type(value) is not place.cls:
                frame.path.overflow(f"{place.name} = {_text(value)}, which is not a {place.cls.__name__}")
            for name, inner in place.fields.items():
                store(frame, inner, getattr(value, name))
        case _:
            view = load(frame, place)
            if value is view:
                return
            if isinstance(value, View):
                frame.path.refuse(
                    "PD110",
                    f"{place.name} would be the same object as {value._place.name}",
                    hint="store a copy: list(x), set(x), dict(x), x.copy()",
                )
            expected = _BUILT_IN[type(place)]
            if not isinstance(value, expected):
                frame.path.overflow(f"{place.name} = {_text(value)}, which is not a {expected[0].__name__}")
            _remember(frame.path, place, value)
            _detach(frame, place)
            load(frame, place)._replace(value)


def store_present(frame: Frame, place: OptionalPlace, value: Any) -> None:
    """`value` at an optional place, which is not missing then."""
    if not place.merged:
        frame.put(place.presence, Const(1))
    store(frame, place.inner, value)


def clear(frame: Frame, place: Place) -> None:
    """Nothing is there any more: every slot holds its first code."""
    _detach(frame, place)
    if isinstance(place, OptionalPlace):
        # In a merged slot several ways of being missing exist; this place's own is meant.
        frame.put(place.presence, Const(place.absent))
        if place.merged:
            return
    reset(frame, place)


def reset(frame: Frame, place: Place) -> None:
    """Every slot holds its first code."""
    for slot in place_slots(place):
        frame.put(slot, Const(frame.path.layout.slots[slot].first))


class _Past(Frame):
    """What some slots held before another object took their place. It cannot be changed."""

    def __init__(self, path: Path, kept: dict[int, Expr]) -> None:
        super().__init__(path)
        self._kept = kept

    def get(self, slot: int) -> Expr:
        return self._kept[slot]

    def put(self, slot: int, value: Expr) -> None:
        message = "a container that is no longer part of the state is changed"
        self.path.refuse("PD110", message, hint="read it again through self, or take a copy before")


def _detach(frame: Frame, place: Place) -> None:
    """Whoever holds a view of what stands at `place` keeps it as it is now: another object takes its place."""
    gone = [inner for inner in _containers(place) if id(inner) in frame.views]
    if gone:
        past = _Past(frame.path, {slot: frame.get(slot) for slot in place_slots(place)})
        for inner in gone:
            view = past.views[id(inner)] = frame.views.pop(id(inner))
            object.__setattr__(view, "_frame", past)


def _containers(place: Place) -> Iterator[Place]:
    """The containers at a place, and those in them."""
    match place:
        case ScalarPlace() | RecordPlace():
            return
        case OptionalPlace():
            yield from _containers(place.inner)
        case SetPlace() | BagPlace() | QueuePlace():
            yield place
        case ArrayPlace():
            yield place
            for item in place.items:
                yield from _containers(item)
        case DictPlace():
            yield place
            for entry in place.entries.values():
                yield from _containers(entry)
        case _:
            assert_never(place)


def key_text(value: Any) -> str:
    """A key as an error or a choice shows it."""
    return value_text(concrete(value))


def stored_problem(path: Path) -> SpecError | None:
    """The refusal of a mutable object that was changed after it was stored: the state would not see the change."""
    for value, content, span in path.stored:
        if [id(part) for part in _parts(value)] != [id(part) for part in content]:
            message = "a container that was stored in the state is changed afterwards"
            return SpecError("PD110", message, span=span, hint=_COPY)
    return None


_COPY = "change it through the state (self.variable...), or store a copy"
_BUILT_IN: dict[type, tuple[type, ...]] = {
    DictPlace: (dict,),
    SetPlace: (set, frozenset),
    QueuePlace: (deque, list, tuple),
    ArrayPlace: (list, tuple),
    BagPlace: (Counter, dict),
}


def _remember(path: Path, place: Place, value: Any) -> None:
    if isinstance(value, frozenset | tuple):
        return
    if any(value is other for other, _, _ in path.stored):
        path.refuse("PD110", f"the object stored in {place.name} is stored elsewhere, too", hint=_COPY)
    path.stored.append((value, _parts(value), path.span()))


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [part for item in value.items() for part in item]
    return list(value)


def _store_scalar(frame: Frame, place: ScalarPlace, value: Any) -> None:
    path = frame.path
    if is_symbol(value):
        if place.numeric and is_numeric(value):
            expr = expression(value)
            possible = path.constraints.possible(expr)
            bad = [code for code in possible if code not in place.values]
            if bad and not path.decide(member(expr, [code for code in possible if code in place.values])):
                # Told apart where there are few, so that the message can name the value.
                shown = str(path.code_of(expr)) if len(bad) <= 4 else "a value"
                path.overflow(f"{place.name} = {shown}, which is not in {place.of.name}")
            frame.put(place.slot, expr)
            return
        if value_map(value) == place.values:
            frame.put(place.slot, expression(value))
            return
        value = concrete(value)
    if isinstance(value, View):
        path.overflow(f"{place.name} = a container, which is not in {place.of.name}")
    try:
        code = place.codes.get(value)
    except TypeError:
        code = None
    if code is None:
        path.overflow(f"{place.name} = {_text(value)}, which is not in {place.of.name}")
    frame.put(place.slot, Const(code))


def _text(value: Any) -> str:
    if isinstance(value, View):
        return f"the container {value._place.name}"
    return repr(value) if isinstance(value, str | Record) else value_text(concrete(value))
