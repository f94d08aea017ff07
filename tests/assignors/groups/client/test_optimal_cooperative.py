"""The optimal cooperative assignor, against the certified optimum of what its members own."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from kassay.assignors.groups.client.optimal_cooperative import OptimalCooperative
from kassay.assignors.groups.client.optimal_sticky import OptimalSticky
from kassay.assignors.registry import find
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from tests.assignors.groups.client.optimal_groups import assert_optimal, cluster_of, group_of


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
    reports: dict[TopicPartition, list[tuple[int, str]]] = {}
    for member in group.members:
        for tp in member.owned:
            reports.setdefault(tp, []).append((member.generation, member.member_id))
    for member_id, given in answer.items():
        for tp in given:
            latest = max((generation for generation, _ in reports.get(tp, ())), default=0)
            assert {m for generation, m in reports.get(tp, ()) if generation == latest} <= {member_id}


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
    sticky, cooperative = find("optimal-sticky"), find("optimal-cooperative")
    assert (sticky.kind, cooperative.kind) == (CLIENT, CLIENT)
    assert set(cooperative.claims) - set(sticky.claims) == {"cooperative"}
    assert {"balanced-optimal", "sticky-minimal", "rack-local", "stable", "converges"} <= set(sticky.claims)
    assert cooperative.protocol is RebalanceProtocol.COOPERATIVE
