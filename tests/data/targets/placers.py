# ruff: noqa
"""Plain placers."""

META = {"kind": "placer", "protocol": None, "claims": ["replicas-distinct"]}


class InTurn:
    def place(self, num_partitions, replication_factor, brokers, existing=None):
        ids = sorted(b["id"] for b in brokers)
        if replication_factor > len(ids):
            raise ValueError("not enough brokers")
        start = len(existing or [])
        return [
            [ids[(p + k) % len(ids)] for k in range(replication_factor)]
            for p in range(start, start + num_partitions)
        ]


class NoExisting:
    def place(self, num_partitions, replication_factor, brokers):
        return [[brokers[0]["id"]] * replication_factor for _ in range(num_partitions)]


class AnswersStrings:
    def place(self, num_partitions, replication_factor, brokers, existing=None):
        return [["0"]] * num_partitions
