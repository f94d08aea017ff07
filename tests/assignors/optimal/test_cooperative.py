"""The optimal assignors, against the certified optimum of what their members claimed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from kassay.assignors.optimal.cooperative import OptimalCooperative
from kassay.assignors.optimal.sticky import OptimalSticky
from kassay.assignors.registry import REFERENCES, load_all
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.kinds import Kind
from kassay.solver.consumers.gap import gap
from kassay.solver.consumers.problem import Problem

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
    """Claims of every kind: stale, double, out of range, of unknown and unread topics, at all generations."""
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


def rounds(cluster: Cluster, group: Group) -> Iterator[tuple[Group, Assignment]]:
    """Cooperative rounds until nobody gives up or gains anything: each input with its answer."""
    generation = max(member.generation for member in group.members)
    for _ in range(12):
        answer = OptimalCooperative().assign(cluster, group)
        yield group, answer
        if all(set(member.owned) == set(answer[member.member_id]) for member in group.members):
            return
        generation += 1
        members = (m._replace(owned=answer[m.member_id], generation=generation) for m in group.members)
        group = Group(tuple(members))


def assert_optimal(cluster: Cluster, group: Group, answer: Assignment) -> None:
    problem = Problem.of(cluster, group).unweighted()
    each = gap(problem, answer)
    assert (each.missing, each.balance, each.movement, each.rack) == (0, 0, 0, 0)
    assert answer.keys() == group.by_id.keys()


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_sticky_is_optimal_whatever_is_claimed(start: int) -> None:
    for seed in range(start, start + 100):
        rng = Random(seed)
        cluster = cluster_of(rng)
        group = group_of(rng, cluster)
        answer = OptimalSticky().assign(cluster, group)
        assert_optimal(cluster, group, answer)
        shuffled = Group(
            tuple(m._replace(owned=tuple(rng.sample(m.owned, len(m.owned)))) for m in group.members[::-1])
        )
        assert (
            OptimalSticky().assign(Cluster(cluster.topics[::-1], cluster.brokers), shuffled).same_sets(answer)
        )


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_cooperative_rounds_end_at_the_optimum_of_the_first(start: int) -> None:
    for seed in range(start, start + 100):
        rng = Random(seed)
        cluster = cluster_of(rng)
        first = group_of(rng, cluster)
        played = list(rounds(cluster, first))
        final = played[-1][1]
        assert_optimal(cluster, first, final)
        revoking = [
            any(set(m.owned) - set(answer[m.member_id]) for m in group.members) for group, answer in played
        ]
        assert sum(revoking) <= 1, seed
        assert len(played) <= 3
        for group, answer in played:
            assert_nobody_else_holds(group, answer)
        assert OptimalCooperative().assign(cluster, played[-1][0]).same_sets(final)


def assert_nobody_else_holds(group: Group, answer: Assignment) -> None:
    claims: dict[TopicPartition, list[tuple[int, str]]] = {}
    for member in group.members:
        for tp in member.owned:
            claims.setdefault(tp, []).append((member.generation, member.member_id))
    for member_id, given in answer.items():
        for tp in given:
            latest = max((generation for generation, _ in claims.get(tp, ())), default=0)
            assert {m for generation, m in claims.get(tp, ()) if generation == latest} <= {member_id}


def test_one_chain_of_moves_where_sticky_leaves_a_member_idle() -> None:
    cluster = Cluster.of({"t1": 2, "t2": 1})
    t1, t2 = [TopicPartition("t1", 0), TopicPartition("t1", 1)], TopicPartition("t2", 0)
    group = Group(
        (
            Member("m0", ("t1",), tuple(t1), 1),
            Member("m1", ("t1", "t2"), (t2,), 1),
            Member("m2", ("t2",), (), 1),
        )
    )
    answer = OptimalSticky().assign(cluster, group)
    assert [len(answer[m]) for m in ("m0", "m1", "m2")] == [1, 1, 1]
    withheld = OptimalCooperative().assign(cluster, group)
    assert sum(map(len, withheld.values())) == 1


def test_both_are_registered_with_their_claims() -> None:
    load_all()
    sticky, cooperative = REFERENCES["optimal-sticky"], REFERENCES["optimal-cooperative"]
    assert (sticky.kind, cooperative.kind) == (Kind.CLIENT, Kind.CLIENT)
    assert set(cooperative.claims) - set(sticky.claims) == {"cooperative"}
    assert {"balanced-optimal", "sticky-minimal", "rack-local", "stable", "converges"} <= set(sticky.claims)
    assert cooperative.protocol is RebalanceProtocol.COOPERATIVE
