"""The smallest groups: of what the history has, in every order of names, each once, the smallest first."""

from kassay.kinds.groups.scopes import ALL_PASTS, fresh_groups
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave


def history(*reads, sizes=(2, 1), events=(), brokers=()):
    topics = tuple(Topic(f"t{i}", n, ((0,),) * n if brokers else None) for i, n in enumerate(sizes))
    joins = tuple(Join(Member(f"m{i}", own)) for i, own in enumerate(reads))
    return History(Cluster(topics, brokers), (joins, *((event,) for event in events)))


def test_each_comes_once_and_none_is_larger_than_the_history():
    case = history(("t0",), ("t0", "t1"))
    groups = list(fresh_groups(case))
    assert len(set(map(repr, groups))) == len(groups) > 50
    for group in groups:
        assert len(group.joins) <= 2
        assert sum(group.cluster.counts.values()) <= 3
        assert group.events == 0
    sums = [
        len(g.joins) + sum(g.cluster.counts.values()) + 2 * any(j.member.owned for j in g.joins)
        for g in groups
    ]
    assert sums == sorted(sums)


def test_subscriptions_come_in_both_orders_of_names():
    groups = [tuple(j.member.topics for j in g.joins) for g in fresh_groups(history(("t0",), ("t0", "t1")))]
    assert {(("t0",), ("t0", "t1")), (("t0", "t1"), ("t0",))} <= set(groups)


def test_what_happens_may_go_into_the_past_with_one_member_more():
    assert max(len(g.joins) for g in fresh_groups(history(("t0",), sizes=(1,), events=(Leave("m0"),)))) == 2
    owned = {
        g.joins[0].member.owned
        for g in fresh_groups(history(("t0",), sizes=(ALL_PASTS,)))
        if len(g.joins) == 1
    }
    assert (TopicPartition("t0", 1),) in owned
    many = {g.joins[0].member.owned for g in fresh_groups(history(("t0",), sizes=(ALL_PASTS + 1,)))}
    assert max(map(len, many)) == ALL_PASTS + 1


def test_racks_and_idle_members_only_where_the_history_has_them():
    plain = list(fresh_groups(history(("t0",), ("t0",), sizes=(1,))))
    assert not any(g.cluster.brokers for g in plain)
    assert all(j.member.topics for g in plain for j in g.joins)
    racked = list(fresh_groups(history(("t0",), ("t0",), sizes=(1,), brokers=(Broker(0, "x"),))))
    places = {
        (tuple(j.member.rack for j in g.joins), g.cluster.topics[0].replicas)
        for g in racked
        if g.cluster.brokers
    }
    assert (("r0", "r1"), ((1,),)) in places
    idle = list(fresh_groups(history(("t0",), (), sizes=(1,))))
    assert any(not j.member.topics for g in idle for j in g.joins)
