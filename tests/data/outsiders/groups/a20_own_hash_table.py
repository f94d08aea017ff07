"""Right although it has its own hash table of loads: it doubles before it is full, compares whole keys, and only the loads and ids decide."""
# expect: CERTIFIED
from zlib import crc32

META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class Table:
    def __init__(self, size=4):
        self.slots = [None] * size
        self.used = 0

    def slot(self, key):
        at = crc32(key.encode("utf-8", "surrogatepass")) % len(self.slots)
        while self.slots[at] is not None and self.slots[at][0] != key:
            at = (at + 1) % len(self.slots)
        return at

    def add(self, key, amount):
        at = self.slot(key)
        if self.slots[at] is not None:
            self.slots[at][1] += amount
            return
        if 2 * (self.used + 1) > len(self.slots):
            old, self.slots = self.slots, [None] * (2 * len(self.slots))
            for entry in filter(None, old):
                self.slots[self.slot(entry[0])] = entry
            at = self.slot(key)
        self.slots[at] = [key, amount]
        self.used += 1

    def get(self, key):
        entry = self.slots[self.slot(key)]
        return entry[1] if entry else 0


class Hashed:
    def assign(self, partitions_per_topic, members):
        loads = Table()
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (loads.get(r), r))
                loads.add(taker, 1)
                given[taker].append((topic, partition))
        return given
