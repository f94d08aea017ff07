"""What to do with a group: the candidates that balance it best for the fewest moves, or nothing."""

from __future__ import annotations

from typing import NamedTuple

from kassay.engines.clusters.played import PlayedStep
from kassay.engines.clusters.whatif import WhatIf
from kassay.writing.text import counted


class Recommendation(NamedTuple):
    """The best candidates by name, equal in all figures here; none where the group is best left as it is.

    `unowned` partitions get an owner by the switch. `moved` and `paused` are partitions, as in `PlayedStep`.
    """

    names: tuple[str, ...]
    spread_now: int
    spread: int
    idle_now: int
    idle: int
    unowned: int
    moved: int
    paused: int

    @property
    def stays(self) -> bool:
        """Whether nothing is better than today."""
        return not self.names

    @property
    def words(self) -> str:
        """What to do, in a few words."""
        if self.stays:
            return "Keep the assignment of today"
        return f"Switch to {' or '.join(self.names)}"

    @property
    def reason(self) -> str:
        """What that changes, with its cost, as a sentence."""
        if self.stays:
            return f"Spread {self.spread_now}: no candidate balances the group better."
        moves = f"{counted(self.moved, 'move')}, {self.paused} paused"
        gains = [] if self.spread == self.spread_now else [f"spread {self.spread_now} to {self.spread}"]
        gains += [] if not self.idle_now else [f"{counted(self.idle_now, 'idle member')} to {self.idle}"]
        gains += [] if not self.unowned else [f"{counted(self.unowned, 'partition')} get an owner"]
        said = ", ".join([*gains, moves])
        return f"{said[:1].upper()}{said[1:]}."


def recommend(answer: WhatIf) -> Recommendation:
    """The candidates with the fewest unassigned partitions, then idle members, spread, moves and pauses.

    Only those that become stable count, and only if they leave fewer partitions without an owner, fewer
    members idle, or a smaller spread than today.
    """
    today, unowned = answer.today, len(answer.unowned)
    able = [
        (_rank(each.switch), each.spec)
        for each in answer.candidates
        if each.failure is None and each.switch is not None and each.switch.rounds is not None
    ]
    better = [(rank, spec) for rank, spec in able if rank[:3] < (unowned, len(today.idle), today.spread)]
    if not better:
        return Recommendation((), today.spread, today.spread, len(today.idle), len(today.idle), 0, 0, 0)
    best = min(rank for rank, _ in better)
    unassigned, idle, spread, moved, paused = best
    names = tuple(spec for rank, spec in better if rank == best)
    return Recommendation(
        names, today.spread, spread, len(today.idle), idle, unowned - unassigned, moved, paused
    )


def _rank(step: PlayedStep) -> tuple[int, int, int, int, int]:
    """The figures in the order in which they count, each at its worst over the ids of newcomers."""
    unassigned, idle, spread, moved, paused = (
        step.range_of(figure).most for figure in ("unassigned", "idle", "spread", "moved", "paused")
    )
    return unassigned, idle, spread, moved, paused
