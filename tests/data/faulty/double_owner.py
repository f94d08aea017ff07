"""Gives the first partition to a second member as well once the group is in its third generation."""


class DoubleOwner:
    META = {"claims": ["single-owner"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        old = max((member["generation"] for member in members), default=-1) >= 3
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            for number in range(count if readers else 0):
                given[readers[number % len(readers)]].append((topic, number))
                if old and number == 0 and len(readers) > 1:
                    given[readers[1]].append((topic, number))
        return given
