"""A custom assignor as teams write them: partitions with the most lag go to the least loaded member."""

META = {"kind": "assignor", "protocol": "eager", "claims": ["weighted-spread:2", "order-independent"]}


class LagAssignor:
    """Longest processing time first, over the members that read the topic."""

    def assign(self, partitions_per_topic, members, partition_weights=None):
        weights = partition_weights or {}
        readers = {m["id"]: set(m["topics"]) for m in members}
        given = {member_id: [] for member_id in readers}
        carried = dict.fromkeys(readers, 0)
        wanted = {topic for topics in readers.values() for topic in topics}
        partitions = [(t, p) for t, n in partitions_per_topic.items() if t in wanted for p in range(n)]
        for tp in sorted(partitions, key=lambda tp: (-weights.get(tp, 1), tp)):
            able = [member_id for member_id, topics in readers.items() if tp[0] in topics]
            taker = min(able, key=lambda member_id: (carried[member_id], len(given[member_id]), member_id))
            given[taker].append(tp)
            carried[taker] += weights.get(tp, 1)
        return given
