"""A subscription matches by prefix, so a member that reads orders is also given orders-dlq, which it did not subscribe to."""
# expect: VIOLATED subscribed
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


def reads(member, topic):
    """Whether one of the member's subscriptions covers the topic (written for pattern subscriptions)."""
    return any(topic.startswith(subscription) for subscription in member["topics"])


class PatternAssignor:
    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if reads(m, topic)]
            if not readers:
                continue
            for partition in range(partitions_per_topic[topic]):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
