"""Compares only the first eight characters of the racks, so us-east-1a, us-east-1b and us-east-1c are one rack, and all replicas of a partition may be in one zone."""
# expect: VIOLATED rack-spread
from collections import Counter

META = {"claims": ["rack-spread", "no-fenced-leader", "order-independent"]}

class ShortRacks:
    """The broker with the fewest replicas, in the rack that the row uses least."""

    WIDTH = 8

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        if replication_factor > len(brokers):
            raise ValueError(f"{replication_factor} replicas need more than {len(brokers)} brokers")
        rack = {broker["id"]: broker["rack"] and broker["rack"][: self.WIDTH] for broker in brokers}
        fenced = {broker["id"]: broker["fenced"] for broker in brokers}
        count = dict.fromkeys(rack, 0)
        lead = dict.fromkeys(rack, 0)
        rows = []
        for _ in range(num_partitions):
            row = []
            while len(row) < replication_factor:
                near = Counter(rack[each] for each in row if rack[each] is not None)
                left = [each for each in sorted(rack) if each not in row]
                row.append(min(left, key=lambda each: (near[rack[each]], count[each], lead[each], each)))
                count[row[-1]] += 1
            row.sort(key=lambda each: (fenced[each], lead[each], each))
            lead[row[0]] += 1
            rows.append(row)
        return rows
