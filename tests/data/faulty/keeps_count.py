"""Begins with another member at each call, by a counter that all objects share."""


class KeepsCount:
    META = {"claims": ["pure"]}  # noqa: RUF012
    calls = 0

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        KeepsCount.calls += 1
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            for number in range(count if readers else 0):
                given[readers[(number + KeepsCount.calls) % len(readers)]].append((topic, number))
        return given
