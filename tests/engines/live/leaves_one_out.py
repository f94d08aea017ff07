"""An assignor with a fault, for kafka-python: members get partitions in turn, and the last partition is left out."""

from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment


class LeavesOneOut(RoundRobinPartitionAssignor):
    name = "leaves-one-out"

    @classmethod
    def assign(cls, cluster, members):
        topics = sorted({topic for member in members for topic in member.metadata.topics})
        ids, given = [member.member_id for member in members], {}
        for topic in topics:
            numbers = sorted(cluster.partitions_for_topic(topic) or ())[:-1]
            for index, number in enumerate(numbers):
                given.setdefault(ids[index % len(ids)], {}).setdefault(topic, []).append(number)
        return {
            each: ConsumerProtocolAssignment(cls.version, sorted(given.get(each, {}).items()), b"")
            for each in ids
        }
