"""A static member that left and comes back is on probation and receives nothing in its first rebalance, although no other rebalance follows."""
# expect: VIOLATED balanced-within-one
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent"]}


class Probation:
    """Spares the group the members that crash in a loop."""

    def __init__(self):
        self.present = set()
        self.suspects = set()
        self.held_back = set()

    def assign(self, partitions_per_topic, members):
        name = {m["id"]: m["instance_id"] or m["id"] for m in members}
        here = set(name.values())
        if here != self.present:
            self.suspects |= self.present - here
            self.held_back = self.suspects & here
            self.suspects -= self.held_back
            self.present = here
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            trusted = [r for r in readers if name[r] not in self.held_back] or readers
            for partition in range(partitions_per_topic[topic] if trusted else 0):
                taker = min(trusted, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
