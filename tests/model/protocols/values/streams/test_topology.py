"""What a topology reads and keeps."""

from __future__ import annotations

from kassay.model.protocols.values.streams.topology import StreamsSubtopology, StreamsTopology

COUNTING = StreamsTopology(
    1,
    (
        StreamsSubtopology("0", sources=("words",), repartition_sinks=("by-word",)),
        StreamsSubtopology("1", changelogs=("counts",), repartition_sources=(("by-word", 0),)),
    ),
)


def test_a_topic_is_read_by_the_subtopology_that_names_it_or_by_none():
    assert [COUNTING.reader_of(topic) for topic in ("words", "by-word")] == list(COUNTING.subtopologies)
    assert COUNTING.reader_of("counts") is None


def test_what_is_only_written_is_not_required_but_state_is():
    sinks_only = StreamsTopology(1, COUNTING.subtopologies[:1])
    assert sinks_only.required_topics == {"words"}
    assert COUNTING.required_topics == {"words", "by-word", "counts"}
