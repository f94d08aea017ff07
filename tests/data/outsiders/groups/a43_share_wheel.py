"""share: right although two wheels turn at once: each member and each partition comes up equally often, over all topics where all read the same, else in each topic."""
# expect: CERTIFIED
META = {"kind": "share-assignor", "claims": ["assignable", "shared-evenly", "balanced-within-one", "stable", "order-independent", "deterministic"]}


def turn(given, readers, partitions):
    """As many steps as the longer wheel has places: the shorter one comes up within one as often at each place."""
    if readers and partitions:
        for n in range(max(len(readers), len(partitions))):
            given[readers[n % len(readers)]].append(partitions[n % len(partitions)])


class Wheels:
    def assign(self, partitions_per_topic, members, assignable=None):
        allowed = None if assignable is None else {tuple(tp) for tp in assignable}
        usable = {}
        for topic in sorted(partitions_per_topic):
            ready = [(topic, p) for p in range(partitions_per_topic[topic]) if allowed is None or (topic, p) in allowed]
            if ready:
                usable[topic] = ready
        reads = {m["id"]: frozenset(t for t in m["topics"] if t in usable) for m in members}
        given = {i: [] for i in reads}
        if len(set(reads.values())) == 1:
            turn(given, sorted(reads), [tp for topic in usable if topic in next(iter(reads.values())) for tp in usable[topic]])
            return given
        for topic, ready in usable.items():
            turn(given, sorted(i for i in reads if topic in reads[i]), ready)
        return given
