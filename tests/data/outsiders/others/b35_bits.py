"""Right although it keeps rows as bits of a number: a bit is the position in the sorted list and not the id, and Python's numbers have no 64th bit to overflow."""
# expect: CERTIFIED
from collections import Counter

META = {"claims": ["rack-spread", "no-fenced-leader", "order-independent"]}

class Bits:
    def place(self, num_partitions, replication_factor, brokers, existing=None):
        if replication_factor > len(brokers):
            raise ValueError(f"{replication_factor} replicas need more than {len(brokers)} brokers")
        hosts = sorted(brokers, key=lambda broker: broker["id"])
        count, lead = [0] * len(hosts), [0] * len(hosts)
        rows = []
        for _ in range(num_partitions):
            used, near = 0, Counter()
            for _ in range(replication_factor):
                free = [k for k in range(len(hosts)) if not used >> k & 1]
                at = min(free, key=lambda k: (near[hosts[k]["rack"]], count[k], lead[k], k))
                used |= 1 << at
                count[at] += 1
                if hosts[at]["rack"] is not None:
                    near[hosts[at]["rack"]] += 1
            row = [k for k in range(len(hosts)) if used >> k & 1]
            row.sort(key=lambda k: (hosts[k]["fenced"], lead[k], k))
            if row:
                lead[row[0]] += 1
            rows.append([hosts[k]["id"] for k in row])
        return rows
