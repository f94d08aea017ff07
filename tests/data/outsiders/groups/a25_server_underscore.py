"""server: members whose id starts with an underscore are taken for internal ones and receive nothing, but base64 member ids of KIP-848 consumers may start so."""
# expect: VIOLATED balanced-within-one complete
META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


def internal(name):
    """Like __consumer_offsets and _schemas."""
    return name.startswith("_")


class Uniform:
    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        working = sorted((m for m in members if not internal(m["id"])), key=lambda m: m["id"])
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in working if topic in m["topics"]]
            if not readers:
                continue
            for partition in range(partitions_per_topic[topic]):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
