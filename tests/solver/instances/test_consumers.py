"""Consumer instances by shape: well formed, and what each shape says."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.consumers import CONSUMER_SHAPES, consumer


def made(shape: str, seed: int, **sizes: Any) -> dict[str, Any]:
    return consumer(shape, seed, members=6, partitions=40, change=2, **sizes)


@pytest.mark.parametrize("shape", CONSUMER_SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_an_instance_is_as_its_shape_says(shape: str, seed: int) -> None:
    document = made(shape, seed)
    assert document == made(shape, seed)
    Problem.parse(document)
    counts = {topic["name"]: topic["partitions"] for topic in document["topics"]}
    assert shape == "copart" or sum(counts.values()) == 40
    assert all(counts.values())
    members = document["members"]
    claims = Counter((topic, p) for member in members for topic, p in member["owned"])
    assert set(claims.values()) <= {1}
    assert all(0 <= p < counts[topic] for topic, p in claims)
    read = [set(member["topics"]) for member in members]
    assert set().union(*read) == set(counts)
    assert all(
        topic in topics for member, topics in zip(members, read, strict=True) for topic, _ in member["owned"]
    )
    loads = [len(member["owned"]) for member in members]
    if shape == "uniform":
        assert not claims
    if shape in ("join", "racks", "weighted"):
        assert loads[4:] == [0, 0]
        assert max(loads[:4]) - min(loads[:4]) <= 1
        assert sum(loads) == 40
    if shape == "leave":
        assert sum(loads) == 40 - 40 // 8 * 2
    if shape in ("shuffle", "groups", "random", "nested"):
        assert 24 <= sum(loads) < 40
    if shape == "nested":
        assert all(small <= large for small, large in pairwise(read))
        assert len({frozenset(topics) for topics in read}) > 1
    racked = {member["rack"] is not None for member in members}
    assert racked == {shape in ("racks", "random", "groups")}
    assert all((topic["racks"] is not None) in racked for topic in document["topics"])
    assert any(len(set(topic["weights"] or ())) > 1 for topic in document["topics"]) == (shape == "weighted")
    for pair in document["copartition"]:
        assert len({counts[name] for name in pair}) == 1
    assert bool(document["copartition"]) == (shape == "copart")


@pytest.mark.parametrize("racks", [1, 2, 5])
def test_replicas_are_never_in_all_of_several_racks(racks: int) -> None:
    document = made("racks", 1, racks=racks, rf=3)
    for topic in document["topics"]:
        for row in topic["racks"]:
            assert len(set(row)) == len(row) == min(3, max(1, racks - 1))


def test_the_density_is_the_share_of_topics_read() -> None:
    full, half = (made("random", 3, density=density, topics=10) for density in (100, 50))
    assert all(len(member["topics"]) == 10 for member in full["members"])
    assert 15 < sum(len(member["topics"]) for member in half["members"]) < 45
