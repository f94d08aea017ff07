# ruff: noqa
"""A full-form target that imports kassay's modules under the names that they had in version 0.1."""

from kassay.model.assignor import AssignorBase, GroupMetadata, RebalanceProtocol
from kassay.model.cluster import TopicPartition
from kassay.model.group import Assignment, Group, Member
from kassay.model.java import string_hash
from kassay.model.placement import PlacementRequest


class ByHash(AssignorBase):
    name = "by-hash"
    protocols = (RebalanceProtocol.EAGER,)

    def assign(self, cluster, group):
        import kassay.model.partitioner as partitioner

        assert partitioner.ProducerRecord
        members = sorted(member.member_id for member in group.members)
        first = members[string_hash("t") % len(members)]
        given = {member_id: () for member_id in members}
        return Assignment({**given, first: [tp for topic in cluster.topics for tp in topic.tps()]})
