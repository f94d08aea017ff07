"""Partitions go round the members in steps of seven so that neighbours are apart, so in a group of 7, 14 or 21 members most members are never reached."""
# expect: VIOLATED balanced-within-one
META = {"kind": "assignor", "protocol": "eager", "claims": ["balanced-within-one", "order-independent", "deterministic", "stable"]}

STRIDE = 7  # a prime, so it has no factor in common with the number of members


class Strided:
    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        everyone = sorted(given)
        turn = 0
        for topic in sorted(partitions_per_topic):
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            if not readers:
                continue
            step = 1 if len(readers) == 1 else STRIDE
            for partition in range(partitions_per_topic[topic]):
                given[readers[turn * step % len(readers)]].append((topic, partition))
                turn += 1
        return {member_id: given[member_id] for member_id in everyone}
