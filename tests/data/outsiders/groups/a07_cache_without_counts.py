"""Answers are cached by members and topic names without the number of partitions, so the partitions that a topic gains have no owner until a member joins or leaves."""
# expect: VIOLATED complete
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent"]}


class Remembering:
    def __init__(self):
        self.answers = {}

    def assign(self, partitions_per_topic, members):
        key = (
            frozenset((m["id"], frozenset(m["topics"])) for m in members),
            frozenset(partitions_per_topic),
        )
        if key not in self.answers:
            self.answers[key] = self.compute(partitions_per_topic, members)
        return {i: list(tps) for i, tps in self.answers[key].items()}

    @staticmethod
    def compute(partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
