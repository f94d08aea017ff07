"""Histories of groups with one thing less, in words."""

from kassay.kinds.groups.removal import event_words, group_removals
from kassay.model.groups.history import EVENTS

MEMBER = {
    "id": "a",
    "topics": ["t", "u"],
    "owned": [["t", 0]],
    "generation": 3,
    "rack": "r",
    "instance_id": "i",
}
CASE = {
    "cluster": {
        "brokers": [{"id": 0, "rack": "r"}],
        "topics": [{"name": "t", "partitions": 2, "weights": [1, 2], "replicas": [[0], [0]]}],
    },
    "reports": "joined",
    "changes": [
        [
            {"event": "Join", "member": MEMBER, "config": {"k": "v"}},
            {"event": "Join", "member": {**MEMBER, "id": "b", "owned": [], "generation": 1}, "config": {}},
        ],
        [{"event": "Leave", "member_id": "b"}],
    ],
}


def test_each_thing_is_left_out_by_itself():
    words = {less.words: less for less in group_removals(CASE)}
    assert words["b leaving"].event
    assert words["b leaving"].case["changes"] == CASE["changes"][:1]
    older = words["generation 3 as the newest"].case["changes"][0]
    assert [event["member"]["generation"] for event in older] == [2, 0]
    assert words["a owning t-0"].case["changes"][0][0]["member"]["owned"] == []
    assert "generation 1 of b" in words
    assert words["one partition of t"].case["cluster"]["topics"][0]["weights"] == [1]
    assert words["one partition of t"].extent == (2, "partition of t")
    for name in ("the rack of a", "the group.instance.id of a", "the configuration k of a"):
        assert name in words
    for name in ("the weights of t", "the replicas of t", "the racks of the brokers", "member a"):
        assert name in words


def test_a_topic_that_is_read_and_not_there_is_named():
    words = {less.words: less for less in group_removals(CASE)}
    less = words["a subscribing to u, which does not exist"]
    assert less.extent is None and less.case["changes"][0][0]["member"]["topics"] == ["t"]
    assert "a subscribing to u" not in words and "a subscribing to t" in words
    created = {"event": "CreateTopic", "topic": {"name": "u", "partitions": 1}}
    later = {**CASE, "changes": [*CASE["changes"], [created]]}
    assert "a subscribing to u" in {less.words for less in group_removals(later)}


def test_every_event_has_its_words():
    named = {
        "member": {"id": "a"}, "member_id": "a", "new_member_id": "b", "topics": ["t"], "partitions": 3,
        "rack": "r", "broker_id": 1, "owned": [["t", 0]], "generation": 2,
    }  # fmt: skip
    for name in EVENTS:
        topic = {"name": "t"} if name == "CreateTopic" else "t"
        assert event_words({"event": name, **named, "topic": topic})
    assert event_words({"event": "ReportOwned", **named}) == "a reporting t-0 of generation 2 as owned"
