"""How a single value is written, everywhere."""

from __future__ import annotations

import enum


def value_text(value: object) -> str:
    """An Enum member by its name, anything else as `str` writes it."""
    return value.name if isinstance(value, enum.Enum) else str(value)
