"""share: an empty list of assignable partitions is taken for none given, so in a new group, where nothing is initialised yet, everything is assigned."""
# expect: VIOLATED assignable
META = {"kind": "share-assignor", "claims": ["assignable", "order-independent", "deterministic"]}


class Shared:
    def assign(self, partitions_per_topic, members, assignable=None):
        allowed = {tuple(tp) for tp in assignable} if assignable else None
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            ready = [
                (topic, partition)
                for partition in range(partitions_per_topic[topic])
                if allowed is None or (topic, partition) in allowed
            ]
            if not readers or not ready:
                continue
            for n in range(max(len(readers), len(ready))):
                given[readers[n % len(readers)]].append(ready[n % len(ready)])
        return given
