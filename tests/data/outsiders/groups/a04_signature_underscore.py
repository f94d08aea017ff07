"""Members are put in classes by their topics joined with underscores, so readers of eu and orders_paid are in one class with readers of eu_orders and paid and are given those topics."""
# expect: VIOLATED subscribed
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class Classes:
    @staticmethod
    def classes(members):
        """Members with the same subscription: a lookup of a topic costs one step for each class, not for each member."""
        topics, ids = {}, {}
        for m in sorted(members, key=lambda m: m["id"]):
            signature = "_".join(sorted(set(m["topics"])))
            topics.setdefault(signature, frozenset(m["topics"]))
            ids.setdefault(signature, []).append(m["id"])
        return [(topics[signature], ids[signature]) for signature in sorted(topics)]

    def assign(self, partitions_per_topic, members):
        classes = self.classes(members)
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [i for topics, ids in classes if topic in topics for i in ids]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
