"""Events in words: as nouns and as sentences."""

import pytest

from kassay.kinds.connect.words import EVENT_FORMS as CONNECT_FORMS
from kassay.kinds.groups.removal import EVENT_FORMS
from kassay.kinds.registry import driver_for
from kassay.kinds.streams.words import EVENT_FORMS as STREAMS_FORMS
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.documents import HISTORY
from kassay.model.groups.history import EVENTS
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import every_kind
from kassay.model.shape.removal import plain_event
from kassay.model.streams.kinds import STREAMS
from tests.kinds.boards import HELD, OURS, trace

DRIVER = driver_for(CLIENT)
MEMBER = {
    "id": "m0",
    "topics": ["t0"],
    "owned": [["t0", 1]],
    "generation": 3,
    "rack": "r1",
    "instance_id": "i",
}
PARTS = {
    "member": MEMBER, "config": {"k": "v"}, "member_id": "m1", "new_member_id": "m2", "topics": ["t1"],
    "topic": "t2", "partitions": 7, "rack": None, "broker_id": 4, "weights": [1], "numbers": [2],
    "owned": [["t0", 5]], "generation": 8,
}  # fmt: skip


@pytest.mark.parametrize("kind", EVENTS)
def test_every_event_of_a_group_has_a_sentence_with_what_it_is_about(kind):
    fields = EVENTS[kind].__dataclass_fields__
    event = {"event": kind, **{name: PARTS[name] for name in fields}}
    if kind == "CreateTopic":
        event["topic"] = {"name": "t2", "partitions": 7}
    case = {"cluster": {"topics": []}, "changes": [[event]]}
    HISTORY.read(case, "case")
    noun, words = DRIVER.event_words(event), DRIVER.event_sentence(event)
    assert " " in words
    assert noun not in (words, plain_event(event))
    about = {"topic": "t2", "member_id": "m1", "broker_id": "4", "member": "m0"}
    assert all(about[name] in words for name in fields if name in about)


def test_a_member_joins_with_all_that_it_brings():
    words = DRIVER.event_sentence({"event": "Join", "member": MEMBER, "config": {"k": "v"}})
    assert (
        words
        == "m0 joins (subscribes to t0, owns t0-1 since generation 3, rack r1, group.instance.id i, k=v)"
    )


@pytest.mark.parametrize(
    ("kind", "event", "noun", "sentence"),
    [
        (CLIENT, {"event": "Leave", "member_id": "m01"}, "m01 leaving", "m01 leaves"),
        (
            CLIENT,
            {"event": "Withhold", "topic": "t0", "numbers": [3, 4]},
            "the partitions of t0 that are not assignable",
            "t0-3 and t0-4 are not assignable",
        ),
        (
            CLIENT,
            {"event": "ReportOwned", "member_id": "m1", "owned": [["t", 0]], "generation": 3},
            "m1 reporting t-0 of generation 3 as owned",
            "m1 reports t-0 of generation 3 as owned",
        ),
        (
            CLIENT,
            {
                "event": "Join",
                "member": {"id": "m1", "topics": ["t", "u"], "owned": [], "generation": -1, "rack": None},
                "config": {"priority": "2"},
            },
            "m1 joining",
            "m1 joins (subscribes to t and u, priority=2)",
        ),
        (
            CONNECT,
            {"event": "WorkerJoin", "worker": "w0", "running": {"connectors": ["a"], "tasks": []}},
            "w0 joining",
            "w0 joins (runs a)",
        ),
        (
            STREAMS,
            {"event": "ProcessRetag", "process": "p", "rack": "r", "tags": {"zone": "a"}},
            "p moving to rack r, zone=a",
            "p moves to rack r, zone=a",
        ),
        (STREAMS, {"event": "ProcessRename", "process": "p"}, "the process rename p", "process rename p"),
    ],
)
def test_an_event_has_two_forms(kind, event, noun, sentence):
    driver = driver_for(kind)
    assert (driver.event_words(event), driver.event_sentence(event)) == (noun, sentence)


@pytest.mark.parametrize("kind", every_kind(), ids=str)
def test_every_event_that_a_kind_reads_has_its_words(kind):
    changes = [each.node for each in driver_for(kind).form.node.fields if each.name == "changes"]
    for item in (change.item for change in changes):
        events = item if hasattr(item, "item") else next(f.node for f in item.fields if f.name == "events")
        assert driver_for(kind).events.keys() == events.item.variants.keys()


def test_events_on_record_have_sentences():
    for document in map(trace, [*HELD.glob("*.json"), *OURS.glob("*.json")]):
        forms = EVENT_FORMS | STREAMS_FORMS | CONNECT_FORMS
        for change in document["case"].get("changes", ()):
            for event in change["events"] if isinstance(change, dict) else change:
                assert forms[event["event"]].sentence(event)
