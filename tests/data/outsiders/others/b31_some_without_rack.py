"""Sorts the names of the racks, which compares None with text, so it fails while only some brokers have a `broker.rack`, as during a rolling restart that introduces racks."""
# expect: VIOLATED total

META = {"claims": ["rack-spread", "no-fenced-leader", "order-independent"]}

class RackByRack:
    """Fills each row from the racks in turn, from each the broker with the fewest replicas."""

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        if replication_factor > len(brokers):
            raise ValueError(f"{replication_factor} replicas need more than {len(brokers)} brokers")
        racks = sorted({broker["rack"] for broker in brokers})
        members = {rack: [b["id"] for b in brokers if b["rack"] == rack] for rack in racks}
        fenced = {broker["id"]: broker["fenced"] for broker in brokers}
        count = dict.fromkeys(fenced, 0)
        lead = dict.fromkeys(fenced, 0)
        rows = []
        for number in range(num_partitions):
            row, turn = [], number
            while len(row) < replication_factor:
                free = [each for each in members[racks[turn % len(racks)]] if each not in row]
                turn += 1
                if free:
                    row.append(min(free, key=lambda each: (count[each], lead[each], each)))
                    count[row[-1]] += 1
            row.sort(key=lambda each: (fenced[each], lead[each], each))
            lead[row[0]] += 1
            rows.append(row)
        return rows
