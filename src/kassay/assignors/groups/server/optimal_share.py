"""Optimal share: every partition with equally many members, and the fewest possible revocations.

Goals, in order: of M readers and P partitions each partition has ceil(M / P) members; the readers' counts are
within one; the fewest copies are revoked from their holders. If all members read the same topics, all topics
count together, else each by itself, as in Kafka's rule since 4.2. A partition that is not assignable goes to
no member, and a missing topic is no error.
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
    source="kassay.solver.groups.shares",
)
class OptimalShare(AssignorBase):
    """Shares everything evenly at the fewest revoked copies."""

    name = "optimal-share"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions by topic and number."""
        # Imported here, so that users of other rules do not load the solver.
        from kassay.solver.groups.shares import ShareProblem, best_sharing

        return Assignment(best_sharing(ShareProblem.of(cluster, group)).assignment)
