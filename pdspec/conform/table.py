"""The table of a lifted function that writes a status: every current value x every value written.

The function is traced in the spec as it is when the spec is checked, so the table shows what the check used.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from pdspec.errors import SpecError, did_you_mean
from pdspec.lang.declare import declare
from pdspec.lang.layout import DictPlace, Layout, ScalarPlace
from pdspec.lang.spec import Spec
from pdspec.lang.trace import Tracing, trace_step
from pdspec.lift.body import found_in
from pdspec.lift.lifted import Lifted, lifted_members, with_source
from pdspec.lift.meaning import SourceTree
from pdspec.model.text import value_text
from pdspec.model.tree import Disabled, Overflow, Raises, Update, apply, outcomes
from pdspec.source import SourceSpan


@dataclass(frozen=True, slots=True)
class Row:
    """What is there after each written value when `current` was there: a value, `absent`, or what went wrong."""

    current: str
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """`span` is where the function that was called stands."""

    reference: str
    span: SourceSpan
    written: tuple[str, ...]
    rows: tuple[Row, ...]


def table(spec: Spec, source: SourceTree, reference: str | None = None) -> Table:
    """The table of the spec's lifted function, or of `reference` with the same settings.

    The other entries of the state are as at the start; the first key is asked. SpecError PD402 where the spec lifts no
    function with a `cell`, PD401 and others where the source does not have it.
    """
    cls = type(spec)
    lifted = _with_cell(spec, reference)
    bound = with_source(spec, source)
    types, starts = declare(spec)
    if lifted.cell not in types:
        raise SpecError(
            "PD402", f"{cls.__name__} has no variable {lifted.cell!r}{did_you_mean(str(lifted.cell), types)}"
        )
    layout = Layout()
    for name, of in types.items():
        layout.add(name, of)
    place = layout.places[lifted.cell]
    if not isinstance(place, DictPlace):
        raise SpecError(
            "PD402", f"the cell {lifted.cell!r} is no Dict: the table asks a function (key, value) of a Dict"
        )
    key, entry = next(iter(place.entries.items()))
    if not isinstance(entry.inner, ScalarPlace):
        raise SpecError("PD402", f"the values of {lifted.cell!r} are no scalars, so they have no table")
    scalar = entry.inner
    state = list(layout.encode(starts[0][1]))
    tracing = Tracing(bound, layout)
    values = scalar.of.values
    trees = [
        trace_step(
            tracing,
            f"{lifted.reference}({value_text(key)}, {value_text(value)})",
            _call(lifted),
            {"key": key, "value": value},
        )
        for value in values
    ]
    domain = layout.slots[scalar.slot].domain
    rows = []
    for code in (entry.absent, *(scalar.codes[value] for value in values)):
        state[scalar.slot] = code
        after = []
        for tree in trees:
            results = {_result(leaf, state, scalar.slot, domain.name_of) for _, leaf in outcomes(tree, state)}
            after.append(" or ".join(sorted(results)))
        rows.append(Row(domain.name_of(code), tuple(after)))
    return Table(lifted.reference, found_in(lifted, source).span, tuple(map(value_text, values)), tuple(rows))


def _with_cell(spec: Spec, reference: str | None) -> Lifted:
    lifted = {name: each for name, each in lifted_members(type(spec)).items() if each.cell is not None}
    if not lifted:
        hint = 'name the Dict that it writes: lift(..., cell="request_status")'
        raise SpecError("PD402", f"{type(spec).__name__} lifts no function with a cell", hint=hint)
    first = next(iter(lifted.values()))
    return first if reference is None else dataclasses.replace(first, reference=reference, found={}, compiled={})


def _call(lifted: Lifted) -> Callable[..., None]:
    def call(spec: Spec, key: object, value: object) -> None:
        lifted.bound(spec)(key, value)

    return call


def _result(leaf: object, state: list[int], slot: int, name_of: Callable[[int], str]) -> str:
    match leaf:
        case Update():
            return name_of(apply(leaf, state)[slot])
        case Raises(exception):
            return exception
        case Overflow():
            return "out of bounds"
        case Disabled():
            return "not enabled"
    raise AssertionError(leaf)
