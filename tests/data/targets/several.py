# ruff: noqa
"""Has two classes that assign, and one that is not for users."""

META = {"kind": "assignor", "protocol": "eager", "claims": ["deterministic"]}


class First:
    def assign(self, partitions_per_topic, members):
        return {m["id"]: [] for m in members}


class Second:
    META = {"protocol": "cooperative", "claims": ["cooperative", "converges:2"], "assumes": ["no-racks"]}

    def assign(self, topics, group_members):
        return {m["id"]: [] for m in group_members}


class _Base:
    def assign(self, partitions_per_topic, members):
        return {}
