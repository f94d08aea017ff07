"""How many partitions a topic had at least."""

from kassay.engines.audits.topics import KnownTopics, SeenTopics
from kassay.model.cluster import Topic
from tests.engines.audits.logs import tps


def test_a_topic_has_what_is_given_out_and_what_is_claimed():
    seen = SeenTopics({})
    assert seen.cluster(tps("a", 0, 3), tps("b", 1), {}).counts == {"a": 4, "b": 2}
    # That it was larger before says nothing: it may have been deleted and created anew.
    assert seen.cluster(tps("a", 0), (), {}).counts == {"a": 1}


def test_what_was_given_out_before_and_is_described_today_was_there():
    seen = SeenTopics({"a": 3})
    seen.cluster(tps("a", 4), (), {})
    assert seen.cluster(tps("a", 0), (), {}).counts == {"a": 3}
    assert seen.cluster(tps("b", 0), (), {}).counts == {"b": 1}


def test_counts_of_the_records_hold():
    assert SeenTopics({}).cluster(tps("a", 0), (), {"a": 5, "c": 2}).counts == {"a": 5, "c": 2}


def test_absurd_sizes_are_not_believed():
    assert SeenTopics({}).cluster((*tps("a", 999_999), *tps("b", 999_999)), (), {}) is None


def test_described_topics_by_name_and_id():
    known = KnownTopics.of([Topic("a", 3, topic_id="X"), Topic("b", 1)])
    assert (known.counts, known.names) == ({"a": 3, "b": 1}, {"X": "a"})
