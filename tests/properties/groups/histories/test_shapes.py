"""The shapes of production are taken as they are told."""

import re

import pytest

from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.groups.histories.shapes import SHAPES
from kassay.properties.sources import Seeded


def test_every_shape_has_a_name_of_its_own_and_a_source():
    assert len({shape.id for shape in SHAPES}) == len(SHAPES)
    assert all(shape.source for shape in SHAPES)
    assert {shape.graph for shape in SHAPES} == {"all", "own", "two", "some"}


def test_a_shape_has_the_sizes_that_its_source_names():
    """A tasks' or partitions' number is the sum, consumers' or threads' the members; `12 topics of 40` multiply."""
    named = 0
    for shape in SHAPES:
        if many := re.search(r"(\d+) topics of (\d+) partitions", shape.source):
            assert shape.topics == (int(many[2]),) * int(many[1])
        elif total := re.search(r"(\d+) (?:partitions|tasks)", shape.source):
            assert sum(shape.topics) == int(total[1])
            named += 1
        if groups := re.search(r"(\d+) processes of (\d+) consumers", shape.source):
            assert shape.members == int(groups[1]) * int(groups[2])
        elif members := re.search(r"(\d+) (?:consumers|threads)", shape.source):
            assert shape.members == int(members[1])
            named += 1
    assert named >= 8


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.id)
def test_a_large_history_starts_as_its_shape_says(shape):
    case = history(Seeded(3), GroupProfile(name="large", shape=shape.id))
    assert sorted(topic.partitions for topic in case.cluster.topics) == sorted(shape.topics)
    members = [event.member for event in case.changes[0]]
    assert len(members) == shape.members
    names = [topic.name for topic in case.cluster.topics]
    read = {member.topics for member in members}
    if shape.graph == "all":
        assert {frozenset(topics) for topics in read} == {frozenset(names)}
    elif shape.graph == "own":
        assert {len(set(topics)) for topics in read} == {1}
        assert len(read) == len(names)
    elif shape.graph == "two":
        assert {len(set(topics)) for topics in read} == {2}
