"""The shapes of production are taken as they are told."""

import pytest

from kassay.properties.groups.histories.generator import Profile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.groups.histories.shapes import SHAPES
from kassay.properties.sources import Seeded


def test_every_shape_has_a_name_of_its_own_and_a_source():
    assert len({shape.id for shape in SHAPES}) == len(SHAPES)
    assert all(shape.source for shape in SHAPES)
    assert {shape.graph for shape in SHAPES} == {"all", "own", "two", "some"}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.id)
def test_a_large_history_starts_as_its_shape_says(shape):
    case = history(Seeded(3), Profile(name="large", shape=shape.id))
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
