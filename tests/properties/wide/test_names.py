"""Classes of names: every class makes different names that show it, and only legal ones are used."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.shape.legal import ANY_TEXT, CONNECTOR_NAMES, INSTANCE_IDS, TOPIC_NAMES, UUIDS
from kassay.properties.sources import Seeded
from kassay.properties.wide.names import NAME_CLASSES, classes_for, java_hash

BY_ID = {known.id: known for known in NAME_CLASSES}


@given(st.sampled_from(NAME_CLASSES), st.integers(1, 300), st.integers(0, 2**32))
def test_a_class_makes_as_many_different_names_as_wanted_and_sees_itself(known, size, seed):
    names = known.make(size, Seeded(seed))
    assert len(names) == len(set(names)) == size
    assert size < max(2, known.least) or known.seen(names)


@pytest.mark.parametrize("known", NAME_CLASSES, ids=lambda known: known.id)
def test_a_thousand_and_one_names_differ(known):
    assert len(set(known.make(1025, Seeded(1)))) == 1025


@pytest.mark.parametrize("known", NAME_CLASSES, ids=lambda known: known.id)
def test_plain_names_show_no_class(known):
    assert not known.seen(["t0", "t1", "t2"])


@pytest.mark.parametrize(
    "legal", [TOPIC_NAMES, INSTANCE_IDS, CONNECTOR_NAMES, ANY_TEXT], ids=lambda legal: legal.source
)
def test_names_of_the_classes_of_a_range_are_legal(legal):
    for known in classes_for(legal):
        assert all(map(legal.accepts, known.make(40, Seeded(3)))), known.id


def test_the_ranges_are_those_of_kafka():
    assert not any(map(TOPIC_NAMES.accepts, ["", ".", "..", "a" * 250, "a b", "é", "a/b"]))
    assert all(map(TOPIC_NAMES.accepts, ["a", "a" * 249, "A.b_c-9", "..."]))
    assert not any(map(CONNECTOR_NAMES.accepts, ["", " ", " a", "a\n", "a\tb"]))
    assert UUIDS.accepts("80000000-0000-4000-8000-000000000001")
    assert not UUIDS.accepts("p1")
    assert len(classes_for(TOPIC_NAMES)) < len(classes_for(ANY_TEXT)) == len(NAME_CLASSES)


def test_text_ranges_have_the_classes_that_programs_stumble_over():
    topics = {known.id for known in classes_for(TOPIC_NAMES)}
    assert topics >= {
        "dash",
        "dot",
        "underscore",
        "case",
        "prefix",
        "suffix",
        "number-order",
        "longest-topic",
    }
    assert not topics & {"colon", "accent", "wide", "blank", "long-text"}


def test_hashes_are_those_of_java():
    assert java_hash("Aa") == java_hash("BB") == 2112
    names = BY_ID["java-hash"].make(20, Seeded(0))
    assert len({java_hash(name) for name in names}) < len(names)
