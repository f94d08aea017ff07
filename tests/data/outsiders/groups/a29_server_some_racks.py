"""server: members are sorted by rack and id, which raises TypeError while only some of them have client.rack set, as during its rollout."""
# expect: VIOLATED total
from itertools import groupby

META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class RackTurns:
    @staticmethod
    def ranks(members):
        """First the first member of each rack, then the second of each, and so on."""
        ordered = sorted(members, key=lambda m: (m["rack"], m["id"])) if any(m["rack"] for m in members) else list(members)
        rank = {}
        for _, rack in groupby(ordered, key=lambda m: m["rack"]):
            for n, m in enumerate(sorted(rack, key=lambda m: m["id"])):
                rank[m["id"]] = n
        return rank

    def assign(self, partitions_per_topic, members):
        rank = self.ranks(members)
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), rank[r], r))
                given[taker].append((topic, partition))
        return given
