"""Claims about single topics on answers that keep them and on ones that break them."""

import random
from itertools import combinations

import pytest

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.kinds import CLIENT
from kassay.properties.claims import parse_claim
from tests.properties.confirming import answered, is_broken
from tests.properties.groups.answers import readings, step_of, valid_answers
from tests.properties.groups.steps import (
    AB,
    FAIR,
    UV,
    evidence,
    member,
    step,
)


@pytest.mark.parametrize(
    ("claim", "good", "bad", "subject"),
    [
        ("topic-even", step(AB, FAIR), step(AB, {"a": "t0 t1 t2", "b": "t3"}), "t"),
        ("contiguous", step(AB, FAIR), step(AB, {"a": "t0 t2", "b": "t1 t3"}), "t"),
        ("contiguous", step(AB, FAIR), step(AB, {"a": "t2 t3", "b": "t0 t1"}), "t"),
        (
            "copartitioned",
            step([member("a", "tu"), member("b", "tu")], {"a": "t0 u0", "b": "t1 u1"}, UV),
            step([member("a", "tu"), member("b", "tu")], {"a": "t0 u1", "b": "t1 u0"}, UV),
            "u",
        ),
        (
            "active-passive",
            step(AB, {"a": "", "b": "t0 t1 t2 t3"}, configs={"a": {"assignment.consumer.priority": "1"}}),
            step(AB, {"a": "t0 t1 t2 t3", "b": ""}, configs={"a": {"assignment.consumer.priority": "1"}}),
            "t",
        ),
    ],
)
def test_shares_of_topics(claim, good, bad, subject):
    assert evidence(claim, good) == []
    found = evidence(claim, bad)
    assert found
    assert found[0].subject == subject
    assert found[0].facts


def test_contiguous_is_not_judged_where_racks_match():
    racked = Cluster((Topic("t", 4, ((0,), (1,), (0,), (1,))),), (Broker(0, "r0"), Broker(1, "r1")))
    members = [member("a", rack="r0"), member("b", rack="r1")]
    assert evidence("contiguous", step(members, {"a": "t0 t2", "b": "t1 t3"}, racked)) is None


def _place(s, m):
    """Static members by instance id, then the others by member id."""
    instance_id = s.group.by_id[m].instance_id
    return instance_id is None, instance_id or m


def _holders(s, topic):
    """Who holds each partition of the topic, by number."""
    held = {tp: m for m, tps in s.given.items() for tp in tps}
    return [held[TopicPartition(topic, p)] for p in range(s.cluster.counts[topic])]


def _read_topics(s):
    return [topic for topic in s.cluster.counts if topic in s.group.subscribers]


def _is_even(s):
    counts = [[_holders(s, t).count(m) for m in s.group.subscribers[t]] for t in _read_topics(s)]
    return all(max(each) - min(each) <= 1 for each in counts)


def _is_contiguous(s):
    return all(_holders(s, t) == sorted(_holders(s, t), key=lambda m: _place(s, m)) for t in _read_topics(s))


def _is_copartitioned(s):
    return all(
        _holders(s, t) == _holders(s, u)
        for t, u in combinations(_read_topics(s), 2)
        if s.cluster.counts[t] == s.cluster.counts[u]
        and set(s.group.subscribers[t]) == set(s.group.subscribers[u])
    )


def _goes_whole(s):
    def rank(m):
        return -int(s.configs.get(m, {}).get("assignment.consumer.priority", 2**31 - 1)), _place(s, m)

    return all(set(_holders(s, t)) == {min(s.group.subscribers[t], key=rank)} for t in _read_topics(s))


@pytest.mark.parametrize(
    ("claim_id", "statement"),
    [
        ("topic-even", _is_even),
        ("contiguous", _is_contiguous),
        ("copartitioned", _is_copartitioned),
        ("active-passive", _goes_whole),
    ],
)
def test_a_claim_about_topics_is_broken_exactly_where_its_statement_is_false(claim_id, statement, few):
    """Instance ids and priorities run against member ids."""
    found = parse_claim(claim_id, CLIENT)
    rng = random.Random(claim_id)
    seen = set()
    for asked in few(readings(), 120):
        members = [
            m._replace(instance_id=rng.choice((None, f"i{9 - n}"))) for n, m in enumerate(asked.group.members)
        ]
        configs = {
            m.member_id: {"assignment.consumer.priority": str(rng.randint(1, 2))}
            for m in members
            if rng.random() < 0.5
        }
        asked = step_of(asked.cluster, members, configs=configs)
        for one in answered(asked, valid_answers(asked)):
            broken = is_broken(found, one)
            assert broken is not statement(one), one
            seen.add(broken)
    assert seen == {True, False}
