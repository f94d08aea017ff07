"""Records as documents: whatever was sent is read back, bytes included, and what is none is refused by its field."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.calls import Failure, Refusal
from kassay.model.errors import FailureKind, InputError
from kassay.model.partitioners.documents import RECORD, SENDS, sent_to_json
from kassay.model.partitioners.partitioner import ProducerRecord, ProducerSends, Sent, TopicMetadata

data = st.none() | st.binary(max_size=4)
records = st.builds(ProducerRecord, st.sampled_from(("t", "é")), data, data, st.none() | st.integers(-1, 4))
topics = st.builds(TopicMetadata.of, st.integers(1, 4), st.sets(st.integers(0, 3)))
sendings = st.builds(
    ProducerSends,
    st.lists(st.tuples(records, topics), max_size=3).map(tuple),
    st.dictionaries(st.sampled_from(("a", "b")), st.sampled_from(("", "1"))),
)


@settings(max_examples=40)
@given(sendings)
def test_what_is_sent_is_read_back(sending):
    assert SENDS.read(json.loads(json.dumps(SENDS.write(sending))), "case") == sending


GOOD = {"topic": "t", "partitions": 2}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": "a"}, "record.key: expected base64, got 'a'"),
        ({"value": "é==="}, "record.value: expected base64, got 'é==='"),
        ({"key": 3}, "record.key: expected a string, got 3"),
        (
            {"partitions": 0},
            "record.partitions: expected a whole number of at least 1 and at most 1000000, got 0",
        ),
        ({"offset": 3}, "record.offset: unknown field"),
    ],
)
def test_what_is_no_record_is_refused_by_its_field(change, message):
    with pytest.raises(InputError, match=message):
        RECORD.read(GOOD | change, "record")


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (1, {"answer": 1}),
        (Refusal("java.lang.X", "no"), {"refused": {"java_class": "java.lang.X", "message": "no"}}),
        (Failure(FailureKind.DIED, "gone"), {"failure": {"kind": "died", "message": "gone"}}),
    ],
)
def test_a_record_is_shown_with_where_it_went(answer, shown):
    record = ProducerRecord("t", b"\x00\xff")
    document = sent_to_json(Sent(record, TopicMetadata.of(2, {0}), answer))
    base = {
        "topic": "t",
        "key": "AP8=",
        "value": None,
        "partition": None,
        "partitions": 2,
        "unavailable": [0],
    }
    assert document == base | shown
