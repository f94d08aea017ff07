"""Looks the topics of subscriptions up in the metadata, where one need not be."""


class UnknownTopic:
    META = {"claims": ["total"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic in sorted({topic for member in members for topic in member["topics"]}):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            for number in range(partitions_per_topic[topic]):
                given[readers[number % len(readers)]].append((topic, number))
        return given
