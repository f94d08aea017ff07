"""Share groups by shape: what each shape says, and the same on every machine."""

from __future__ import annotations

from collections import Counter

import pytest

from kassay.model.errors import InputError
from kassay.solver.instances.shares import SHARE_SHAPES, share_group
from kassay.solver.sharing.problem import ShareProblem


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
