"""server: partitions are kept in a hash table of 1024 slots that never grows, so a group with more partitions searches for a free slot for ever."""
# expect: VIOLATED terminates
from zlib import crc32

META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}

SLOTS = 1024


class OwnerTable:
    def __init__(self):
        self.keys = [None] * SLOTS
        self.owners = [None] * SLOTS

    def put(self, topic, partition, owner):
        at = crc32(f"{topic}:{partition}".encode()) & (SLOTS - 1)
        while self.keys[at] is not None:
            at = (at + 1) & (SLOTS - 1)
        self.keys[at] = (topic, partition)
        self.owners[at] = owner


class Tabled:
    def assign(self, partitions_per_topic, members):
        table = OwnerTable()
        load = {m["id"]: 0 for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (load[r], r))
                load[taker] += 1
                table.put(topic, partition, taker)
        given = {i: [] for i in load}
        for key, owner in zip(table.keys, table.owners):
            if key is not None:
                given[owner].append(key)
        return given
