"""Histories: every event has a name in documents, and taking anything away makes a history smaller."""

from dataclasses import replace
from typing import get_args

from hypothesis import HealthCheck, given, settings

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    EVENTS,
    CreateTopic,
    Event,
    History,
    Join,
    Leave,
    Rebalance,
    ReportOwned,
    Reports,
)
from tests.strategies import histories


def test_every_event_has_one_name():
    assert set(EVENTS.values()) == set(get_args(Event))
    assert EVENTS["ReportOwned"] is ReportOwned
    assert all(name == kind.__name__ for name, kind in EVENTS.items() if kind is not ReportOwned)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(histories())
def test_dropping_an_event_or_a_change_makes_a_history_smaller(history):
    for i, change in enumerate(history.changes):
        for k, event in enumerate(change):
            if i or not isinstance(event, Join):
                rest = (*change[:k], *change[k + 1 :])
                less = replace(history, changes=(*history.changes[:i], rest, *history.changes[i + 1 :]))
                assert less.size < history.size
                assert less.events == history.events - 1


RICH = History(
    Cluster((Topic("t", 3),), (Broker(1),)),
    (
        (Join(Member("a", ("t",), (TopicPartition("t", 0),), 4, "r", "i"), (("k", "v"),)),),
        (CreateTopic(Topic("u", 2)), Leave("a")),
        (Rebalance(),),
    ),
    Reports.GOT,
)


def test_the_size_counts_what_a_reader_has_to_take_in():
    assert RICH.joins == RICH.changes[0]
    assert RICH.events == 3
    # claims, rack, instance id, generation and config; one broker; reports that are not the usual ones
    assert RICH.size == (3, 1, 3 + 2, 2 + 1, 5 + 1 + 1)
    assert History(Cluster(), ()).size == (0, 0, 0, 0, 0)


def test_the_joins_that_begin_a_history_are_no_events_but_all_else_is():
    begins = History(Cluster(), ((Join(Member("a", ())), Leave("a"), Join(Member("b", ()))),))
    assert begins.events == 1
    assert [join.member.member_id for join in begins.joins] == ["a", "b"]
