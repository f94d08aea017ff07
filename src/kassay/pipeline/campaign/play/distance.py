"""The distance between what a target answered in one history and the certified optimum."""

from __future__ import annotations

from typing import Any

from kassay.certify.kinds.group_oracle import best_of_group
from kassay.model.calls import Failure
from kassay.model.cluster import TopicPartition
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.step import Rebalanced, Step
from kassay.pipeline.campaign.records.schemas import DISTANCE
from kassay.properties.groups.balance import ORDER
from kassay.solver.consumers.gap import shortfall
from kassay.solver.consumers.optimum import Figures


class Distance:
    """Adds up the gaps of one history's outcomes; `see` is shown each rebalance.

    Movement is a gap only where the loads are optimal, rack locality only where the moves are the
    fewest as well: the goals are lexicographic.
    """

    def __init__(self) -> None:
        self._sums = dict.fromkeys((c.name for c in DISTANCE if c.type in ("int", "bigint")), 0)
        self._equal = True
        self._rounds: list[int] = []

    def see(self, rebalanced: Rebalanced) -> None:
        """Take in the outcomes of one rebalance."""
        if isinstance(rebalanced.steps[-1].answer, Failure):
            return
        if rebalanced.settled:
            # The last round only shows that the group is at rest.
            self._rounds.append(max(1, len(rebalanced.steps) - 1))
        else:
            self._sums["unsettled"] += 1
        for outcome in rebalanced.outcomes:
            self.measure(outcome)

    def measure(self, outcome: Step) -> None:
        """Take in one outcome."""
        sums = self._sums
        best = best_of_group(outcome, ORDER)
        loads = sorted(outcome.loads.values())
        if not _valid(outcome, sum(best.loads)):
            sums["invalid"] += 1
            return
        sums["outcomes"] += 1
        sums["members"] = max(sums["members"], len(loads))
        sums["partitions"] = max(sums["partitions"], sum(loads))
        self._equal = self._equal and outcome.group.equal_subscriptions
        mine = Figures(
            tuple(loads),
            len(moved(outcome.given, outcome.previous)),
            len(rack_mismatches(outcome.cluster, outcome.group, outcome.given)),
        )
        far = shortfall(mine, Figures(best.loads, best.moved, best.mismatched))
        sums["moved"] += mine.moved
        sums["moved_least"] += best.moved
        sums["unbalanced"] += far.balance > 0
        sums["spread_worst"] = max(sums["spread_worst"], far.spread)
        for goal, value in (("balance", far.balance), ("movement", far.movement), ("rack", far.rack)):
            sums[goal] += value or 0
            sums[f"{goal}_worst"] = max(sums[f"{goal}_worst"], value or 0)

    def row(self) -> dict[str, Any]:
        """The columns of the table `gaps`, the history's own left out."""
        return {**self._sums, "equal": self._equal, "rounds": self._rounds}


def _valid(outcome: Step, partitions: int) -> bool:
    """Whether the answer is one that the optimum can be compared with: every partition once, to a reader."""
    owners: set[TopicPartition] = set()
    given = 0
    for member_id, tps in outcome.given.items():
        read = outcome.read.get(member_id, frozenset())
        if any(tp[0] not in read or not outcome.cluster.has(tp) for tp in tps):
            return False
        owners.update(tps)
        given += len(tps)
    return given == len(owners) == partitions
