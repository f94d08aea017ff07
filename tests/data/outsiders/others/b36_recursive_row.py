"""Right although it is recursive and sorts brokers in place: it halves the replicas that a row lacks, so the depth is small at any replication factor, and what it sorts is a copy."""
# expect: CERTIFIED
from collections import Counter

META = {"claims": ["rack-spread", "no-fenced-leader", "order-independent"]}

def fill(row, wanted, hosts, count):
    """The row with as many brokers more as are wanted, each from the rack that it uses least."""
    if wanted > 1:
        return fill(fill(row, wanted // 2, hosts, count), wanted - wanted // 2, hosts, count)
    if not wanted:
        return row
    near = Counter(each["rack"] for each in row if each["rack"] is not None)
    left = [each for each in hosts if each not in row]
    best = min(left, key=lambda each: (near[each["rack"]], count[each["id"]], each["id"]))
    count[best["id"]] += 1
    return [*row, best]


class Recursive:
    def place(self, num_partitions, replication_factor, brokers, existing=None):
        if replication_factor > len(brokers):
            raise ValueError(f"{replication_factor} replicas need more than {len(brokers)} brokers")
        hosts = [dict(broker) for broker in brokers]
        hosts.sort(key=lambda broker: broker["id"])
        count, lead = Counter(), Counter()
        rows = []
        for _ in range(num_partitions):
            row = fill([], replication_factor, hosts, count)
            row.sort(key=lambda each: (each["fenced"], lead[each["id"]], each["id"]))
            lead.update([row[0]["id"]] if row else [])
            rows.append([each["id"] for each in row])
        return rows
