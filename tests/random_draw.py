"""Where the random numbers of random specs come from, and the count of what was drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Draw(Protocol):
    """A source of small numbers: 0 is the simplest."""

    def below(self, count: int) -> int: ...


class SeededDraw:
    """Numbers from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, count: int) -> int:
        return self._random.randrange(count)


class HypothesisDraw:
    """Numbers that Hypothesis makes smaller when it shrinks."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(st.integers(0, count - 1))


class Gen:
    """Draws, and notes by a tag what was drawn."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self.tags: Counter[str] = Counter()

    def pick(self, options: Sequence[T]) -> T:
        return options[self._draw.below(len(options))] if len(options) > 1 else options[0]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        at = self._draw.below(sum(weight for weight, _ in options))
        for weight, option in options:
            if at < weight:
                return option
            at -= weight
        raise AssertionError(at)

    def number(self, low: int, high: int) -> int:
        return low + self._draw.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        return self._draw.below(100) >= 100 - percent

    def choice(self, *options: str | tuple[str, str]) -> str:
        """One of the texts; one that comes with a tag is counted."""
        option = self.pick(options)
        if isinstance(option, str):
            return option
        self.note(option[0])
        return option[1]

    def note(self, tag: str) -> None:
        """Counts what is drawn."""
        self.tags[tag] += 1
