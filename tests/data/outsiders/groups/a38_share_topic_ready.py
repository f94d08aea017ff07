"""share: a topic counts as assignable as soon as one of its partitions is, so partitions that a topic has just gained are assigned before they are initialised."""
# expect: VIOLATED assignable
META = {"kind": "share-assignor", "claims": ["assignable", "order-independent", "deterministic"]}


class ByTopic:
    @staticmethod
    def ready_topics(partitions_per_topic, assignable):
        if assignable is None:
            return set(partitions_per_topic)
        return {topic for topic, _ in assignable}

    def assign(self, partitions_per_topic, members, assignable=None):
        ready = self.ready_topics(partitions_per_topic, assignable)
        given = {m["id"]: [] for m in members}
        for topic in sorted(set(partitions_per_topic) & ready):
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            count = partitions_per_topic[topic]
            if not readers:
                continue
            for n in range(max(len(readers), count) if count else 0):
                given[readers[n % len(readers)]].append((topic, n % count))
        return given
