"""Random numbers whose sequence is fixed for ever: splitmix64, whatever the Python version.

Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators"; the seed is mixed in byte
by byte with the prime of FNV-1a.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

_MASK: Final = (1 << 64) - 1
_STEP: Final = 0x9E3779B97F4A7C15
_FNV_PRIME: Final = 0x100000001B3


class SplitMix:
    """A generator seeded by words and numbers."""

    __slots__ = ("_state",)

    def __init__(self, *seed: str | int) -> None:
        self._state = _STEP
        for word in seed:
            for byte in str(word).encode():
                self._state = (self._state ^ byte) * _FNV_PRIME & _MASK
            self.word()

    def word(self) -> int:
        """The next 64 bits."""
        self._state = z = (self._state + _STEP) & _MASK
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
        return z ^ z >> 31

    def below(self, bound: int) -> int:
        """A number from 0 to `bound - 1`, all equally likely; words past the last multiple are dropped."""
        limit = (1 << 64) - (1 << 64) % bound
        word = self.word()
        while word >= limit:
            word = self.word()
        return word % bound

    def between(self, least: int, most: int) -> int:
        """A number from `least` to `most`, both included."""
        return least + self.below(most - least + 1)

    def chance(self, percent: int) -> bool:
        """True in `percent` of a hundred cases."""
        return self.below(100) < percent

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in random order (Fisher and Yates, from the end)."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def sample(self, items: Iterable[T], count: int) -> list[T]:
        """`count` different items."""
        return self.shuffled(items)[:count]
