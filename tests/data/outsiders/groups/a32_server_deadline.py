"""server: after 50 milliseconds the rest goes to the first reader of each topic, so a large group or a busy broker gives one member far more than the others."""
# expect: VIOLATED balanced-within-one deterministic
import time

META = {"kind": "server-assignor", "claims": ["balanced-within-one", "order-independent", "deterministic"]}

BUDGET = 0.050  # the coordinator's thread must not be blocked


class Hasty:
    def assign(self, partitions_per_topic, members):
        until = time.monotonic() + BUDGET
        given = {m["id"]: [] for m in members}
        late = False
        for topic in sorted(partitions_per_topic):
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            for partition in range(partitions_per_topic[topic] if readers else 0):
                late = late or time.monotonic() > until
                if late:
                    taker = readers[0]
                else:
                    taker = min(readers, key=lambda r: (len(given[r]), r))
                given[taker].append((topic, partition))
        return given
