"""server: right although it shuffles: the seed is made of the sorted ids, by an algorithm that is the same in every process."""
# expect: CERTIFIED
import hashlib
import random

META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class Shuffled:
    @staticmethod
    def ranks(ids):
        digest = hashlib.sha256()
        for i in sorted(ids):
            raw = i.encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(4, "big") + raw)
        order = sorted(ids)
        random.Random(int.from_bytes(digest.digest(), "big")).shuffle(order)
        return {i: n for n, i in enumerate(order)}

    def assign(self, partitions_per_topic, members):
        rank = self.ranks([m["id"] for m in members])
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), rank[r]))
                given[taker].append((topic, partition))
        return given
