"""Candidates for a smaller history are histories."""

from itertools import islice

from hypothesis import HealthCheck, given, settings

from kassay.kinds.groups.shrinking import shrunk_histories
from kassay.kinds.registry import driver_for
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, ReportOwned, Withhold
from kassay.model.groups.kinds import CLIENT
from tests.kinds.descent import descent
from tests.strategies import histories


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(histories())
def test_candidates_for_a_smaller_history_are_histories(case):
    for smaller in islice(shrunk_histories(case), 200):
        assert isinstance(smaller, History)
        assert smaller.changes


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(histories())
def test_what_breaks_whatever_happens_shrinks_to_one_event_in_an_empty_world(case):
    smallest = descent(driver_for(CLIENT), case)
    assert smallest.cluster.topics == ()
    ((event,),) = smallest.changes
    if isinstance(event, Join):
        assert (event.member.topics, event.member.owned, event.member.rack) == ((), (), None)


def tps(*numbers, topic="t"):
    return tuple(TopicPartition(topic, number) for number in numbers)


def test_a_partition_that_is_not_the_last_goes_and_the_claims_on_those_behind_it_move_up():
    member = Member("a", ("t", "u"), tps(0, 2) + tps(1, topic="u"), 3)
    claim = ReportOwned("a", tps(1, 2), 4)
    case = History(Cluster.of({"t": 3, "u": 2}), ((Join(member),), (claim,)))
    fewer = {
        (c.changes[0][0].member.owned, c.changes[1][0].owned)
        for c in shrunk_histories(case)
        if c.cluster.counts == {"t": 2, "u": 2} and len(c.changes) == 2
    }
    assert (tps(1) + tps(1, topic="u"), tps(0, 1)) in fewer
    assert (tps(0, 1) + tps(1, topic="u"), tps(1)) in fewer
    assert (tps(0) + tps(1, topic="u"), tps(1)) in fewer


def test_of_a_large_topic_halves_and_quarters_go_and_the_claims_behind_them_move_up():
    owned = tps(700, 999)
    case = History(Cluster.of({"t": 1000}), ((Join(Member("a", ("t",), owned, 3)),),))
    moved = {
        (c.cluster.counts["t"], c.changes[0][0].member.owned)
        for c in islice(shrunk_histories(case), 200)
        if c.cluster.counts.get("t", 0) > 8
    }
    assert (500, tps(200, 499)) in moved
    assert (750, tps(450, 749)) in moved
    assert (750, tps(749)) in moved  # without 500 to 749
    assert len([owned for _, owned in moved if len(owned) == 2]) < 100


def test_what_is_withheld_moves_up_with_its_partition():
    case = History(Cluster.of({"t": 2}), ((Join(Member("a", ("t",))), Withhold("t", (1,))),))
    assert Withhold("t", (0,)) in {
        event for c in shrunk_histories(case) if c.cluster.counts == {"t": 1} for event in c.changes[0]
    }


def test_what_a_partition_weighs_and_where_its_replicas_are_goes_with_it():
    topic = Topic("t", 3, ((0,), (1,), (0, 1)), (5, 6, 7))
    case = History(Cluster((topic,)), ((Join(Member("a", ("t",))),),))
    rows = {(t.replicas, t.weights) for c in shrunk_histories(case) for t in c.cluster.topics}
    assert {(((1,), (0, 1)), (6, 7)), (((0,), (0, 1)), (5, 7)), (((0,), (1,)), (5, 6))} <= rows
