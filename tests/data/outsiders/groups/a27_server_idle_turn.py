"""server: where more than eight members would be idle the process id says which, so the same group gets another answer after the coordinator moves to another broker."""
# expect: VIOLATED deterministic
import os

META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}

MANY_IDLE = 8


class IdleInTurn:
    """Not always the members at the end of the alphabet: they would never warm up."""

    @staticmethod
    def order(ids, partitions):
        ids = sorted(ids)
        if len(ids) - partitions <= MANY_IDLE:
            return ids
        start = os.getpid() % len(ids)
        return ids[start:] + ids[:start]

    def assign(self, partitions_per_topic, members):
        order = self.order([m["id"] for m in members], sum(partitions_per_topic.values()))
        rank = {i: n for n, i in enumerate(order)}
        given = {i: [] for i in order}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), rank[r]))
                given[taker].append((topic, partition))
        return given
