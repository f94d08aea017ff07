"""A placer that begins each partition's replicas with the same broker."""


class SkewedLeaders:
    META = {"kind": "placer", "claims": ["leaders-even"]}  # noqa: RUF012

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        ids = sorted(broker["id"] for broker in brokers)
        if replication_factor > len(ids):
            raise ValueError(f"{replication_factor} replicas on {len(ids)} brokers")
        return [ids[:replication_factor] for _ in range(num_partitions)]
