"""The protocol of client programs: events read back, and complaints that name program, line and field."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.engines.live.program import (
    CALLBACKS,
    LINE_MAX,
    REPORTABLE,
    Called,
    ClientStart,
    Closed,
    Closing,
    Committed,
    Failed,
    Ready,
    RecordsRead,
    Span,
    Stall,
    Timeouts,
    event_document,
    read_event,
)
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError

TIMES = st.integers(0, 2**62)
PARTITIONS = st.builds(TopicPartition, st.text(min_size=1, max_size=5), st.integers(0, 99))
EVENTS = st.one_of(
    st.builds(Ready, TIMES, st.text(min_size=1), st.text(), st.sets(st.sampled_from(REPORTABLE)).map(tuple)),
    st.builds(
        Called,
        TIMES,
        st.sampled_from(CALLBACKS),
        st.sampled_from(["begin", "end"]),
        st.frozensets(PARTITIONS, max_size=4),
    ),
    st.builds(
        RecordsRead,
        TIMES,
        st.lists(
            st.builds(Span, PARTITIONS, st.integers(0, 9), st.integers(9, 20), st.integers(1, 9)), max_size=3
        ).map(tuple),
    ),
    st.builds(Committed, TIMES, TIMES, st.dictionaries(PARTITIONS, st.integers(0, 2**40), max_size=3)),
    st.builds(Failed, TIMES, st.booleans(), st.text()),
    st.builds(Stall, TIMES, st.integers(0, 10_000)),
    st.builds(Closing, TIMES),
    st.builds(Closed, TIMES),
)


@settings(max_examples=40)
@given(EVENTS)
def test_an_event_is_read_back(event):
    assert read_event(json.dumps(event_document(event)), "m1", 1) == event


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nonsense", "m1:7: not JSON"),
        ("[1]", "m1:7: found [1], expected an object"),
        ('{"t": 1}', "m1:7: event: found nothing, expected one of ready"),
        ('{"event": "asigned", "t": 1}', "did you mean assigned?"),
        ('{"event": "closed"}', "m1:7: t: missing"),
        ('{"event": "closed", "t": "1"}', "m1:7: t: found '1'"),
        ('{"event": "closed", "t": 1, "x": 1}', "m1:7: x: unknown field"),
        ('{"event": "lost", "t": 1, "phase": "mid", "partitions": []}', "m1:7: phase: found 'mid'"),
        ('{"event": "lost", "t": 1, "phase": "end", "partitions": [["a"]]}', "m1:7: partitions[0]"),
        ('{"event": "ready", "t": 1, "library": "x", "version": "1", "reports": ["all"]}', "m1:7: reports"),
        ('{"event": "closed", "t": 1' + " " * LINE_MAX + "}", "m1:7: a line of"),
    ],
)
def test_a_wrong_line_is_named(line, words):
    with pytest.raises(InputError) as caught:
        read_event(line, "m1", 7)
    assert words in str(caught.value)


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda data: data.decode("utf-8", "replace")))
def test_any_line_is_an_event_or_one_complaint(line):
    try:
        read_event(line.replace("\n", ""), "m1", 1)
    except InputError as problem:
        assert str(problem).startswith("m1:1")


def test_a_start_is_one_flat_document():
    start = ClientStart("h:1", "g", "m1", ("a",), ("range",), timeouts=Timeouts(session_ms=7000))
    document = start.document()
    assert (document["do"], document["session_ms"], document["instance"]) == ("start", 7000, None)
    assert json.loads(json.dumps(document))["topics"] == ["a"]


def test_the_limit_comes_from_the_clients_own_timeouts():
    assert Timeouts(6000, 500, 20_000, 1000).settle_ms == 34_000
