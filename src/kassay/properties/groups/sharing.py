"""Claims about share groups: how many members a partition has, and how many partitions a member.

Where all members read the same topics, all their partitions are compared; else those of each topic, over its
readers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.groups.step import Step
from kassay.model.kinds import Kind
from kassay.properties.registry import Evidence, Scope, claim

ALL: Final = "all topics"


class _Part(NamedTuple):
    """Topics that are compared with each other: their name, their partitions, and who reads them."""

    name: str
    tps: list[TopicPartition]
    readers: tuple[str, ...]


def _parts(step: Step) -> list[_Part]:
    """What is compared: everything that is read, or topic by topic."""
    group, partitions = step.group, step.cluster.partitions
    read = {topic: ids for topic, ids in group.subscribers.items() if topic in partitions}
    if group.equal_subscriptions:
        tps = [tp for topic in read for tp in partitions[topic]]
        return [_Part(ALL, tps, tuple(group.by_id))]
    return [_Part(topic, list(partitions[topic]), ids) for topic, ids in read.items()]


def _one_may_have_three(step: Step) -> bool:
    """Whether a partition could have three members, and another one beside it one."""
    return any(len(part.tps) > 1 and len(part.readers) > 2 for part in _parts(step))


@claim(
    "shared-evenly",
    kinds=Kind.SHARE,
    scope=Scope.OUTCOME,
    breakable=_one_may_have_three,
    source="KIP-932; KAFKA-19362, KAFKA-19363",
)
def shared_evenly(step: Step) -> Iterator[Evidence]:
    """No partition is shared by two members more than another: of one topic, or any if all read the same."""
    sharing: dict[TopicPartition, int] = {}
    for tps in step.given.values():
        for tp in tps:
            sharing[tp] = sharing.get(tp, 0) + 1
    for part in _parts(step):
        ordered = sorted(part.tps, key=lambda tp: sharing.get(tp, 0))
        if ordered and (most := sharing.get(ordered[-1], 0)) - (least := sharing.get(ordered[0], 0)) > 1:
            yield Evidence(str(ordered[-1]), {"members": most, "while": str(ordered[0]), "has": least})


def _one_may_have_two(step: Step) -> bool:
    """Whether a member could have two partitions, and another one beside it none."""
    return any(len(part.tps) > 1 and len(part.readers) > 1 for part in _parts(step))


@claim(
    "balanced-within-one",
    kinds=Kind.SHARE,
    scope=Scope.OUTCOME,
    breakable=_one_may_have_two,
    source="KIP-932; KAFKA-19362, KAFKA-19363",
)
def counts_within_one(step: Step) -> Iterator[Evidence]:
    """Members have counts within one of each other: of each topic, or of all if all read the same."""
    for part in _parts(step):
        compared = frozenset(part.tps)
        counts = {reader: len(compared.intersection(step.given.get(reader, ()))) for reader in part.readers}
        ordered = sorted(counts, key=lambda reader: (counts[reader], reader))
        if ordered and counts[ordered[-1]] - counts[ordered[0]] > 1:
            facts = {"has": counts[ordered[-1]], "while": ordered[0], "with": counts[ordered[0]]}
            yield Evidence(ordered[-1], {**facts, "of": part.name})
