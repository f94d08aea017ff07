"""Members are ordered by the number at the end of their id only, so billing-1 and payments-1 tie and the order in which they are listed decides."""
# expect: VIOLATED order-independent
import re

META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic"]}

TAIL = re.compile(r"(\d+)$")


def ordinal(member_id):
    """web-2 stands before web-10."""
    found = TAIL.search(member_id)
    return int(found.group(1)) if found else -1


class OrdinalAssignor:
    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        ranked = sorted((m for m in members), key=lambda m: ordinal(m["id"]))
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in ranked if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: len(given[r]))
                given[taker].append((topic, partition))
        return given
