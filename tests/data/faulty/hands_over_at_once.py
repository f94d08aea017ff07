"""Speaks the cooperative protocol and gives partitions to their next owner while the last one still has them."""


class HandsOverAtOnce:
    META = {"protocol": "cooperative", "claims": ["cooperative"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            for number in range(count if readers else 0):
                given[readers[number % len(readers)]].append((topic, number))
        return given
