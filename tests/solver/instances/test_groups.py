"""Consumer instances by shape: well formed, and what each shape says.

Share groups by shape: what each shape says, and the same on every machine.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.shares import ShareProblem
from kassay.solver.instances.groups import CONSUMER_SHAPES, SHARE_SHAPES, consumer, share_group


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


@pytest.mark.parametrize("shape", SHARE_SHAPES)
@pytest.mark.parametrize(("members", "topics", "partitions"), [(9, 2, 2), (5, 2, 4), (8, 1, 4)])
def test_a_share_group_is_as_its_shape_says(shape: str, members: int, topics: int, partitions: int) -> None:
    document = share_group(shape, 1, members=members, topics=topics, partitions=partitions, change=2)
    again = share_group(shape, 1, members=members, topics=topics, partitions=partitions, change=2)
    assert document == again
    assert ShareProblem.parse({k: v for k, v in document.items() if k not in ("shape", "seed")}).members
    held = [len(member["owned"]) for member in document["members"]]
    read = {tuple(member["topics"]) for member in document["members"]}
    assert (len(read) > 1) <= (shape == "groups")
    assert any(topic["assignable"] is not None for topic in document["topics"]) == (shape == "missing")
    if shape == "fresh":
        assert sum(held) == 0
    if shape == "join":
        assert held.count(0) == 2
        owners = Counter(tuple(tp) for member in document["members"] for tp in member["owned"])
        assert len(owners) == topics * partitions
        assert len(set(owners.values())) == 1
    if shape in ("join", "leave"):
        there = [count for count in held if count]
        assert max(there) - min(there) <= 1


def test_an_unknown_shape_is_named() -> None:
    with pytest.raises(InputError, match="shape: found 'round'"):
        share_group("round")
