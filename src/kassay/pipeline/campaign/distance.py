"""The distance between a target's answers in one history and the certified optimum.

Movement is judged only where the loads are optimal, rack locality only where the moves are the fewest as
well: the goals are lexicographic.
"""

from __future__ import annotations

from typing import Any

from kassay.kinds.measures import Measure
from kassay.kinds.registry import driver_for
from kassay.model.kinds import Kind
from kassay.pipeline.campaign.tables import DISTANCE


class Distance:
    """Sums the gaps of one history's outcomes; call `see` with each rebalance of the target's kind."""

    def __init__(self, kind: Kind) -> None:
        self._rest = driver_for(kind).rest
        self._sums = dict.fromkeys((c.name for c in DISTANCE if c.type in ("int", "bigint")), 0)
        self._equal = True
        self._rounds: list[int] = []

    def see(self, played: Any) -> None:
        """Add the outcomes of one rebalance."""
        seen = self._rest(played)
        if seen is None:
            return
        if seen.rounds is None:
            self._sums["unsettled"] += 1
        else:
            self._rounds.append(seen.rounds)
        for measure in seen.measures:
            self.take(measure)

    def take(self, measure: Measure | None) -> None:
        """Add one outcome; None if it cannot be measured."""
        sums = self._sums
        if measure is None:
            sums["invalid"] += 1
            return
        sums["outcomes"] += 1
        sums["members"] = max(sums["members"], measure.members)
        sums["partitions"] = max(sums["partitions"], measure.units)
        self._equal = self._equal and measure.equal
        sums["moved"] += measure.moved
        sums["moved_least"] += measure.moved_least
        sums["unbalanced"] += measure.balance > 0
        sums["spread_worst"] = max(sums["spread_worst"], measure.spread)
        for goal, value in (
            ("balance", measure.balance), ("movement", measure.movement), ("rack", measure.rack),
        ):  # fmt: skip
            sums[goal] += value or 0
            sums[f"{goal}_worst"] = max(sums[f"{goal}_worst"], value or 0)

    def row(self) -> dict[str, Any]:
        """The columns of the table `gaps`, without those that identify the history."""
        return {**self._sums, "equal": self._equal, "rounds": self._rounds}
