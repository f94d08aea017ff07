"""Partitions are placed by a function that calls itself once for each, so a group that reads a thousand partitions or more raises RecursionError."""
# expect: VIOLATED total
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class Recursive:
    def assign(self, partitions_per_topic, members):
        readers = {
            topic: sorted(m["id"] for m in members if topic in m["topics"])
            for topic in partitions_per_topic
        }
        todo = [
            (topic, partition)
            for topic in sorted(partitions_per_topic)
            if readers[topic]
            for partition in range(partitions_per_topic[topic])
        ]
        given = {m["id"]: [] for m in members}
        return self.place(todo, 0, readers, given)

    def place(self, todo, at, readers, given):
        if at == len(todo):
            return given
        topic, _ = todo[at]
        taker = min(readers[topic], key=lambda r: (len(given[r]), r))
        given[taker].append(todo[at])
        return self.place(todo, at + 1, readers, given)
