"""More partitions: the share of keys that move is exact, and whether a consumer skips records."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.clusters.clients.rules import client_named, client_names
from kassay.engines.clusters.events import parse_events
from kassay.engines.clusters.growth import HASHES, TopicGrowth, growths_of, late_reader, moved_share
from kassay.model.errors import InputError
from tests.engines.clusters.cluster import observed, offsets

GROUP = observed(offsets({"a": ["t-0", "t-1"], "b": ["t-2", "u-0"]}))


def counted(before, after, hashes):
    return sum(h % before != h % after for h in range(hashes))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 3000))
def test_the_share_is_what_counting_every_hash_gives(before, after, hashes):
    from kassay.engines.clusters import growth

    share = 1 - Fraction(0)
    original, growth.HASHES = growth.HASHES, hashes
    try:
        share = moved_share(before, after)
        new = TopicGrowth("t", before, before + after).new
    finally:
        growth.HASHES = original
    assert share * hashes == counted(before, after, hashes)
    assert new * hashes == sum(h % (before + after) >= before for h in range(hashes))


@given(st.integers(1, 2000), st.integers(1, 2000))
def test_keys_to_new_partitions_are_among_those_that_move(before, more):
    growth = TopicGrowth("t", before, before + more)
    assert 0 < growth.new <= growth.moved < 1
    assert moved_share(before, before) == 0
    if (before + more) % before == 0:  # a multiple: keys move to new partitions only
        assert growth.new == growth.moved
    assert abs(growth.new - Fraction(more, before + more)) < Fraction(2 * (before + more), HASHES)


def test_events_say_how_many_more_or_how_many_in_all():
    more, total = parse_events("add-partitions:t+3,add-partitions:t:12", GROUP)
    assert growths_of((more, total), GROUP.cluster.counts) == (
        TopicGrowth("t", 3, 6),
        TopicGrowth("t", 6, 12),
    )
    with pytest.raises(InputError, match="more than the 3 partitions that t has"):
        parse_events("add-partitions:t:3", GROUP)


@pytest.mark.parametrize("library", client_names())
def test_only_a_consumer_that_starts_at_the_latest_offset_skips(library):
    reader = late_reader(client_named(library), is_consumer=False)
    assert reader.skips is (client_named(library).rules.source.reset == "latest")
    assert late_reader(None, is_consumer=True).within_ms == 5000
