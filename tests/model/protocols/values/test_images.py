"""Metadata images."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.values.requests import image_of


@given(st.dictionaries(st.sampled_from(["bar", "baz", "foo"]), st.integers(0, 5)))
def test_an_image_lists_topics_by_name_each_under_its_own_id(counts):
    image = image_of(counts.items())
    assert [topic.name for topic in image] == sorted(counts)
    assert all(topic.topic_id == topic.name and counts[topic.name] == topic.partitions for topic in image)
