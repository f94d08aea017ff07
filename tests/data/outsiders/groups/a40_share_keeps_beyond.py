"""share: a member keeps what it has if it still reads the topic, so after a topic is recreated with fewer partitions it keeps partitions that do not exist."""
# expect: VIOLATED exists
META = {"kind": "share-assignor", "claims": ["assignable", "stable", "order-independent", "deterministic"]}


class Keeping:
    def assign(self, partitions_per_topic, members, assignable=None):
        allowed = None if assignable is None else {tuple(tp) for tp in assignable}
        given = {}
        for m in members:
            kept = {(topic, partition) for topic, partition in m["owned"] if topic in m["topics"] and topic in partitions_per_topic}
            given[m["id"]] = sorted(kept)
        for topic in sorted(partitions_per_topic):
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            usable = [(topic, p) for p in range(partitions_per_topic[topic]) if allowed is None or (topic, p) in allowed]
            if not readers or not usable:
                continue
            taken = {tp for tps in given.values() for tp in tps}
            for tp in usable:
                if tp not in taken:
                    given[min(readers, key=lambda r: (len(given[r]), r))].append(tp)
            for reader in readers:
                if not given[reader]:
                    sharers = {tp: sum(tp in tps for tps in given.values()) for tp in usable}
                    given[reader].append(min(usable, key=lambda tp: (sharers[tp], tp)))
        return given
