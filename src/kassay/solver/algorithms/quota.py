"""The cost of another unit at a place when every place should hold its share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Quota:
    """The convex cost of a broker's count: its squared distance from its share, times the sum of shares.

    `weight` makes one unit of it cost more than all movement together.
    """

    shares: Sequence[int]
    total: int
    weight: int
    base: Sequence[int]
    room: Sequence[int | None]

    @classmethod
    def plain(cls, shares: Sequence[int], total: int, weight: int) -> Quota:
        """The quota of places that hold nothing at the start and have room for all."""
        return cls(shares, total, weight, [0] * len(shares), [None] * len(shares))

    @cached_property
    def scale(self) -> int:
        """The sum of the shares."""
        return sum(self.shares)

    @cached_property
    def overflow(self) -> int:
        """The cost of one replica beyond the room: more than any imbalance costs."""
        return 4 * self.scale * (self.total + 1) ** 2

    def marginal(self, place: int, count: int) -> int:
        """The cost of the next unit at a place that holds `count` in addition to its base."""
        held = count + self.base[place]
        step = self.scale * (2 * held + 1) - 2 * self.total * self.shares[place]
        room = self.room[place]
        if room is not None and held >= room:
            step += self.overflow
        return step * self.weight

    def cost(self, place: int, count: int) -> int:
        """The cost of all these units together at a place that has room for them."""
        base = self.base[place]
        squares = self.scale * ((count + base) ** 2 - base**2)
        return self.weight * (squares - 2 * self.total * self.shares[place] * count)

    def level_price(self) -> int:
        """The price at which all units are placed with every place near its share, whatever it costs."""
        places = range(len(self.shares))
        whole = [self.floor(place) for place in places]
        rest = self.total - sum(whole)
        steps = sorted(self.marginal(place, whole[place] - self.base[place]) for place in places)
        return steps[rest - 1] if rest else 0

    def ceiling(self, place: int) -> int:
        """The share of a place, rounded up, its base included."""
        return -(-self.total * self.shares[place] // self.scale)

    def floor(self, place: int) -> int:
        """The share of a place, rounded down, its base included."""
        return self.total * self.shares[place] // self.scale
