"""Takes from each rack the broker whose turn it is, and on the second lap over the racks the same one again, so a replication factor of 4 or 5 in three racks names a broker twice in a row."""
# expect: VIOLATED replicas-distinct

META = {"claims": ["rack-spread", "no-fenced-leader", "order-independent"]}

class Laps:
    """Racks in turn, and inside a rack its brokers in turn; a broker without a rack is a rack of its own."""

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        if replication_factor > len(brokers):
            raise ValueError(f"{replication_factor} replicas need more than {len(brokers)} brokers")
        fenced = {broker["id"]: broker["fenced"] for broker in brokers}
        members = {}
        for broker in sorted(brokers, key=lambda broker: broker["id"]):
            rack = ("rack", broker["rack"]) if broker["rack"] is not None else ("broker", str(broker["id"]))
            members.setdefault(rack, []).append(broker["id"])
        racks = sorted(members)
        rows = []
        for number in range(num_partitions):
            row = []
            for step in range(replication_factor):
                inside = members[racks[(number + step) % len(racks)]]
                row.append(inside[number // len(racks) % len(inside)])
            rows.append(sorted(row, key=lambda each: fenced[each]))
        return rows
