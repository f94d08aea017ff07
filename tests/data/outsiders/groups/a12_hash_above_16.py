"""In groups of more than 16 members ties are broken by hash(id), which Python salts in every process, so two leaders answer differently."""
# expect: VIOLATED deterministic
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic"]}

LARGE = 16


class Scattered:
    @staticmethod
    def ranks(ids):
        """In a large group neighbours in the alphabet are pods of one host: scatter them."""
        if len(ids) <= LARGE:
            return {i: (0, i) for i in ids}
        return {i: (hash(i), i) for i in ids}

    def assign(self, partitions_per_topic, members):
        rank = self.ranks([m["id"] for m in members])
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), rank[r]))
                given[taker].append((topic, partition))
        return given
