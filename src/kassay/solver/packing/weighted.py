"""Weighted partitions (lag, throughput): an interval for the heaviest load, and who is in it.

To make the heaviest load least is strongly NP-hard (with equal subscriptions it is P||Cmax), so the
answer is an interval: below, a bound that has a name and a line of arithmetic (`packing_bounds`);
above, the best packing found. "Optimal" is said only where the two meet. Moves come second, as few
as were found, again with a lower bound (`packing_prices`). Small gaps are closed by Z3, larger ones
narrowed by CP-SAT where it is installed; what only those two prove is named as theirs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kassay.solver.consumers.problem import Problem
from kassay.solver.packing import cpsat
from kassay.solver.packing.bounds import LoadBound, lower_bound
from kassay.solver.packing.items import Packing
from kassay.solver.packing.prices import MovesBound, fewest_moves
from kassay.solver.packing.search import search

_SMALL: Final = 150


@dataclass(frozen=True)
class Packed:
    """A packing with its bounds: the heaviest load is between `lower` and `upper`.

    `bound` is the bound that arithmetic verifies; `lower` is at least that, and where it is more,
    `prover` names who says so. `moves` says how many must move for the load of `upper`.
    """

    packing: Packing
    owner: tuple[int, ...]
    lower: int
    upper: int
    bound: LoadBound
    prover: str | None
    moved: int
    moves: MovesBound

    @property
    def optimal(self) -> bool:
        """Whether no packing has a lighter heaviest member."""
        return self.lower == self.upper

    @property
    def proven(self) -> tuple[str, ...]:
        """The objectives, in order, of which the best is proven."""
        if not self.optimal:
            return ()
        return ("max_weight", "movement") if self.moved == self.moves.moves else ("max_weight",)


def weighted_lower_bound(problem: Problem) -> int:
    """What the heaviest member carries at least; verified by arithmetic alone."""
    return lower_bound(Packing.of(problem)).value


def pack_weighted(problem: Problem, time_limit_s: float = 10.0, engine: str = "auto") -> Packed:
    """The best packing found within the limit, and how good any could be.

    `engine` may be "own" (bounds and search alone), "z3", "cpsat", or "auto": Z3 for small gaps, else
    CP-SAT if it is there. Nothing here depends on the clock unless the limit is reached.
    """
    began = time.monotonic()
    deadline = began + time_limit_s
    packing = Packing.of(problem)
    bound = lower_bound(packing)
    owner = search(packing, bound.value, began + time_limit_s / 2)
    lower, prover = bound.value, None
    if max(packing.loads(owner), default=0) > lower:
        owner, lower, prover = _close(packing, owner, bound.value, engine, deadline)
    upper, moved = max(packing.loads(owner), default=0), packing.moved(owner)
    moves = fewest_moves(packing, 0, upper, moved, max(deadline, time.monotonic() + 0.1))
    return Packed(packing, tuple(owner), lower, upper, bound, prover, moved, moves)


def _close(
    packing: Packing, owner: list[int], lower: int, engine: str, deadline: float
) -> tuple[list[int], int, str | None]:
    """A better packing or a better bound, or what was there, and who proved the bound."""
    left = deadline - time.monotonic()
    size = sum(len(item.able) for item in packing.items)
    if left <= 0 or engine == "own":
        return owner, lower, None
    if engine == "z3" or (engine == "auto" and size <= _SMALL):
        from kassay.solver.packing.z3 import narrow

        packed, proven = narrow(packing, owner, lower, left)
        return _better(packing, owner, packed), proven, "Z3" if proven > lower else None
    answer = cpsat.pack(packing, owner, lower, left)
    if answer is None:
        return owner, lower, None
    proven = max(lower, answer.lower)
    return _better(packing, owner, answer.owner), proven, "CP-SAT" if proven > lower else None


def _better(packing: Packing, owner: list[int], other: Sequence[int]) -> list[int]:
    def value(packed: Sequence[int]) -> tuple[int, int]:
        return max(packing.loads(packed), default=0), packing.moved(packed)

    return min(owner, list(other), key=value)
