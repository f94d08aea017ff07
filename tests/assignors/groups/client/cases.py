"""Groups as the two branches of the sticky rule get them: reported that stand, in groups of one sort or another."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kassay.assignors.groups.client.sticky_owned import (
    OwnedPartitions,
    Partitions,
    UserDataOwned,
    weigh_owned,
)
from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.groups.group import Member


def read(member: Member) -> UserDataOwned:
    return UserDataOwned(member.owned, member.generation)


def drawn(
    count: int, *, equal: bool, racks: bool = False
) -> Iterator[tuple[Cluster, Partitions, tuple[Member, ...], OwnedPartitions]]:
    """So many groups in which each partition has one owner, who reads it, or none."""
    for seed in range(count):
        rng = Random(seed)
        names = [f"t{i}" for i in range(rng.randint(1, 4))]
        sizes = {name: rng.randint(1, 6) for name in names}
        topics = tuple(
            Topic(name, size, tuple((rng.randrange(3),) for _ in range(size)) if racks else None)
            for name, size in sizes.items()
        )
        cluster = Cluster(topics, tuple(Broker(b, f"r{b}") for b in range(3)))
        common = rng.sample(names, rng.randint(1, len(names)))
        reads = [
            common if equal else rng.sample(names, rng.randint(1, len(names)))
            for _ in range(rng.randint(1, 5))
        ]
        read_topics = {name for topics in reads for name in topics}
        partitions = {name: tps for name, tps in cluster.partitions.items() if name in read_topics}
        owned: list[list] = [[] for _ in reads]
        for name, tps in partitions.items():
            for tp in tps:
                owner = rng.choice([i for i, topics in enumerate(reads) if name in topics] + [-1])
                if owner >= 0:
                    owned[owner].append(tp)
        members = tuple(
            Member(f"m{i}", tuple(topics), tuple(owned[i]), 5, f"r{rng.randrange(3)}" if racks else None)
            for i, topics in enumerate(reads)
        )
        yield cluster, partitions, members, weigh_owned(members, partitions, read)
