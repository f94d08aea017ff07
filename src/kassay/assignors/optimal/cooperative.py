"""Optimal cooperative: the certified best assignment in two rounds (KIP-429).

The goals are those of `optimal-sticky`. A partition that changes hands is withheld in the round in
which its holders learn that they lose it, and given out in the next: nobody receives what somebody
else claims at the highest generation. A partition claimed by several members at that generation has no
previous owner and is withheld from all of them.

Why the second round ends at the optimum of the first: what was not withheld is owned as planned,
so the plan itself costs no move in the second round. Whatever the second round prefers has the plan's
loads, keeps the same partitions, and puts the withheld ones where racks are no worse; counted from the
owners before the first round it moves no more than the plan, which was optimal. The second round
revokes nothing, so a change settles after one revoking round.
Source: kassay's own; `kassay.solver`. KIP-429 for the two rounds, KIP-792 for generations.
Cost: as `optimal-sticky`, plus one look at each claim.
"""

from __future__ import annotations

from kassay.assignors.optimal.sticky import CLAIMS
from kassay.assignors.registry import COOPERATIVE, reference
from kassay.model.cluster import Cluster
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group


@reference(
    "optimal-cooperative",
    claims=(*CLAIMS, "cooperative"),
    source="kassay.solver.consumers.optimum",
    protocol=COOPERATIVE,
)
class OptimalCooperative(AssignorBase):
    """Reaches the certified best balance at the fewest moves, and revokes before it hands over."""

    name = "optimal-cooperative"
    protocols = (COOPERATIVE,)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions by topic and number, without those that another still holds."""
        # Here, so that whoever looks for another rule waits for no solver.
        from kassay.solver.consumers.remembered import remembered_optimum

        planned = remembered_optimum(cluster, group).assignment
        claimants = group.claimants
        return Assignment(
            {
                member: [tp for tp in tps if tp not in claimants or claimants[tp][1] == member]
                for member, tps in planned.items()
            }
        )
