"""Events as JSON: that of the traces, whose reader takes each."""

import json

import pytest

from kassay.engines.genuine import events as e
from kassay.engines.vectors.protocol.codec import Images, event_of
from kassay.engines.vectors.protocol.shapes import StepShape, TracedStep

REQUESTS = [
    e.JoinEvent("c", "", [("range", {"topics": ["foo"], "version": 0})]),
    e.SyncEvent("m", 1, {"m": {"foo": [0]}}),
    e.HeartbeatEvent("m", 1),
    e.LeaveEvent([{"member": "m", "instance": None}]),
    e.CommitEvent("m", 1, [("foo", 0, 5)]),
    e.ConsumerHeartbeatEvent("m", 0, subscribed=["foo"], owned={}, rebalance_timeout=1),
    e.TopicsEvent({"foo": 1}),
    e.ResolveEvent(),
    e.ResolveRunEvent(),
]


def test_a_failed_write_is_named_only_where_there_is_one():
    assert e.HeartbeatEvent("m", 1).document() == {
        "event": "heartbeat",
        "member": "m",
        "generation": 1,
        "instance": None,
    }
    assert e.AdvanceEvent(5, "NOT_ENOUGH_REPLICAS").document() == {
        "event": "advance",
        "ms": 5,
        "write_fails": "NOT_ENOUGH_REPLICAS",
    }


@pytest.mark.parametrize("event", REQUESTS, ids=lambda event: event.kind)
def test_the_reader_of_the_traces_takes_it(event):
    document = json.loads(json.dumps(event.document()))
    step = TracedStep(StepShape(7, 0, document, (), (), (), 0, {}))
    assert event_of(step, Images()) is not None


def test_every_event_has_a_kind_of_its_own():
    kinds = [each.kind for each in e.GenuineEvent.__subclasses__()]
    assert all(kinds) and len(set(kinds)) == len(kinds)
