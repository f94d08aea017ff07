"""Right although it reads the clock and the environment and keeps state: these only feed statistics, which no answer reads."""
# expect: CERTIFIED
import os
import time

META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}


class Observed:
    def __init__(self):
        self.host = os.environ.get("HOSTNAME", "")
        self.calls = 0
        self.slowest = 0.0
        self.seen = set()

    def assign(self, partitions_per_topic, members):
        started = time.monotonic()
        given = {m["id"]: [] for m in members}
        for topic in sorted(partitions_per_topic):
            readers = [m["id"] for m in members if topic in m["topics"]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        self.calls += 1
        self.seen = set(given)
        self.slowest = max(self.slowest, time.monotonic() - started)
        return given

    def report(self):
        return f"{self.host}: {self.calls} rebalances, {len(self.seen)} members, slowest {self.slowest:.3f} s"
