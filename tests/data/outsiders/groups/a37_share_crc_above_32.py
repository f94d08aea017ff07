"""share: in groups of more than 32 readers each picks its partition by a checksum of its id, so some partitions have many more members than others, or none."""
# expect: VIOLATED shared-evenly complete
from zlib import crc32

META = {"kind": "share-assignor", "claims": ["assignable", "shared-evenly", "order-independent", "deterministic", "stable"]}

MANY = 32


def share(given, readers, partitions):
    if not readers or not partitions:
        return
    if len(readers) > MANY:  # large groups change all the time: a checksum moves nobody else
        for reader in readers:
            given[reader].append(partitions[crc32(reader.encode()) % len(partitions)])
        return
    for n in range(max(len(readers), len(partitions))):
        given[readers[n % len(readers)]].append(partitions[n % len(partitions)])


class Checksummed:
    def assign(self, partitions_per_topic, members, assignable=None):
        allowed = None if assignable is None else {tuple(tp) for tp in assignable}
        topics_of = {m["id"]: frozenset(m["topics"]) & frozenset(partitions_per_topic) for m in members}
        usable = {
            topic: [(topic, p) for p in range(partitions_per_topic[topic]) if allowed is None or (topic, p) in allowed]
            for topic in sorted(partitions_per_topic)
        }
        given = {i: [] for i in topics_of}
        if len(set(topics_of.values())) == 1:
            topics = next(iter(topics_of.values()))
            share(given, sorted(topics_of), [tp for topic in usable if topic in topics for tp in usable[topic]])
        else:
            for topic, partitions in usable.items():
                share(given, sorted(i for i in topics_of if topic in topics_of[i]), partitions)
        return given
