"""Events in sentences."""

import json

import pytest

from kassay.model.groups.documents import HISTORY
from kassay.model.groups.history import EVENTS
from kassay.report.facts import event_words
from kassay.report.pages.boards.events import sentence
from tests.report.pages.boards.boards import HELD, OURS

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
    words = sentence(event)
    assert " " in words
    assert words != event_words(event)
    about = {"topic": "t2", "member_id": "m1", "broker_id": "4", "member": "m0"}
    assert all(about[name] in words for name in fields if name in about)


def test_a_member_joins_with_all_that_it_brings():
    words = sentence({"event": "Join", "member": MEMBER, "config": {"k": "v"}})
    assert words == "m0 joins (reads t0, claims t0-1 of generation 3, rack r1, static id i, k=v)"


def test_events_on_record_have_sentences():
    for path in [*HELD.glob("*.json"), *OURS.glob("*.json")]:
        for change in json.loads(path.read_text())["case"].get("changes", ()):
            for event in change["events"] if isinstance(change, dict) else change:
                assert sentence(event)
