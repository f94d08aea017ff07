"""Assignors whose answers differ from call to call: they lose partitions by chance."""

import random


def even(partitions_per_topic, members):
    """Each partition to its least loaded subscriber."""
    answer = {member["id"]: [] for member in members}
    for topic, count in sorted(partitions_per_topic.items()):
        readers = [member["id"] for member in members if topic in member["topics"]]
        for partition in range(count if readers else 0):
            answer[min(readers, key=lambda reader: (len(answer[reader]), reader))].append((topic, partition))
    return answer


def without_one(answer):
    """The answer without the last partition of the first member that has one."""
    for tps in answer.values():
        if tps:
            tps.pop()
            break
    return answer


class Loses:
    """Loses a partition in 1 of 20 calls."""

    ODDS = 1 / 20

    def assign(self, partitions_per_topic, members):
        answer = even(partitions_per_topic, members)
        return without_one(answer) if random.random() < self.ODDS else answer


class SeldomLoses(Loses):
    """Loses a partition in 1 of 500 calls."""

    ODDS = 1 / 500


class LosesOnce:
    """Loses a partition in its process's 90th call, and never again."""

    calls = 0

    def assign(self, partitions_per_topic, members):
        LosesOnce.calls += 1
        answer = even(partitions_per_topic, members)
        return without_one(answer) if LosesOnce.calls == 90 else answer
