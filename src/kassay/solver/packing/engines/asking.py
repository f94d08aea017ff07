"""Calls Z3 and CP-SAT for a packing with a lighter heaviest member; every result of theirs is checked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from kassay.solver.packing.engines import cpsat
from kassay.solver.packing.items import Packing

_SMALL: Final = 150


def other_packing(
    packing: Packing, owner: Sequence[int], lower: int, engine: str, deadline: float
) -> list[int]:
    """The packing of another solver within the time, or `owner` without one.

    `engine` is "own" (no other solver), "z3", "cpsat", or "auto": Z3 for small packings, else CP-SAT.
    """
    left = deadline - time.monotonic()
    size = sum(len(item.able) for item in packing.items)
    if left <= 0 or engine == "own":
        return list(owner)
    if engine == "z3" or (engine == "auto" and size <= _SMALL):
        from kassay.solver.packing.engines.z3 import narrow

        return narrow(packing, owner, lower, left)
    return cpsat.pack(packing, owner, lower, left) or list(owner)
