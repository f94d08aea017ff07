"""Uniform since 4.0.1: the extra partition stays with who owns it, and nothing else is another."""

from hypothesis import given

from kassay.assignors.groups.server.uniform import Uniform
from kassay.assignors.groups.server.uniform_4_0_1 import UniformStickyExtras
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member
from tests.assignors.groups.server.groups import is_valid, loads, owning, situations, tps


def kept(group, answer):
    return sum(len(set(member.owned) & set(answer.get(member.member_id, ()))) for member in group.members)


@given(situations(equal=True))
def test_equal_subscriptions_give_all_out_with_loads_within_one(situation):
    cluster, group = situation
    answer = UniformStickyExtras().assign(cluster, group)
    sizes = loads(answer) or [0]
    assert max(sizes) - min(sizes) <= 1
    assert is_valid(cluster, group, answer)


@given(situations(equal=True))
def test_as_much_stays_as_can_at_that_balance(situation):
    cluster, group = situation
    topics = set(group.members[0].topics)
    total = sum(cluster.counts[topic] for topic in topics)
    size, extras = divmod(total, len(group.members))
    held = [sum(tp.topic in topics for tp in member.owned) for member in group.members]
    most = sum(min(count, size) for count in held) + min(extras, sum(count > size for count in held))
    assert kept(group, UniformStickyExtras().assign(cluster, group)) == most
    assert kept(group, Uniform().assign(cluster, group)) <= most


@given(situations(equal=True))
def test_asked_again_nothing_moves(situation):
    cluster, group = situation
    answer = UniformStickyExtras().assign(cluster, group)
    assert UniformStickyExtras().assign(cluster, owning(group, answer)).same_sets(answer)


@given(situations())
def test_where_subscriptions_differ_it_is_the_rule_of_4_0_0(situation):
    cluster, group = situation
    if not group.homogeneous:
        assert UniformStickyExtras().assign(cluster, group) == Uniform().assign(cluster, group)


def test_an_extra_partition_goes_to_its_owner_and_else_to_who_comes_last():
    cluster, owner = Cluster.of({"t": 3}), Member("b", ("t",), tps("t", 1, 2))
    members = (Member("a", ("t",), tps("t", 0)), owner)
    for order in (members, members[::-1]):
        answer = UniformStickyExtras().assign(cluster, Group(order))
        assert dict(answer) == {"a": tps("t", 0), "b": tps("t", 1, 2)}
    nobody = Group((Member("a", ("t",)), Member("b", ("t",))))
    assert dict(UniformStickyExtras().assign(cluster, nobody)) == {"a": tps("t", 0), "b": tps("t", 1, 2)}
