"""The range rules of a Kafka 0.8 consumer, also used by the proposal's coordinator.

Sources: "Kafka Consumer" by Jason Guo (2015), for the rounded-up range; Kafka 0.8.2 `RangeAssignor`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final


def ceil_range(partitions: int, consumers: int, index: int) -> tuple[int, ...]:
    """Partitions iN .. (i+1)N-1 with N the rounded-up quotient, as in the 2015 article.

    >>> [len(ceil_range(5, 4, i)) for i in range(4)]
    [2, 2, 1, 0]
    """
    size = -(-partitions // consumers)
    return tuple(range(index * size, min((index + 1) * size, partitions)))


def fair_range(partitions: int, consumers: int, index: int) -> tuple[int, ...]:
    """Quotient and remainder, with earlier consumers one larger: the actual rule of 0.8.2.

    >>> [len(fair_range(5, 4, i)) for i in range(4)]
    [2, 1, 1, 1]
    """
    size, extra = divmod(partitions, consumers)
    start = index * size + min(index, extra)
    return tuple(range(start, start + size + (index < extra)))


Share = Callable[[int, int, int], tuple[int, ...]]
SHARES: Final[dict[str, Share]] = {"ceil-range": ceil_range, "range": fair_range}
