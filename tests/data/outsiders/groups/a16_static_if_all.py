"""Members are ordered by instance id only if all are static, so one dynamic member in the group is enough for a restarted static member, which has a new member id, to receive other partitions."""
# expect: VIOLATED static-stable
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "static-stable", "order-independent", "deterministic"]}


def names(members):
    """What each member is ordered by: its instance id where that is possible."""
    if all(m["instance_id"] for m in members):
        return {m["id"]: m["instance_id"] for m in members}
    return {m["id"]: m["id"] for m in members}


class StaticOrder:
    def assign(self, partitions_per_topic, members):
        name = names(members)
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), name[r], r))
                given[taker].append((topic, partition))
        return given
