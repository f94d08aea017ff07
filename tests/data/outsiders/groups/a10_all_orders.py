"""Every order of the members is tried for the one that moves least, so a group of eleven members or more takes hours."""
# expect: VIOLATED terminates
from itertools import permutations

META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic"]}


class BestOrder:
    def assign(self, partitions_per_topic, members):
        topics_of = {m["id"]: set(m["topics"]) for m in members}
        owned = {m["id"]: {tuple(tp) for tp in m["owned"]} for m in members}
        best, least = None, None
        for order in permutations(sorted(topics_of)):
            given = self.deal(partitions_per_topic, topics_of, order)
            moved = sum(tp not in owned[i] for i, tps in given.items() for tp in tps)
            if least is None or moved < least:
                best, least = given, moved
        return best if best is not None else {}

    @staticmethod
    def deal(partitions_per_topic, topics_of, order):
        given = {i: [] for i in topics_of}
        rank = {i: n for n, i in enumerate(order)}
        for topic in sorted(partitions_per_topic):
            readers = [i for i in order if topic in topics_of[i]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), rank[r]))
                given[taker].append((topic, partition))
        return given
