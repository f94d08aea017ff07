"""Which branch of the sticky rule runs, and what its object remembers."""

from kassay.assignors.java_errors import NullPointerError
from kassay.assignors.sticky.rule import StickyRule
from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.groups.group import Group, Member
from tests.assignors.client.groups import tps
from tests.assignors.sticky.cases import drawn, read


def rule(**more):
    return StickyRule(read, **({"prefer_rack_aware": False} | more))


def test_only_the_branch_of_equal_subscriptions_tracks_what_changes_owners():
    for equal in (True, False):
        for cluster, partitions, members, claims in drawn(60, equal=equal):
            outcome = rule().assign(cluster, Group(members))
            assert (outcome.transferring is None) != claims.equal_subscriptions
            dealt = sorted(tp for own in outcome.assignment.values() for tp in own)
            assert dealt == sorted(tp for own in partitions.values() for tp in own)


def answer_of(leader, cluster, group):
    """Everybody's partitions but z's, or Kafka's error."""
    try:
        assignment = leader.assign(cluster, group).assignment
    except NullPointerError as error:
        return str(error)
    return {member: tps for member, tps in assignment.items() if member != "z"}


def test_what_a_leader_has_seen_makes_present_claims_old():
    """To an object that has seen 9, claims of 5 are as old as to a group in which somebody has 9."""
    stranger = Member("z", (), (), 9)
    differ = 0
    for cluster, _, members, _ in drawn(300, equal=False):
        # Who no longer reads what it claims may be its former owner.
        group = Group(tuple(m._replace(topics=m.topics[1:] or m.topics) for m in members))
        if group.equal_subscriptions:
            continue
        seen = rule()
        seen.assign(cluster, Group((stranger,)))
        answer = answer_of(seen, cluster, group)
        assert answer_of(rule(), cluster, Group((*group.members, stranger))) == answer
        differ += answer != answer_of(rule(), cluster, group)
    assert differ


def test_racks_are_idle_where_every_partition_is_everywhere_unless_preferred():
    """With racks, partitions are dealt by how rare they are; b has no rack, so only a is in one."""
    brokers = (Broker(1, "r"), Broker(2, "s"))
    cluster = Cluster((Topic("t", 2, ((1, 2), (2, 1))),), brokers)
    group = Group((Member("b", ("t",), rack="r"), Member("a", ("t",))))
    assert rule().assign(cluster, group).assignment == {"b": [*tps("t-1")], "a": [*tps("t-0")]}
    preferred = rule(prefer_rack_aware=True).assign(cluster, group).assignment
    assert preferred == {"b": [*tps("t-0")], "a": [*tps("t-1")]}
