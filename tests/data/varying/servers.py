"""A server-side assignor that breaks ties by chance."""

import random

META = {"kind": "server-assignor", "claims": ("deterministic", "stable")}


class TieBreak:
    def assign(self, partitions_per_topic, members):
        answer = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = [member["id"] for member in members if topic in member["topics"]]
            for partition in range(count if readers else 0):
                answer[random.choice(readers)].append((topic, partition))
        return answer
