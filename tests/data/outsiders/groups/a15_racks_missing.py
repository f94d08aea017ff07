"""Where racks are known they are looked up for every partition, so one partition without them (its brokers are down, or the topic is new) raises KeyError."""
# expect: VIOLATED total
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic"]}


class NearestFirst:
    def assign(self, partitions_per_topic, members, replica_racks=None):
        rack_of = {m["id"]: m["rack"] for m in members}
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                near = self.near(replica_racks, (topic, partition), rack_of)
                taker = min(readers, key=lambda r: (len(given[r]), r not in near, r))
                given[taker].append((topic, partition))
        return given

    @staticmethod
    def near(replica_racks, tp, rack_of):
        """The members in a rack with a replica."""
        if not replica_racks or not any(rack_of.values()):
            return set()
        racks = set(replica_racks[tp])
        return {i for i, rack in rack_of.items() if rack in racks}
