"""The result of an optimum is that of its assignment, whoever solved it."""

from __future__ import annotations

import pytest

from kassay.solver.check.balance import ORDERS
from kassay.solver.check.check import check_certificate
from kassay.solver.consumers.documents import best_by, optimum_certificate, solve_consumers
from kassay.solver.consumers.problem import Problem
from kassay.solver.results import OutOfTimeError
from tests.solver.consumers import brute


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
