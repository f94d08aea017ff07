"""Each shape of a made-up fleet keeps what it promises, at every snapshot of any seed."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.pipeline.fleet.generate import (
    CATALOGUE,
    EPOCH_S,
    EVERY_S,
    GIANT,
    FleetSpec,
    Moment,
    dialect_of,
    moments,
    moments_of,
    shape_of,
    snapshot_text,
    stamp,
)
from kassay.properties.groups.histories.generator import ClusterShape

SMALL = [shape for shape in CATALOGUE if sum(shape.topics) <= GIANT]
SHAPES = st.one_of(st.sampled_from(SMALL), st.integers(0, 10**6).map(lambda n: shape_of(random.Random(n))))
SEEDS = st.integers(0, 2**32)


def made(shape: ClusterShape, seed: int, snapshots: int = 6) -> list[Moment]:
    return list(moments_of(FleetSpec(1, snapshots), random.Random(seed), shape))


def claim(shape: ClusterShape, names: list[str], topics: tuple[str, ...]) -> bool:
    """Whether a member of this shape may read these topics."""
    if shape.graph == "own":
        return len(topics) == 1
    if shape.graph == "two":
        pairs = [(a, b) for a, b in pairwise([*names, names[0]])]
        return topics in pairs
    return bool(topics) and (shape.graph == "some" or topics == tuple(names))


@pytest.mark.parametrize("shape", CATALOGUE, ids=lambda shape: shape.id)
def test_a_shape_starts_with_its_members_and_topics_and_cites_its_source(shape: ClusterShape) -> None:
    (first,) = made(shape, 0, 1)
    assert len(first.members) == shape.members
    assert tuple(topic.partitions for topic in first.cluster.topics) == shape.topics
    assert any(mark in shape.source for mark in ("issue", "KAFKA-", "documentation", ".dk", "synthetic: "))


@given(SHAPES, SEEDS)
def test_members_read_what_the_graph_says(shape: ClusterShape, seed: int) -> None:
    for moment in made(shape, seed):
        names = [topic.name for topic in moment.cluster.topics]
        assert all(claim(shape, names, member.topics) for member in moment.members)


@given(SHAPES, SEEDS)
def test_every_partition_that_is_read_has_one_owner_who_reads_it(shape: ClusterShape, seed: int) -> None:
    for moment in made(shape, seed):
        reads = {member.member_id: member.topics for member in moment.members}
        read = {topic for topics in reads.values() for topic in topics}
        owned = [tp for tps in moment.given.values() for tp in tps]
        assert moment.given.keys() == reads.keys()
        assert sorted(owned) == sorted(tp for t in moment.cluster.topics if t.name in read for tp in t.tps())
        assert all(tp.topic in reads[member] for member, tps in moment.given.items() for tp in tps)


@given(SHAPES, SEEDS)
def test_a_little_happens_between_snapshots(shape: ClusterShape, seed: int) -> None:
    found = made(shape, seed)
    assert [moment.at for moment in found] == [EPOCH_S + i * EVERY_S for i in range(len(found))]
    for before, after in pairwise(found):
        left = {m.member_id for m in before.members} - {m.member_id for m in after.members}
        came = {m.member_id for m in after.members} - {m.member_id for m in before.members}
        sizes = [(a.partitions, b.partitions) for a, b in zip(before.cluster.topics, after.cluster.topics)]
        assert len(left) <= 1
        assert len(came) <= 1
        assert all(small <= large for small, large in sizes)
        assert sum(small < large for small, large in sizes) <= (not left and not came)
        assert after.members
        if not left and not came and all(small == large for small, large in sizes):
            assert before.given == after.given


@given(SHAPES, SEEDS)
@settings(max_examples=30)
def test_the_same_seed_makes_the_same_group(shape: ClusterShape, seed: int) -> None:
    assert made(shape, seed) == made(shape, seed)


def test_a_fleet_has_small_services_shapes_of_the_catalogue_and_every_dialect() -> None:
    spec = FleetSpec(3000, 1)
    shapes = [shape_of(random.Random(n)) for n in range(spec.groups)]
    services = sum(shape.id == "service" for shape in shapes)
    giants = sum(sum(shape.topics) > GIANT for shape in shapes)
    assert 0.8 < services / spec.groups < 0.9
    assert 0 < giants < 0.01 * spec.groups
    assert {shape.id for shape in shapes} == {"service", *(shape.id for shape in CATALOGUE)}
    assert {dialect_of(spec, n) for n in range(100)} == set(spec.dialects)


@given(SEEDS, st.integers(0, 500))
@settings(max_examples=30)
def test_a_group_does_not_hang_on_the_size_of_the_fleet(seed: int, number: int) -> None:
    name, found = moments(FleetSpec(1, 2, seed), number)
    other, same = moments(FleetSpec(1000, 2, seed), number)
    assert (name, list(found)) == (other, list(same))
    assert name.endswith(f"-{number:05d}")


def test_what_nobody_owns_is_in_the_offsets_view_alone() -> None:
    shape = ClusterShape("lonely", 1, (1, 2), "own", "synthetic: a topic that nobody reads")
    (moment,) = made(shape, 3, 1)
    assert [line.split()[6] for line in snapshot_text("g", moment, "offsets").split("\n")[2:]].count("-") == 2
    assert all(
        "lonely.1" not in snapshot_text("g", moment, dialect)
        for dialect in ("members", "members-epochs", "json")
    )
    assert stamp(moment.at) == "2026-11-21T00-00-00Z"
