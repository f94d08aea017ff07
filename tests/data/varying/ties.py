"""An assignor that breaks ties by chance, and keeps every validity claim but `pure`."""

import random

META = {"claims": ("deterministic", "stable")}


class TieBreak:
    def assign(self, partitions_per_topic, members):
        answer = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = [member["id"] for member in members if topic in member["topics"]]
            for partition in range(count if readers else 0):
                least = min(len(answer[reader]) for reader in readers)
                chosen = random.choice([reader for reader in readers if len(answer[reader]) == least])
                answer[chosen].append((topic, partition))
        return answer
