"""Optimal cooperative: the certified best assignment in two rounds (KIP-429).

The goals are those of `optimal-sticky`. A partition that changes its owner is withheld in the round in which
its owner learns that it loses it, and assigned in the next: no member receives a partition that another owns
at the highest generation. A partition that several members report as owned at that generation has no previous
owner and is withheld from all of them.

Why the second round ends at the optimum of the first: what was not withheld is owned as planned, so the plan
itself costs no move in the second round. Any assignment that the second round prefers has the plan's loads,
keeps the same partitions, and places the withheld ones where racks are no worse; counted from the owners
before the first round it moves no more than the plan, which was optimal. The second round revokes nothing, so
a change settles after one revoking round.
Source: kassay's own; `kassay.solver`. KIP-429 for the two rounds, KIP-792 for generations.
Cost: as `optimal-sticky`, plus one pass over the owned partitions.
"""

from __future__ import annotations

from kassay.assignors.groups.client.optimal_sticky import CLAIMS
from kassay.assignors.registry import COOPERATIVE, reference
from kassay.model.cluster import Cluster
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group


@reference(
    "optimal-cooperative",
    claims=(*CLAIMS, "cooperative"),
    source="kassay.solver.groups.optimum",
    protocol=COOPERATIVE,
)
class OptimalCooperative(AssignorBase):
    """Reaches the certified best balance at the fewest moves; revokes before it assigns to a new owner."""

    name = "optimal-cooperative"
    protocols = (COOPERATIVE,)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions by topic and number, without those that another member still owns."""
        # Imported here, so that users of other rules do not load the solver.
        from kassay.solver.groups.optimum import remembered_optimum

        planned = remembered_optimum(cluster, group).assignment
        reported_owners = group.reported_owners
        return Assignment(
            {
                member: [tp for tp in tps if tp not in reported_owners or reported_owners[tp][1] == member]
                for member, tps in planned.items()
            }
        )
