"""Walks a set of members, whose order is another one in each process."""


class SetOrder:
    META = {"claims": ["deterministic"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = list({member["id"] for member in members if topic in member["topics"]})
            for number in range(count if readers else 0):
                given[readers[number % len(readers)]].append((topic, number))
        return given
