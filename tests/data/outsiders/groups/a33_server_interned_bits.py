"""server: right although the object numbers members in the order in which it first saw them: the numbers are only bits of a set, and ids break ties."""
# expect: CERTIFIED
META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class Interned:
    def __init__(self):
        self.number = {}

    def bit(self, member_id):
        return 1 << self.number.setdefault(member_id, len(self.number))

    def assign(self, partitions_per_topic, members):
        if len(self.number) > 10_000:
            self.number = {}  # safe: the bits live no longer than a call
        readers_of = {}
        for m in members:
            for topic in m["topics"]:
                readers_of[topic] = readers_of.get(topic, 0) | self.bit(m["id"])
        ids = sorted(m["id"] for m in members)
        given = {i: [] for i in ids}
        for topic in sorted(partitions_per_topic):
            bits = readers_of.get(topic, 0)
            readers = [i for i in ids if bits & self.bit(i)]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
