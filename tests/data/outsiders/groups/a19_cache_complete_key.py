"""Right although it caches: the key is everything that the answer depends on, the cache is bounded, and copies are stored and returned."""
# expect: CERTIFIED
from collections import OrderedDict

META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}

KEPT = 32


class Cached:
    def __init__(self):
        self.answers = OrderedDict()

    def assign(self, partitions_per_topic, members):
        key = (
            tuple(sorted(partitions_per_topic.items())),
            tuple(sorted((m["id"], tuple(sorted(set(m["topics"])))) for m in members)),
        )
        if key in self.answers:
            self.answers.move_to_end(key)
        else:
            self.answers[key] = self.compute(*key)
            while len(self.answers) > KEPT:
                self.answers.popitem(last=False)
        return {i: list(tps) for i, tps in self.answers[key].items()}

    @staticmethod
    def compute(topics, members):
        given = {i: [] for i, _ in members}
        for topic, count in topics:
            readers = [i for i, subscribed in members if topic in subscribed]
            for partition in range(count if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return {i: tuple(tps) for i, tps in given.items()}
