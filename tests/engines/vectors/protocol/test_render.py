"""From values to the JSON of the traces: what was read is written as it stood.

What the traces of 4.4 tell beside the older format.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.vectors.protocol.codec import metadata_of, partitions_of
from kassay.engines.vectors.protocol.render import (
    records_beside,
    rendered_beside,
    rendered_metadata,
    rendered_more,
    rendered_partitions,
    rendered_record,
    rendered_reply,
    state_beside,
    tidy,
)
from kassay.engines.vectors.protocol.shapes import MetadataShape
from kassay.model.errors import InputError
from kassay.model.protocols.values import records, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup, ConsumerMember, CoordinatorState
from kassay.model.protocols.values.records import Background, RegexMatches, Resolution
from kassay.model.protocols.values.requests import image_of
from kassay.reading.values import read_as
from tests.engines.vectors.protocol.traced import some, step, within

numbers = st.sets(st.integers(0, 5), min_size=1).map(sorted)
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", " ", "x"]),
    lambda inner: (
        st.dictionaries(st.sampled_from(["a", "b", "timers", "pending_join"]), inner, max_size=3)
        | st.lists(inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from("abc"), numbers))
def test_partitions_are_written_as_they_were_read(tps):
    assert rendered_partitions(partitions_of(tps)) == tps


def test_zero_bytes_are_null_and_no_partitions_are_none():
    assert rendered_partitions(requests.ZERO_BYTES) is None
    assert rendered_partitions(()) == {}


def test_metadata_of_the_traces_is_written_as_it_was_read():
    count = 0
    for trace in some():
        for protocols in within(trace["steps"], "protocols"):
            for item in protocols:
                if isinstance(item, list):
                    count += 1
                    assert rendered_metadata(metadata_of(read_as(MetadataShape, item[1]))) == item[1]
    assert count > 100


@given(documents)
def test_a_tidy_form_is_tidy(document):
    once = tidy(document)
    assert tidy(once) == once


@given(st.permutations(["c", "a", "b"]), st.permutations([["session", "a", 5], ["join", None, 9]]))
def test_the_order_of_members_and_timers_does_not_matter(ids, timers):
    members = [{"id": name, "instance": ""} for name in ids]
    assert tidy({"members": members, "timers": timers}) == {
        "members": {name: {"id": name, "instance": None} for name in "abc"},
        "timers": [["join", None, 9], ["session", "a", 5]],
    }


def test_an_error_of_the_consumer_protocol_has_no_further_fields():
    fields = {"member_id": "m", "member_epoch": 3, "heartbeat_interval": 5000, "assignment": None}
    failed = requests.ConsumerHeartbeatReply(error="FENCED_MEMBER_EPOCH", **fields)
    assert rendered_reply(requests.Reply(4, failed)) == {
        "to": 4,
        "kind": "consumer_heartbeat",
        "error": "FENCED_MEMBER_EPOCH",
    }
    fine = requests.ConsumerHeartbeatReply(error="NONE", **fields)
    assert rendered_reply(requests.Reply(4, fine)) == {
        "to": 4,
        "kind": "consumer_heartbeat",
        "error": "NONE",
        "member": "m",
        "epoch": 3,
        "interval": 5000,
        "assignment": None,
    }


def test_a_record_without_a_value_is_a_tombstone():
    gone = records.LogRecord((records.TARGET, "m"), None)
    assert rendered_record(gone) == {"type": "target", "member": "m", "tombstone": True}
    there = records.LogRecord((records.TARGET, "m"), partitions_of({"t": [0]}))
    assert rendered_record(there) == {"type": "target", "member": "m", "partitions": {"t": [0]}}


RECORDS = ({"type": "target_epoch", "epoch": 2}, {"type": "member", "member": "m"})


def traced(**more):
    return step({}, records=RECORDS, more=more).shape


def test_what_stands_beside_a_record_is_told_of_it_and_of_nothing_else():
    dated = {**RECORDS[0], "more": {"time": 7}}
    shape = traced(records=[{"time": 7}, None], assignment_time=7)
    assert records_beside(shape) == [dated, RECORDS[1]]
    assert state_beside(shape) == {"assignment_time": 7}


@pytest.mark.parametrize("beside", [[], [None], "all", [None] * 3])
def test_what_stands_beside_no_record_is_refused(beside):
    with pytest.raises(InputError, match=r"step 3: more\.records: expected one for each of 2 records"):
        records_beside(traced(records=beside))


TPS = partitions_of({"t": [0, 2], "u": [1]})


def test_records_tell_their_topics_time_and_epochs():
    def beside(kind, value):
        return rendered_beside(r.LogRecord((kind, ""), value)).get("more")

    assert beside(r.EPOCH, r.EpochValue(3, image_of({"t": 4}.items()))) == {"topics": {"t": 4}}
    assert beside(r.TARGET_EPOCH, r.TargetEpochValue(3, 0)) == {"time": 0}
    assert beside(r.TARGET_EPOCH, r.TargetEpochValue(3, r.UNKNOWN_TIME)) is None
    assert beside(r.CURRENT, r.CurrentValue(3, 2, "STABLE", TPS, (), (1, 2, 3), ())) == {
        "assigned_epochs": {"t": [1, 2], "u": [3]}
    }
    assert beside(r.CURRENT, r.CurrentValue(3, 2, "STABLE", (), TPS[:1], (), (1,))) == {
        "pending_epochs": {"t": [1]}
    }
    assert beside(r.CURRENT, None) is beside(r.EPOCH, 3) is None


def test_a_group_tells_its_epochs_its_time_and_whether_it_looks_again():
    member = ConsumerMember("m", assigned=TPS, assigned_epochs=(1, 2, 3))
    group = ConsumerGroup(3, 3, (), (member, ConsumerMember("n")), target_time=5, refreshed=(3,))
    epochs = {"m": {"assigned": {"t": [1, 2], "u": [3]}}, "n": {"assigned": {}}}
    assert rendered_more(CoordinatorState(group)) == {"partition_epochs": epochs, "assignment_time": 5}
    again = rendered_more(CoordinatorState(group._replace(refreshed=(4,), target_time=r.UNKNOWN_TIME)))
    assert again == {"partition_epochs": epochs, "metadata_expired": True}
    assert rendered_more(CoordinatorState(ClassicGroup())) == rendered_more(CoordinatorState()) == {}


def test_a_state_tells_its_regular_expressions_and_whether_they_are_being_resolved():
    matches = RegexMatches(("t",), 5, 2)
    group = ConsumerGroup(members=(ConsumerMember("m", regex="t.*"),), resolved=(("t.*", matches),))
    resolving = Background(2, 1, (Resolution(("t.*",)),))
    more = rendered_more(CoordinatorState(group, background=resolving))
    assert more["regex_of"] == {"m": "t.*"} and more["refreshing"] is True
    assert more["resolved"] == {"t.*": {"topics": ["t"], "time": 5, "image": 2}}
    assert rendered_more(CoordinatorState(background=resolving)) == {"refreshing": True}
