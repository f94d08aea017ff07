"""share: right although every reader of a topic has every partition of it that may be assigned: a share group allows that, and all have the same."""
# expect: CERTIFIED
META = {"kind": "share-assignor", "claims": ["assignable", "shared-evenly", "balanced-within-one", "stable", "order-independent", "deterministic"]}


class Everyone:
    def assign(self, partitions_per_topic, members, assignable=None):
        allowed = None if assignable is None else {tuple(tp) for tp in assignable}
        usable = {
            topic: [
                (topic, partition)
                for partition in range(count)
                if allowed is None or (topic, partition) in allowed
            ]
            for topic, count in partitions_per_topic.items()
        }
        return {
            m["id"]: [tp for topic in sorted(set(m["topics"]) & set(usable)) for tp in usable[topic]]
            for m in members
        }
