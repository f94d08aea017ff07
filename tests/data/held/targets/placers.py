"""A plain placer whose `META` stands in the module."""

META = {"kind": "placer", "claims": ["replicas-even"]}


class InTurn:
    """Goes round the brokers from the lowest id on, racks or no racks."""

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        ids = sorted(broker["id"] for broker in brokers)
        start = len(existing or [])
        return [
            [ids[(number + k) % len(ids)] for k in range(replication_factor)]
            for number in range(start, start + num_partitions)
        ]
