"""Optimal share: every partition with as many members as any, and nothing taken back that could stay.

Goals, in order: of M readers and P partitions each partition has ceil(M / P) members; the readers' counts are
within one; the fewest copies are taken from who had them. All topics count together where all members read
the same, else each by itself, as in Kafka's rule since 4.2. What may not be given out goes to nobody, and a
topic that is not there is not refused.
Source: kassay's own; `kassay.solver`.
Cost: a maximum flow over the copies held; about 0.1 s for 500 members of 500 partitions.
"""

from __future__ import annotations

from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import SHARE


@reference(
    "optimal-share",
    kind=SHARE,
    claims=(
        "assignable",
        "shared-evenly",
        "balanced-within-one",
        "fewest-taken-back",
        "stable",
        "deterministic",
        "order-independent",
    ),
    source="kassay.solver.sharing.optimum",
)
class OptimalShare(AssignorBase):
    """Shares everything evenly at the fewest copies taken back."""

    name = "optimal-share"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions by topic and number."""
        # Here, so that whoever looks for another rule waits for no solver.
        from kassay.solver.sharing.optimum import best_sharing
        from kassay.solver.sharing.problem import ShareProblem

        return Assignment(best_sharing(ShareProblem.of(cluster, group)).assignment)
