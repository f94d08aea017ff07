"""The lag that a member carries is summed in a signed 32-bit number, so a member that passes 2147483647 records seems to carry less than nothing and receives partitions until it has far more than the others."""
# expect: VIOLATED weighted-spread
META = {"kind": "assignor", "protocol": "eager", "claims": ["weighted-spread:2", "order-independent"]}


def int32(value):
    """As the metrics library that we report to does."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


class LagFirst:
    def assign(self, partitions_per_topic, members, partition_weights=None):
        weights = partition_weights or {}
        topics_of = {m["id"]: set(m["topics"]) for m in members}
        given = {i: [] for i in topics_of}
        carried = dict.fromkeys(topics_of, 0)
        read = set().union(*topics_of.values()) if topics_of else set()
        partitions = [(t, p) for t, n in partitions_per_topic.items() if t in read for p in range(n)]
        for tp in sorted(partitions, key=lambda tp: (-weights.get(tp, 1), tp)):
            able = [i for i, topics in topics_of.items() if tp[0] in topics]
            taker = min(able, key=lambda i: (carried[i], len(given[i]), i))
            given[taker].append(tp)
            carried[taker] = int32(carried[taker] + int(weights.get(tp, 1)))
        return given
