"""Deals every topic out to all members, whoever reads it."""


class NotSubscribed:
    META = {"claims": ["subscribed"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members):
        ids = sorted(member["id"] for member in members)
        given = {member_id: [] for member_id in ids}
        read = {topic for member in members for topic in member["topics"]}
        everything = [(t, p) for t, n in sorted(partitions_per_topic.items()) if t in read for p in range(n)]
        for place, tp in enumerate(everything):
            given[ids[place % len(ids)]].append(tp)
        return given
