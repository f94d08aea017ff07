"""Deals out count // readers partitions of a topic to each reader and forgets what is left over."""


class Leftover:
    META = {"claims": ["complete"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            share = count // len(readers) if readers else 0
            for place, reader in enumerate(readers):
                given[reader] += [(topic, place * share + number) for number in range(share)]
        return given
