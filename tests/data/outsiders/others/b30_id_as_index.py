"""Counts replicas in a list whose index is the broker's id, so ids with holes, or that start at 1, are out of the list after a broker was removed from the cluster."""
# expect: VIOLATED total
from collections import Counter

META = {"claims": ["rack-spread", "no-fenced-leader", "order-independent"]}

class Indexed:
    """The broker with the fewest replicas, in the rack that the row uses least."""

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        if replication_factor > len(brokers):
            raise ValueError(f"{replication_factor} replicas need more than {len(brokers)} brokers")
        rack = {broker["id"]: broker["rack"] for broker in brokers}
        fenced = {broker["id"]: broker["fenced"] for broker in brokers}
        count = [0] * len(brokers)
        lead = [0] * len(brokers)
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
