"""Receives the racks of the replicas and ignores them."""


class RackBlind:
    META = {"claims": ["rack-local"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members, replica_racks=None):
        given = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            for number in range(count if readers else 0):
                least = min(readers, key=lambda member_id: (len(given[member_id]), member_id))
                given[least].append((topic, number))
        return given
