from __future__ import annotations

from operator import attrgetter

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import previous_owners
from kassay.solver.check.balance import RACK_FIRST
from kassay.solver.consumers.gap import as_group, distribution, gap
from kassay.solver.consumers.optimum import optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.consumers import consumer
from kassay.solver.instances.hunt import staircase


def kept(problem: Problem) -> dict[str, tuple[TopicPartition, ...]]:
    """The answer that leaves everything where it was."""
    return problem.partitions_of(problem.previous)


@pytest.mark.parametrize("shape", ["join", "groups", "racks", "random"])
def test_the_optimum_has_no_gap(shape: str) -> None:
    problem = Problem.parse(consumer(shape, 4))
    for order in ((), RACK_FIRST):
        found = optimum(problem, order) if order else optimum(problem)
        each = gap(problem, found.assignment, found)
        assert (each.balance, each.spread, each.movement, each.rack, each.missing) == (0, 0, 0, 0, 0)


def test_movement_is_judged_at_optimal_loads_alone() -> None:
    problem = staircase(5)
    stuck = gap(problem, kept(problem))
    assert stuck.loads == (1, 2, 3, 4, 5)
    assert (stuck.balance, stuck.spread, stuck.movement, stuck.rack) == (10, 4, None, None)


def test_a_partition_left_out_is_counted_and_nothing_judged() -> None:
    problem = Problem.parse(consumer("join", 1))
    answer = optimum(problem).assignment | {"m0000": ()}
    each = gap(problem, answer)
    assert each.missing == 4
    assert each.balance is None


def test_what_is_no_assignment_is_refused() -> None:
    problem = staircase(3)
    answer = kept(problem)
    with pytest.raises(InputError, match="given twice"):
        gap(problem, answer | {"m01": (*answer["m01"], *answer["m02"])})
    with pytest.raises(InputError, match="not for this member"):
        gap(problem, answer | {"m02": (*answer["m02"], TopicPartition("t01", 0))})
    with pytest.raises(InputError, match="not in the group"):
        gap(problem, answer | {"stranger": ()})


def test_as_group_poses_the_same_problem() -> None:
    for shape in ("join", "racks", "groups", "random"):
        problem = Problem.parse(consumer(shape, 2))
        cluster, group = as_group(problem)
        again = Problem.of(cluster, group, problem.name)
        assert again == problem
        assert len(previous_owners(cluster, group)) == sum(len(m.owned) for m in group.members)


def test_distributions_name_the_worst() -> None:
    gaps = [gap(staircase(steps), kept(staircase(steps))) for steps in (2, 3, 5, 8, 12)]
    spread = distribution(gaps, attrgetter("spread"))
    assert spread is not None
    assert (spread.judged, spread.worst, spread.worst_name) == (5, 5, "staircase-12")
    racks = distribution(gaps, attrgetter("rack"))
    assert racks is not None
    assert (racks.judged, racks.worst_name) == (1, "staircase-2")
