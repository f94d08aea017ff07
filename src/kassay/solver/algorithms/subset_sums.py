"""Two members pool their items and split them again: the exact best by sets of subset sums.

The bits of one integer are a set of sums, with one such set for each number of moves, so a new item costs one
shift for each number of moves. Large weights and long lists are refused: `Shares` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

_WORK_MOST: Final = 1 << 26


class Piece(NamedTuple):
    """An item that either member may take, with the cost of a move to each."""

    item: int
    weight: int
    first: int
    second: int


def too_much(pieces: Sequence[Piece]) -> bool:
    """Whether the sums would take too long."""
    moves = 1 + sum(abs(piece.first - piece.second) for piece in pieces)
    return len(pieces) * moves * (64 + sum(piece.weight for piece in pieces)) > _WORK_MOST


class Shares:
    """All sums that the first of two members can get, by the number of moves."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.steps: list[list[int]] = [[1]]
        for piece in pieces:
            dearer = piece.first - piece.second
            with_, without = max(dearer, 0), max(-dearer, 0)
            old = self.steps[-1]
            new = [0] * (len(old) + abs(dearer))
            for moves, sums in enumerate(old):
                new[moves + with_] |= sums << piece.weight
                new[moves + without] |= sums
            self.steps.append(new)

    def fewest(self, least: int, most: int) -> tuple[int, int] | None:
        """(moves, sum) with the fewest moves for a sum from `least` to `most`, nearest their middle."""
        for moves, sums in enumerate(self.steps[-1]):
            total = nearest(sums, least, most, (least + most) // 2)
            if total is not None:
                return moves, total
        return None

    def evenest(self, goal: int, least: int, most: int) -> tuple[int, int] | None:
        """(moves, sum) for the sum nearest to the goal, in range, with the fewest moves for it."""
        every = 0
        for sums in self.steps[-1]:
            every |= sums
        total = nearest(every, least, most, goal)
        if total is None:
            return None
        return next(moves for moves, sums in enumerate(self.steps[-1]) if sums >> total & 1), total

    def items_of(self, moves: int, total: int) -> set[int]:
        """The items of such a sum with this number of moves."""
        chosen = set()
        for piece, before in zip(reversed(self.pieces), reversed(self.steps[:-1])):
            dearer = piece.first - piece.second
            with_, without = max(dearer, 0), max(-dearer, 0)
            back = moves - without
            if 0 <= back < len(before) and before[back] >> total & 1:
                moves = back
            else:
                moves -= with_
                total -= piece.weight
                chosen.add(piece.item)
        return chosen


def nearest(sums: int, least: int, most: int, goal: int) -> int | None:
    """The sum in range that is nearest to the goal, the lesser of two; None if there is none."""
    least, most = max(least, 0), min(most, sums.bit_length() - 1)
    if least > most:
        return None
    sums = sums >> least & ((1 << (most - least + 1)) - 1)
    if not sums:
        return None
    at = min(max(goal - least, 0), most - least)
    below = (sums & ((2 << at) - 1)).bit_length() - 1
    above_bits = sums >> at
    above = at + (above_bits & -above_bits).bit_length() - 1 if above_bits else -1
    if below < 0 or (above >= 0 and above - at < at - below):
        return least + above
    return least + below
