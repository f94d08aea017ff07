"""Whose claims stand: against Kafka's rule told from each partition's side, and what counts as unassigned."""

import pytest

from kassay.assignors.sticky.claims import unassigned, weigh_claims
from kassay.assignors.sticky.user_data import UserDataClaim
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group, Member
from tests.assignors.client.groups import tps
from tests.assignors.optimal.groups import drawn


def read(member):
    return UserDataClaim(member.owned, member.generation)


def test_a_claim_stands_unless_one_of_the_same_or_a_higher_generation_is_met():
    for cluster, group in drawn(200):
        claims = weigh_claims(group.members, cluster.counts, read)
        claimed = {tp for m in group.members for tp in m.owned if tp.topic in cluster.counts}
        for tp in claimed:
            mine = [m for m in group.members if tp in m.owned]
            top = max(m.generation for m in mine)
            holders = [name for name, owned in claims.owned.items() if tp in owned]
            first = [m for m in mine if m.generation == top]
            assert holders == ([first[0].member_id] if len(first) == 1 else [])
            assert tp in claims.contested or len(first) == 1
        assert {tp for owned in claims.owned.values() for tp in owned} <= claimed
        assert claims.highest == max(m.generation for m in group.members)


def test_a_tie_below_the_winner_contests_as_well():
    group = [
        Member(name, ("t",), tps("t-0"), generation) for name, generation in (("a", 1), ("b", 1), ("c", 2))
    ]
    claims = weigh_claims(group, {"t"}, read)
    assert (claims.contested, claims.owned) == ({*tps("t-0")}, {"a": [], "b": [], "c": [*tps("t-0")]})


def test_an_earlier_claimant_counts_with_the_generation_of_its_subscription():
    group = [Member("a", ("t",), tps("t-0"), 3), Member("b", ("t",), tps("t-0"), 2)]
    claims = weigh_claims(group, {"t"}, lambda m: UserDataClaim(m.owned, 1 if m.member_id == "a" else 2))
    assert (claims.owned, claims.highest) == ({"a": [*tps("t-0")], "b": []}, 2)


@pytest.mark.parametrize(
    ("subscriptions", "equal"),
    [
        ("t t", True),
        ("tu ut", True),
        ("t u", False),
        ("tu t", False),
        ("- t t", True),
        ("t -", False),
        ("- -", True),
    ],
)
def test_empty_subscriptions_count_as_equal_only_ahead_of_the_others(subscriptions, equal):
    group = [Member(f"m{i}", tuple(topics.strip("-"))) for i, topics in enumerate(subscriptions.split())]
    assert weigh_claims(group, "tu", read).equal_subscriptions is equal


def test_what_is_unassigned_is_what_is_not_assigned():
    for cluster, group in drawn(60):
        taken = [tp for m in Group(group.members).members for tp in m.owned if cluster.has(tp)]
        every = [tp for found in cluster.partitions.values() for tp in found]
        assert unassigned(cluster.partitions, taken) == [tp for tp in every if tp not in taken]


def test_behind_a_partition_that_does_not_exist_everything_counts_as_unassigned():
    partitions = Cluster.of({"a": 2, "b": 2}).partitions
    assert unassigned(partitions, tps("a-0 b-0")) == list(tps("a-1 b-1"))
    assert unassigned(partitions, tps("a-0 a-7 b-0")) == list(tps("a-1 b-0 b-1"))
    assert unassigned(partitions, (*tps("a-0 b-0"), TopicPartition("b", -1))) == list(tps("a-1 b-0 b-1"))
