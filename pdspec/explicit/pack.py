"""A state as one int: each slot takes the bits that its domain needs, the first slot the highest ones.

So ints compare as states do in the order of the Model, a test of some slots is one `&`, and a step is one `+`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pdspec.model.model import Model


@dataclass(frozen=True, slots=True)
class Field:
    """A slot's bits. The field holds the number of the code in its domain."""

    shift: int
    mask: int
    codes: tuple[int, ...]

    @property
    def contiguous(self) -> bool:
        return self.codes[-1] - self.codes[0] == len(self.codes) - 1


@dataclass(frozen=True)
class Packing:
    fields: tuple[Field, ...]

    def pack(self, state: Sequence[int]) -> int:
        packed = 0
        for field, code in zip(self.fields, state, strict=True):
            packed |= field.codes.index(code) << field.shift
        return packed

    def unpack(self, packed: int) -> tuple[int, ...]:
        return tuple(field.codes[packed >> field.shift & field.mask] for field in self.fields)

    def mask_of(self, slots: Iterable[int]) -> int:
        """The bits of these slots."""
        mask = 0
        for slot in slots:
            mask |= self.fields[slot].mask << self.fields[slot].shift
        return mask


def packing_of(model: Model) -> Packing:
    """The bits of each slot."""
    fields: list[Field] = []
    shift = 0
    for slot in reversed(model.slots):
        width = (len(slot.domain.codes) - 1).bit_length()
        fields.append(Field(shift, (1 << width) - 1, slot.domain.codes))
        shift += width
    return Packing(tuple(reversed(fields)))
