"""The payment of a place for its count, in the checkers of placements and of tasks."""

from __future__ import annotations

from typing import NamedTuple


class Due(NamedTuple):
    """A place whose share is `own` of `every` parts of `total` units.

    It pays `weight` times its squared distance from that, times `every`, without the constant.
    """

    own: int
    every: int
    total: int
    weight: int

    def pays(self, held: int) -> int:
        """The payment for this number of units."""
        return self.weight * (self.every * held * held - 2 * self.total * self.own * held)

    def least(self, price: int, most: int, base: int = 0) -> int:
        """The least of payment - price * count, with 0 to `most` units in addition to its `base`."""
        # A parabola in the count: its integer minimum is next to the vertex, or at an end.
        near = (2 * self.weight * self.total * self.own + price) // (2 * self.weight * self.every) - base
        counts = {min(max(count, 0), most) for count in range(near - 1, near + 3)}
        return min(self.pays(base + count) - price * count for count in counts)
