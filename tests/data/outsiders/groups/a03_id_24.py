"""Members are told apart by the first 24 characters of their id, so pods whose long client ids share them are one member and the others stay idle."""
# expect: VIOLATED balanced-within-one
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic"]}

WIDTH = 24  # what fits into a column of our dashboard


class ShortNames:
    def assign(self, partitions_per_topic, members):
        full = {}
        subscriptions = {}
        for m in sorted(members, key=lambda m: m["id"]):
            full[m["id"][:WIDTH]] = m["id"]
            subscriptions.setdefault(m["id"][:WIDTH], set()).update(m["topics"])
        for short, member_id in full.items():
            own = next(set(m["topics"]) for m in members if m["id"] == member_id)
            subscriptions[short] &= own
        load = dict.fromkeys(full, 0)
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [s for s in full if topic in subscriptions[s]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                short = min(readers, key=lambda s: (load[s], s))
                load[short] += 1
                given[full[short]].append((topic, partition))
        return given
