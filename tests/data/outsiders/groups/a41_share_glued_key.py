"""share: assignable partitions are looked up as topic and number written together, so partition 10 of logs passes for partition 0 of logs1 and an uninitialised one is assigned."""
# expect: VIOLATED assignable
META = {"kind": "share-assignor", "claims": ["assignable", "order-independent", "deterministic"]}


def key(topic, partition):
    return f"{topic}{partition}"


class Glued:
    def assign(self, partitions_per_topic, members, assignable=None):
        ready = None if assignable is None else {key(topic, partition) for topic, partition in assignable}
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            usable = [
                (topic, partition)
                for partition in range(partitions_per_topic[topic])
                if ready is None or key(topic, partition) in ready
            ]
            if not readers or not usable:
                continue
            for n in range(max(len(readers), len(usable))):
                given[readers[n % len(readers)]].append(usable[n % len(usable)])
        return given
