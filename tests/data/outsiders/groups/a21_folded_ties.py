"""Right although it folds case and normalises ids: that only orders members of equal load, and the id itself decides where two names fold to the same."""
# expect: CERTIFIED
import unicodedata

META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


def friendly(member_id):
    """The order in which people expect to see the members in a list."""
    return unicodedata.normalize("NFKC", member_id).casefold()


class Friendly:
    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        rank = {i: n for n, i in enumerate(sorted(given, key=lambda i: (friendly(i), i)))}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), rank[r]))
                given[taker].append((topic, partition))
        return given
