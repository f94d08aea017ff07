"""server: right although it caches each topic's readers between calls: the cache is dropped whenever any member or subscription is different, and partitions are never cached."""
# expect: CERTIFIED
META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class ReadersCache:
    def __init__(self):
        self.version = None
        self.readers = {}

    def refresh(self, members):
        version = frozenset((m["id"], frozenset(m["topics"])) for m in members)
        if version != self.version:
            self.version = version
            self.readers = {}

    def readers_of(self, topic, members):
        if topic not in self.readers:
            self.readers[topic] = tuple(sorted(m["id"] for m in members if topic in m["topics"]))
        return self.readers[topic]

    def assign(self, partitions_per_topic, members):
        self.refresh(members)
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = self.readers_of(topic, members)
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
