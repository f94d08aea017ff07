"""When a topic is added the remembered answer is extended through a shallow copy, so after the topic is deleted again the old answer is found with the deleted topic's partitions in it."""
# expect: VIOLATED exists
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent"]}


class Incremental:
    def __init__(self):
        self.memo = {}  # (members, topics) -> answer

    def assign(self, partitions_per_topic, members):
        who = frozenset((m["id"], frozenset(m["topics"])) for m in members)
        topics = sorted(partitions_per_topic.items())
        key = (who, tuple(topics))
        if key in self.memo:
            return self.memo[key]
        given, todo = {m["id"]: [] for m in members}, topics
        for cut in range(len(topics) - 1, 0, -1):
            before = self.memo.get((who, tuple(topics[:cut])))
            if before is not None:
                given, todo = dict(before), topics[cut:]  # only the topics that are new
                break
        for topic, count in todo:
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(count if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        self.memo[key] = given
        return given
