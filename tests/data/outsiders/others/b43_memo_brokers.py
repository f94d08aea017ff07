"""Remembers the racks and fences of the brokers it saw first, by their ids, so a broker that was fenced since then, or came back in another zone under its old id, is placed by what it was."""
# expect: VIOLATED no-fenced-leader rack-spread
from collections import Counter

META = {"claims": ["rack-spread", "no-fenced-leader", "order-independent"]}

SEEN = {}


class Remembers:
    """The broker with the fewest replicas, in the rack that the row uses least."""

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        if replication_factor > len(brokers):
            raise ValueError(f"{replication_factor} replicas need more than {len(brokers)} brokers")
        hosts = [SEEN.setdefault(broker["id"], dict(broker)) for broker in brokers]
        rack = {broker["id"]: broker["rack"] for broker in hosts}
        fenced = {broker["id"]: broker["fenced"] for broker in hosts}
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
