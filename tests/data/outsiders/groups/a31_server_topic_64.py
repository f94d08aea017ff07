"""server: partitions are marked as placed under the first 64 characters of the topic, so of two topics with longer names that begin alike the second one is not assigned."""
# expect: VIOLATED complete
import struct

META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}

KEY = struct.Struct(">64sI")


def key(topic, partition):
    """A key of fixed length: struct cuts and fills the name."""
    return KEY.pack(topic.encode(), partition)


class Packed:
    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        placed = set()
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                packed = key(topic, partition)
                if packed in placed:
                    continue
                placed.add(packed)
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
