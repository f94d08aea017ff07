"""Right although a partition that two members report goes to neither: both revoke it, and the next round gives it to its new owner."""
# expect: CERTIFIED
META = {"kind": "assignor", "protocol": "cooperative", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class Careful:
    def assign(self, partitions_per_topic, members):
        goal = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(goal[r]), r))
                goal[taker].append((topic, partition))
        holders = {}
        for m in members:
            for topic, partition in m["owned"]:
                holders.setdefault((topic, partition), set()).add(m["id"])
        return {
            i: [tp for tp in tps if holders.get(tp, set()) <= {i}]
            for i, tps in goal.items()
        }
