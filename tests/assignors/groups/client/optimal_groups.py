"""Random groups with ownership of every kind, and what is optimal for them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import gap

RACKS = ("r0", "r1", "r2", None)


def cluster_of(rng: Random) -> Cluster:
    racks = rng.random() < 0.5
    topics = tuple(
        Topic(
            f"t{i}",
            count,
            tuple(tuple(rng.sample(range(3), 2)) for _ in range(count)) if racks else None,
            tuple(rng.randrange(9) for _ in range(count)) if rng.random() < 0.1 else None,
        )
        for i, count in enumerate(rng.choices(range(6), k=rng.randint(1, 4)))
    )
    return Cluster(topics, tuple(Broker(b, f"r{b}") for b in range(3)))


def group_of(rng: Random, cluster: Cluster) -> Group:
    """Ownership of every kind: stale, double, out of range, of unknown and unread topics, at all generations."""
    names = [topic.name for topic in cluster.topics] + ["ghost"]
    every = [TopicPartition(name, p) for name in names for p in range(6)]
    members = []
    for m in range(rng.randint(1, 5)):
        topics = tuple(rng.choices(names, k=rng.randint(0, 4)))
        owned = tuple(rng.sample(every, rng.randint(0, min(8, len(every)))))
        rack = rng.choice(RACKS)
        instance = f"i{m}" if rng.random() < 0.3 else None
        members.append(Member(f"m{m}", topics, owned, rng.randint(-1, 3), rack, instance))
    rng.shuffle(members)
    return Group(tuple(members))


def drawn(count: int) -> Iterator[tuple[Cluster, Group]]:
    """So many clusters with groups, the same ones every time."""
    for seed in range(count):
        rng = Random(seed)
        cluster = cluster_of(rng)
        yield cluster, group_of(rng, cluster)


def assert_optimal(cluster: Cluster, group: Group, answer: Assignment) -> None:
    problem = Problem.of(cluster, group).unweighted()
    each = gap(problem, answer)
    assert (each.missing, each.balance, each.movement, each.rack) == (0, 0, 0, 0)
    assert answer.keys() == group.by_id.keys()
