"""A partition is withheld only while an owner that still reads the topic has it, so it is given away in the very round in which its owner drops the topic and has not revoked it yet."""
# expect: VIOLATED cooperative
META = {"kind": "assignor", "protocol": "cooperative", "claims": ["balanced-within-one", "order-independent", "deterministic"]}


class Withholding:
    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        holders = {}
        for m in members:
            for topic, partition in m["owned"]:
                if topic in m["topics"]:
                    holders.setdefault((topic, partition), set()).add(m["id"])
        return {
            i: [tp for tp in tps if not holders.get(tp, set()) - {i}]
            for i, tps in given.items()
        }
