"""Groups of one topic: all of them up to the size of the history, no member or one with everything."""

import pytest

from kassay.kinds.groups.shrinking import (
    MEMBERS_MAX,
    MORE_PARTITIONS,
    PARTITIONS_MAX,
    WEIGHED_MAX,
    one_topic_groups,
)
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.group import Member
from kassay.model.groups.history import AddPartitions, CreateTopic, History, Join, Leave, Reweigh


def history(members=2, sizes=(2, 1), weights=None, events=()):
    topics = tuple(Topic(f"t{i}", n, weights=weights and weights[:n]) for i, n in enumerate(sizes))
    joins = tuple(Join(Member(f"m{i}", ("t0",))) for i in range(members))
    return History(Cluster(topics), (joins, *((event,) for event in events)))


def shapes(case):
    """Members, partitions, who owns everything, and weights."""
    for group in one_topic_groups(case):
        (topic,) = group.cluster.topics
        owners = [i for i, join in enumerate(group.joins) if join.member.owned]
        assert group.events == 0
        assert all(join.member.topics == ("t0",) for join in group.joins)
        assert all(group.joins[i].member.owned == tuple(topic.tps()) for i in owners)
        yield len(group.joins), topic.partitions, tuple(owners), topic.weights


def test_each_comes_once_and_members_count_before_partitions():
    found = list(shapes(history()))
    more = 3 + MORE_PARTITIONS
    wanted = {(1, p, owners, None) for p in range(1, more + 1) for owners in ((), (0,))}
    wanted |= {(2, p, owners, None) for p in range(1, 4) for owners in ((), (0,), (1,))}
    assert len(found) == len(set(found)) == len(wanted)
    assert set(found) == wanted
    assert [shape[0] for shape in found] == sorted(shape[0] for shape in found)


@pytest.mark.parametrize(
    ("events", "members", "partitions"),
    [
        ((), 2, 3),
        ((Leave("m0"),), 3, 3),
        ((AddPartitions("t0", 5),), 3, 8),
        ((CreateTopic(Topic("n", 2)),), 3, 5),
    ],
)
def test_what_happens_may_be_in_the_past(events, members, partitions):
    found = list(shapes(history(events=events)))
    assert max(shape[0] for shape in found) == members
    assert max(shape[1] for shape in found if shape[0] == members) == partitions


def test_weights_of_every_order_come_first_where_the_history_has_any():
    found = list(shapes(history(weights=(7, 2))))
    weighed = [shape for shape in found if shape[3]]
    assert weighed == found[: len(weighed)]
    assert {shape[3] for shape in weighed if shape[1] == 2} == {(7, 7), (7, 1), (1, 7), (1, 1)}
    for event in (Reweigh("t0", (1, 9)), CreateTopic(Topic("n", 1, weights=(9,)))):
        assert (9, 1) in {shape[3] for shape in shapes(history(events=(event,)))}
    assert not any(shape[3] for shape in shapes(history(weights=(1, 1))))


def test_weights_of_many_partitions_are_not_tried():
    case = history(1, (WEIGHED_MAX + 4,), (3,) * (WEIGHED_MAX + 4))
    assert max(shape[1] for shape in shapes(case) if shape[3]) == WEIGHED_MAX
    assert max(shape[1] for shape in shapes(case) if not shape[3]) == WEIGHED_MAX + 4


def test_large_histories_are_not_begun_anew_at_their_own_size():
    found = list(shapes(history(50, (500,))))
    assert max(shape[0] for shape in found) == MEMBERS_MAX
    assert max(shape[1] for shape in found if shape[0] == MEMBERS_MAX) == PARTITIONS_MAX
    assert len(found) < 4000
