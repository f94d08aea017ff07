# ruff: noqa
"""Plain targets that take the optional keywords, and give back what they saw as topic names."""


def _told(members, value):
    return {members[0]["id"]: [(repr(value), 0)]}


class Racks:
    def assign(self, partitions_per_topic, members, replica_racks):
        return _told(members, replica_racks)


class Weights:
    def assign(self, partitions_per_topic, members, *, partition_weights=None):
        return _told(members, partition_weights)


class Both:
    def assign(self, topics, members, partition_weights, replica_racks):
        return _told(members, (replica_racks, partition_weights))


class Anything:
    def assign(self, topics, members, **others):
        return _told(members, others)


class Static:
    @staticmethod
    def assign(topics, members, replica_racks=None):
        return _told(members, replica_racks)


class Everything:
    def assign(self, topics, members):
        return _told(members, (topics, members))


class HashOrder:
    def assign(self, topics, members):
        return {members[0]["id"]: [(name, 0) for name in {"a", "b", "c", "d", "e", "f", "g"}]}
