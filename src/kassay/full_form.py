"""Public names for classes in the full form; they stay stable.

from kassay.full_form import Assignment, AssignorBase, Cluster, Group

class Mine(AssignorBase):
    name = "mine"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        return Assignment({member.member_id: () for member in group.members})
"""

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import Assignor, AssignorBase, GroupMetadata
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member
from kassay.model.kinds import RebalanceProtocol

__all__ = (
    "NO_GENERATION",
    "Assignment",
    "Assignor",
    "AssignorBase",
    "Broker",
    "Cluster",
    "Group",
    "GroupMetadata",
    "Member",
    "RebalanceProtocol",
    "Topic",
    "TopicPartition",
)
