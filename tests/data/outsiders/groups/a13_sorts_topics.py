"""The list of a member's topics is sorted in place, so the caller's input changes where a member names its topics in another order than the alphabet's."""
# expect: VIOLATED pure
from bisect import bisect_left

META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


def reads(member, topic):
    at = bisect_left(member["topics"], topic)
    return at < len(member["topics"]) and member["topics"][at] == topic


class Bisecting:
    def assign(self, partitions_per_topic, members):
        for member in members:
            member["topics"].sort()
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if reads(m, topic)]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
