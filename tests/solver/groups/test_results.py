"""The result of an optimum is that of its assignment, whoever solved it."""

from __future__ import annotations

from operator import attrgetter

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import previous_owners
from kassay.solver.check.balance import ORDERS, RACK_FIRST
from kassay.solver.check.check import check_certificate
from kassay.solver.groups.optimum import best_assignment
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import (
    as_group,
    best_by,
    distribution,
    gap,
    optimum_certificate,
    solve_consumers,
)
from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import staircase
from kassay.solver.results import OutOfTimeError
from tests.solver.groups import brute


@pytest.mark.parametrize("order", ORDERS)
def test_figures_certificate_and_assignment_say_the_same(order: tuple[str, ...]) -> None:
    for document in brute.small(range(2)):
        problem = Problem.parse(document)
        flow, z3 = (solve_consumers(problem, order, solver, 20.0) for solver in ("flow", "z3"))
        for solved in (flow, z3):
            place = {member.member_id: m for m, member in enumerate(problem.members)}
            owner = {
                (topic, number): place[id_]
                for id_, topics in solved.certificate["assignment"].items()
                for topic, numbers in topics.items()
                for number in numbers
            }
            rows = {
                topic.name: tuple(owner[topic.name, p] for p in range(topic.partitions))
                for topic in problem.topics
                if (topic.name, 0) in owner
            }
            loads, *rest = brute.value(problem, rows, order)
            assert solved.figures["loads"][::-1] == loads
            moved, wrong = rest if order == ORDERS[0] else rest[::-1]
            squares = sum(load * load for load in loads)
            figures = {"moved": moved, "rack_mismatch": wrong, "lower": squares, "upper": squares}
            assert solved.figures | figures == solved.figures
            assert (solved.figures["status"], solved.figures["order"]) == ("optimal", ",".join(order))
            values = [loads, *rest]
            assert [(g["value"], g["bound"], g["proven"]) for g in solved.figures["goals"]] == [
                (value, value, True) for value in values
            ]
            assert check_certificate(solved.certificate).accepted
        assert flow.figures == z3.figures


def test_only_z3_runs_out_of_time() -> None:
    problem = Problem.parse(next(brute.small(range(1))))
    with pytest.raises(OutOfTimeError):
        best_by("z3", problem, ORDERS[0], 0.0)
    best = best_by("flow", problem, ORDERS[0], 0.0)
    assert check_certificate(optimum_certificate(best)).accepted


def kept(problem: Problem) -> dict[str, tuple[TopicPartition, ...]]:
    """The answer that leaves everything where it was."""
    return problem.partitions_of(problem.previous)


@pytest.mark.parametrize("shape", ["join", "groups", "racks", "random"])
def test_the_optimum_has_no_gap(shape: str) -> None:
    problem = Problem.parse(consumer(shape, 4))
    for order in ((), RACK_FIRST):
        found = best_assignment(problem, order) if order else best_assignment(problem)
        each = gap(problem, found.assignment, found)
        assert (each.balance, each.spread, each.movement, each.rack, each.missing) == (0, 0, 0, 0, 0)


def test_movement_is_judged_at_optimal_loads_alone() -> None:
    problem = staircase(5)
    stuck = gap(problem, kept(problem))
    assert stuck.loads == (1, 2, 3, 4, 5)
    assert (stuck.balance, stuck.spread, stuck.movement, stuck.rack) == (10, 4, None, None)


def test_a_partition_left_out_is_counted_and_nothing_judged() -> None:
    problem = Problem.parse(consumer("join", 1))
    answer = best_assignment(problem).assignment | {"m0000": ()}
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
