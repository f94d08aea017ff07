"""server: the remainder starts at another member for every group that the object has seen, so a group's answer changes once the same broker serves a second group."""
# expect: VIOLATED deterministic
META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic"]}


class Staggered:
    """Small groups would all load the first member of the alphabet: stagger the groups."""

    def __init__(self):
        self.known = set()
        self.groups = -1

    def assign(self, partitions_per_topic, members):
        ids = sorted(m["id"] for m in members)
        if ids and not self.known.intersection(ids):
            self.groups += 1
        self.known.update(ids)
        start = max(self.groups, 0) % len(ids) if ids else 0
        rank = {i: n for n, i in enumerate(ids[start:] + ids[:start])}
        given = {i: [] for i in ids}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), rank[r]))
                given[taker].append((topic, partition))
        return given
