"""From values to the JSON of the traces: what was read is written as it stood."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.vectors.protocol.codec import metadata_of, partitions_of
from kassay.certify.vectors.protocol.render import (
    rendered_metadata,
    rendered_partitions,
    rendered_record,
    rendered_reply,
    tidy,
)
from kassay.certify.vectors.protocol.shapes import MetadataShape
from kassay.model.protocols.values import records, requests
from kassay.reading.values import read_as
from tests.certify.vectors.protocol.traced import some, within

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
