"""share: a partition that was assignable once is remembered as such, so after a topic is deleted and recreated its partitions are assigned before they are initialised again."""
# expect: VIOLATED assignable
META = {"kind": "share-assignor", "claims": ["assignable", "order-independent"]}


class Remembered:
    def __init__(self):
        self.ready = set()

    def assign(self, partitions_per_topic, members, assignable=None):
        if assignable is not None:
            self.ready.update(tuple(tp) for tp in assignable)
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            every = [(topic, p) for p in range(partitions_per_topic[topic])]
            usable = every if assignable is None else [tp for tp in every if tp in self.ready]
            if not readers or not usable:
                continue
            for n in range(max(len(readers), len(usable))):
                given[readers[n % len(readers)]].append(usable[n % len(usable)])
        return given
