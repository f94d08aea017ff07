"""The terms of a packing: the order of its goals, a tolerance for loads, a budget of moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from kassay.model.errors import InputError
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.packing.items import Packing


class Terms(NamedTuple):
    """The goals: with a `tolerance` a heaviest member within it of its bound, else sorted loads.

    With a `budget` only assignments count whose moves cost no more. Then movement and racks, as `order` says.
    """

    order: tuple[str, ...] = MOVEMENT_FIRST
    tolerance: Fraction | None = None
    budget: int | None = None

    def cap(self, bound: int) -> int | None:
        """The most that a member may carry if the heaviest carries at least `bound`; None for no limit."""
        return None if self.tolerance is None else bound + int(bound * self.tolerance)

    @property
    def bounds_racks(self) -> bool:
        """Whether racks come first while a budget limits the moves: then no single sum of both is exact."""
        return self.budget is not None and self.order != MOVEMENT_FIRST

    def refuse_impossible(self, packing: Packing) -> None:
        """Raise `InputError` for conflicting terms, and for a budget that no packing keeps."""
        if self.budget is None:
            return
        if self.tolerance is not None:
            raise InputError("--budget and --tolerance: expected one of the two")
        least = sum(item.moved(item.homes[0]) for item in packing.items if len(item.stays) > 1)
        if self.budget < least:
            raise InputError(
                f"--budget: found {self.budget}, expected {least} or more: "
                "co-partitioned partitions that had different owners cannot all stay"
            )

    def scales(self, packing: Packing) -> tuple[int, int]:
        """The weights of one unit of movement and one rack mismatch that make the order lexicographic."""
        if self.order == MOVEMENT_FIRST:
            return 1 + sum(len(item.racks) for item in packing.items), 1
        return 1, 1 + sum(item.claimed for item in packing.items)

    def cost(self, packing: Packing, owner: Sequence[int]) -> int:
        """Movement and rack mismatches of a packing in one number."""
        move, wrong = self.scales(packing)
        return move * packing.moved(owner) + wrong * packing.mismatched(owner)

    def value(self, packing: Packing, owner: Sequence[int], bound: int) -> tuple[int, list[int], int]:
        """The value to compare, least best: the excess over the limits, the sorted loads, and the cost.

        With a tolerance loads do not matter below the limit that follows from `bound`.
        """
        loads = sorted(packing.loads(owner), reverse=True)
        beyond = 0
        if self.budget is not None:
            beyond = max(0, packing.moved(owner) - self.budget)
        cap = self.cap(bound)
        if cap is not None:
            return max(0, loads[0] - cap), [], self.cost(packing, owner)
        return beyond, loads, self.cost(packing, owner)


def parse_tolerance(text: str) -> Fraction:
    """The tolerance that a user writes as `5%` or `0.5%`; raises `InputError` for any other text."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?) ?%", text.strip(), re.ASCII)
    if match is None:
        raise InputError(f"--tolerance: found {text!r}, expected a percentage such as 5% or 0.5%")
    return Fraction(match[1]) / 100
