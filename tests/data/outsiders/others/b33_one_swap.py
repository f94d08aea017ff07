"""Exchanges a fenced leader with the second replica only, so a row whose first two brokers are both fenced (a rack is being restarted) is led by a fenced one although a third is not."""
# expect: VIOLATED no-fenced-leader
from collections import Counter

META = {"claims": ["rack-spread", "no-fenced-leader", "order-independent"]}

class OneSwap:
    """The broker with the fewest replicas, in the rack that the row uses least."""

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        if replication_factor > len(brokers):
            raise ValueError(f"{replication_factor} replicas need more than {len(brokers)} brokers")
        rack = {broker["id"]: broker["rack"] for broker in brokers}
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
            row.sort(key=lambda each: (lead[each], each))
            if fenced[row[0]] and len(row) > 1:
                row[0], row[1] = row[1], row[0]
            lead[row[0]] += 1
            rows.append(row)
        return rows
