"""How a single value is written, everywhere."""

from __future__ import annotations

import enum
from collections.abc import Sequence


def value_text(value: object) -> str:
    """An Enum member by its name, anything else as `str` writes it."""
    return value.name if isinstance(value, enum.Enum) else str(value)


def value_texts(values: Sequence[object]) -> list[str]:
    """How several values are written beside each other: told apart by `repr` where two would read alike."""
    texts = [value_text(value) for value in values]
    return texts if len(set(texts)) == len(texts) else [repr(value) for value in values]
