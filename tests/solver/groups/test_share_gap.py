"""Gaps of share assignors: none at the optimum, and each unevenness where it is."""

from __future__ import annotations

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.solver.groups.share_gap import as_share_group, share_gap
from kassay.solver.groups.shares import ShareProblem, best_sharing
from kassay.solver.instances.groups import SHARE_SHAPES, share_group

T = [TopicPartition("t", p) for p in range(2)]
GROUP = ShareProblem.parse(
    {
        "family": "D",
        "members": [
            {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1]]},
            {"id": "b", "topics": ["t"]},
            {"id": "c", "topics": ["t"]},
        ],
        "topics": [{"name": "t", "partitions": 2}],
    }
)


@pytest.mark.parametrize("shape", SHARE_SHAPES)
def test_the_optimum_has_no_gap_and_a_group_poses_its_problem(shape: str) -> None:
    problem = ShareProblem.parse(share_group(shape, 2, members=9, topics=2, partitions=3))
    best = best_sharing(problem)
    far = share_gap(problem, best.assignment)
    assert (far.balance, far.spread, far.movement, far.missing) == (0, 0, 0, 0)
    assert ShareProblem.of(*as_share_group(problem), problem.name) == problem


def test_each_goal_has_its_distance() -> None:
    kept = share_gap(GROUP, {"a": T, "b": T[:1], "c": T[1:]})
    assert (kept.balance, kept.movement, kept.moved) == (0, 0, 0)
    taken = share_gap(GROUP, {"a": T[:1], "b": T, "c": T[1:]})
    assert (taken.balance, taken.movement) == (0, 1)
    everything = share_gap(GROUP, {"a": T, "b": T, "c": T})
    assert (everything.balance, everything.spread, everything.movement) == (2, -1, None)
    apart = share_gap(GROUP, {"a": T, "b": T, "c": []})
    assert (apart.balance, apart.spread) == (2, 1)
    left_out = share_gap(GROUP, {"a": T[:1], "b": T[:1]})
    assert (left_out.missing, left_out.balance) == (1, None)
    assert left_out.document()["name"] == ""


@pytest.mark.parametrize(
    "answer",
    [{"x": T}, {"a": [*T, T[0]]}, {"a": [TopicPartition("t", 2)]}, {"a": [TopicPartition("u", 0)]}],
)
def test_what_is_no_answer_has_no_gap(answer: dict[str, list[TopicPartition]]) -> None:
    with pytest.raises(InputError):
        share_gap(GROUP, answer)
