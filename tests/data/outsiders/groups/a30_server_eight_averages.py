"""server: no member may have more than eight times the average of the group, so where the only reader of a large topic is one of more than eight members some of its partitions have no owner."""
# expect: VIOLATED complete
META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}

FACTOR = 8


class Capped:
    def assign(self, partitions_per_topic, members):
        readers = {
            topic: [m["id"] for m in members if topic in m["topics"]]
            for topic in partitions_per_topic
        }
        total = sum(n for topic, n in partitions_per_topic.items() if readers[topic])
        cap = FACTOR * -(-total // len(members)) if members else 0
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            for partition in range(partitions_per_topic[topic]):
                able = [r for r in readers[topic] if len(given[r]) < cap]
                if not able:
                    continue
                taker = min(able, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
