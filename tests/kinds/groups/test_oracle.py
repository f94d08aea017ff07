"""The certified best for groups agrees with trying everything."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.kinds.groups.oracle import best_of_group
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.step import Step

RACKS = ("x", "y")
BROKERS = tuple(map(Broker, range(2), RACKS))


@st.composite
def rounds(draw):
    """A round of up to three members and five partitions, some owned before, some with racks or weights."""
    sizes = {name: draw(st.integers(1, most)) for name, most in (("t", 3), ("u", 2))}
    weighted, racked = draw(st.booleans()), draw(st.booleans())
    topics = tuple(
        Topic(
            name,
            size,
            tuple((draw(st.integers(0, 1)),) for _ in range(size)) if racked else None,
            tuple(draw(st.integers(1, 4)) for _ in range(size)) if weighted else None,
        )
        for name, size in sizes.items()
    )
    owners = {
        TopicPartition(name, p): draw(st.none() | st.integers(0, 2))
        for name, n in sizes.items()
        for p in range(n)
    }
    members = []
    for number in range(draw(st.integers(1, 3))):
        reads = tuple(sorted(draw(st.sets(st.sampled_from("tu"), min_size=1))))
        owned = tuple(tp for tp, owner in owners.items() if owner == number and tp.topic in reads)
        rack = draw(st.sampled_from((None, *RACKS)))
        members.append(Member(f"m{number}", reads, owned, 1, rack))
    return Step(Cluster(topics, BROKERS), Group(tuple(members)), Assignment({}), 2)


def assignments(step):
    """Every assignment that gives each partition that somebody reads to one of its readers."""
    readers = {
        tp: [m.member_id for m in step.group.members if tp.topic in m.topics]
        for topic in step.cluster.topics
        for tp in topic.tps()
    }
    read = {tp: names for tp, names in readers.items() if names}
    for owners in product(*read.values()):
        mine = {m.member_id: [] for m in step.group.members}
        for tp, owner in zip(read, owners, strict=True):
            mine[owner].append(tp)
        yield Assignment(mine)


@settings(max_examples=50)
@given(rounds(), st.sampled_from(["balance,movement,rack", "balance,rack,movement"]))
def test_the_oracle_finds_what_trying_everything_finds(step, order):
    figures = []
    for tried in assignments(step):
        loads = tuple(sorted(map(len, dict(tried.items()).values())))
        goals = {
            "balance": sum(load * load for load in loads),
            "movement": len(moved(tried, step.previous)),
            "rack": len(rack_mismatches(step.cluster, step.group, tried)),
        }
        figures.append((*(goals[goal] for goal in order.split(",")), loads, goals))
    *_, loads, least = min(figures, key=lambda each: each[:3])
    best = best_of_group(step, order)
    assert (best.loads, best.moved, best.mismatched) == (loads, least["movement"], least["rack"])


@pytest.mark.slow
@settings(max_examples=50)
@given(rounds())
def test_the_bound_on_the_heaviest_member_is_one_where_there_are_weights(step):
    weight = {
        TopicPartition(topic.name, p): topic.weights[p] if topic.weights else 1
        for topic in step.cluster.topics
        for p in range(topic.partitions)
    }
    lightest = min(
        max(sum(weight[tp] for tp in tps) for tps in dict(tried.items()).values())
        for tried in assignments(step)
    )
    bound = best_of_group(step, "balance,movement,rack").weight_bound
    read = [weight[tp] for tp in weight if any(tp.topic in m.topics for m in step.group.members)]
    if set(read) == {1}:
        assert bound is None
    else:
        assert -(-sum(read) // len(step.group.members)) <= bound <= lightest


def test_a_leader_of_another_name_does_not_matter():
    members = (Member("a", ("t",)), Member("b", ("t",)))
    cluster = Cluster.of({"t": 3})
    found = [
        best_of_group(Step(cluster, Group(members, leader), Assignment({}), 1), "balance,movement,rack")
        for leader in ("a", "b")
    ]
    assert found[0] == found[1]
    assert found[0].loads == (1, 2)


@pytest.mark.parametrize("order", ["balance", "movement,balance,rack", "balance,movement,speed"])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(InputError, match="expected"):
        best_of_group(Step(Cluster.of({"t": 1}), Group((Member("a", ("t",)),)), Assignment({}), 1), order)
