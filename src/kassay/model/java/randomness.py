"""Sources of random numbers: injected, Java's generator, or a recorded list.

Sources: the Javadoc of `java.util.Random` (the generator is part of its contract) and of
`java.util.Collections.shuffle`.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableSequence
from typing import Any, Final, Protocol

from kassay.model.errors import InputError

_MULTIPLIER: Final = 0x5DEECE66D
_INCREMENT: Final = 0xB
_STATE_MASK: Final = (1 << 48) - 1
_INT_MAX: Final = (1 << 31) - 1

POSITIVE_INTS: Final = 1 << 31
"""The number of non-negative Java ints: the bound for drawing a non-negative int."""


class RandomSource(Protocol):
    """A source of random numbers for an algorithm."""

    def next_int(self, bound: int) -> int:
        """A uniform random number from 0 to `bound` - 1."""


class JavaRandom:
    """`java.util.Random`: the same seed gives the same numbers as in Java.

    >>> random = JavaRandom(42)
    >>> [random.next_int(10) for _ in range(5)]
    [0, 3, 8, 4, 0]
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _STATE_MASK

    def next_bits(self, bits: int) -> int:
        """The generator's next non-negative number with that many bits."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _STATE_MASK
        return self._state >> (48 - bits)

    def next_int(self, bound: int) -> int:
        """A number from 0 to `bound` - 1; raises `InputError` unless 0 < bound <= 2**31."""
        if not 0 < bound <= POSITIVE_INTS:
            raise InputError(f"bound of a random number: {bound}, expected 1 to {POSITIVE_INTS}")
        if bound & (bound - 1) == 0:
            return (bound * self.next_bits(31)) >> 31
        while True:
            bits = self.next_bits(31)
            value = bits % bound
            # Java rejects the last, incomplete run of values by an int overflow.
            if bits - value + (bound - 1) <= _INT_MAX:
                return value


class Recorded:
    """Replays draws that were recorded as (bound, value), in order.

    A draw with another bound than recorded, or beyond the end of the record, raises `InputError`: the caller
    does not follow the recorded run.
    """

    def __init__(self, draws: Iterable[tuple[int, int]]) -> None:
        self._draws = [(bound, value) for bound, value in draws]
        self._next = 0

    @property
    def left(self) -> int:
        """The number of unused recorded draws."""
        return len(self._draws) - self._next

    def next_int(self, bound: int) -> int:
        """The next recorded value."""
        if not self.left:
            raise InputError(f"random draw {self._next + 1}: bound {bound}, expected no further draw")
        recorded, value = self._draws[self._next]
        if recorded != bound:
            raise InputError(f"random draw {self._next + 1}: bound {bound}, expected {recorded}")
        self._next += 1
        return value


def shuffle(items: MutableSequence[Any], random: RandomSource) -> None:
    """Permute the items in place as Java's `Collections.shuffle` does: from the end, one draw each."""
    for size in range(len(items), 1, -1):
        other = random.next_int(size)
        items[size - 1], items[other] = items[other], items[size - 1]
