"""Events as people write them, and where a complaint points."""

import pytest

from kassay.engines.clusters.events import parse_events
from kassay.model.errors import InputError
from kassay.model.groups.history import AddPartitions, CreateTopic, DeleteTopic, Join, Leave, Rebalance
from tests.engines.clusters.cluster import observed, offsets

GROUP = observed(offsets({"a": ["t-0"], "b": ["t-1"], "c": ["u-0"]}))


def kinds(text):
    return [[type(event) for event in change.change] for change in parse_events(text, GROUP)]


def test_changes_one_after_the_other_and_together():
    assert kinds("leave:1,join:2&rebalance, add-partitions:t+3") == [
        [Leave],
        [Join, Join, Rebalance],
        [AddPartitions],
    ]
    assert [change.text for change in parse_events("leave:1, join:2", GROUP)] == ["leave:1", "join:2"]


def test_the_last_by_id_leave_and_whoever_is_called_so():
    (change,) = parse_events("leave:2", GROUP)
    assert [event.member_id for event in change.change] == ["b", "c"]
    for name in ("a", "c-a", "/h-a", "h-a"):
        (change,) = parse_events(f"leave:{name}", GROUP)
        assert [event.member_id for event in change.change] == ["a"]


def test_each_event_sees_what_those_before_it_left():
    first, second = parse_events("add-partitions:t+3,add-partitions:t+1", GROUP)
    assert (first.change[0].partitions, second.change[0].partitions) == (5, 6)
    created, gone = parse_events("add-topic:new:4,remove-topic:new", GROUP)
    assert isinstance(created.change[0], CreateTopic)
    assert {event.topics for event in created.change[1:]} == {("new", "t", "u")}
    assert gone.change == (DeleteTopic("new"),)
    (join,) = parse_events("join:2", GROUP)
    assert [event.member.member_id for event in join.change] == ["c-a-new-1", "c-a-new-2"]
    assert join.change[0].member.topics == ("t", "u")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("jion:3", "column 1: found 'jion:3', expected leave:N, leave:NAME, join:N"),
        ("leave:1, jion:3", "column 10: found 'jion:3'"),
        ("join:x", "column 6: found 'x', expected how many join: a whole number from 1 to"),
        ("join:0", "column 6: found '0'"),
        ("leave:3", "column 7: found 3 of 3 members, expected at least one to stay"),
        ("leave:1,leave:c", "column 15: found 'c', expected how many leave, or the name of a member"),
        ("add-partitions:t", "column 16: found 't', expected TOPIC+N"),
        ("add-partitions:x+1", "column 16: found 'x', expected a topic that the group reads"),
        ("add-partitions:t+9999999", "column 16: found '9999999', expected how many partitions to add"),
        ("add-topic:t:1", "column 11: found 't', expected a topic that the group does not read yet"),
        ("add-topic:a/b:1", "column 11: found 'a/b:1', expected TOPIC:N"),
        ("remove-topic:t,remove-topic:t", "column 29: found 't', expected a topic that the group reads"),
        ("rebalance:now", "column 11: found 'now', expected nothing after rebalance"),
        ("", "column 1: found ''"),
        (",".join(["rebalance"] * 101), "column 1001: found more than 100 changes"),
    ],
)
def test_complaints_point_at_the_column(text, complaint):
    with pytest.raises(InputError) as caught:
        parse_events(text, GROUP)
    assert str(caught.value).startswith(f"--events: {complaint}")
