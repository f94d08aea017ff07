"""At most two partitions are revoked in a round to spare the consumers, so a group that has to move more than about twenty needs more than twelve rebalances."""
# expect: VIOLATED converges
META = {"kind": "assignor", "protocol": "cooperative", "claims": ["balanced-within-one", "order-independent", "deterministic"]}

A_ROUND = 2


class Gentle:
    def assign(self, partitions_per_topic, members):
        topics_of = {m["id"]: set(m["topics"]) for m in members}
        load = dict.fromkeys(topics_of, 0)
        goal = {}
        for topic in sorted(partitions_per_topic):
            readers = [i for i in topics_of if topic in topics_of[i]]
            for partition in range(partitions_per_topic[topic] if readers else 0):
                goal[topic, partition] = min(readers, key=lambda r: (load[r], r))
                load[goal[topic, partition]] += 1
        holders = {}
        for m in members:
            for tp in m["owned"]:
                holders.setdefault(tuple(tp), set()).add(m["id"])
        given = {i: [] for i in topics_of}
        revoked = 0
        for tp, wanted in sorted(goal.items()):
            have = holders.get(tp, set())
            if not have - {wanted}:
                given[wanted].append(tp)
            elif len(have) == 1 and tp[0] in topics_of[min(have)]:
                if revoked < A_ROUND:
                    revoked += 1
                else:
                    given[min(have)].append(tp)
        return given
