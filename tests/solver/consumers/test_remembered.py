"""What is remembered is what solving says, for the same group in whatever order, and no more than is kept."""

import pytest

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group, Member
from kassay.model.groups.player import permuted
from kassay.solver.check.balance import ORDERS, refusal
from kassay.solver.consumers import remembered
from kassay.solver.consumers.optimum import optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.consumers.remembered import REMEMBERED, remembered_optimum
from tests.properties.groups.priced import larger_priced


@pytest.fixture
def solved(monkeypatch):
    """The problems that are solved; nothing is remembered from before."""
    problems = []

    def solving(problem, order, *, portable):
        problems.append(problem)
        return optimum(problem, order, portable=portable)

    monkeypatch.setattr(remembered, "optimum", solving)
    for memory in ("_by_call", "_by_instance", "_at_rest"):
        monkeypatch.setattr(remembered, memory, {})
    return problems


@pytest.mark.parametrize("order", ORDERS, ids=",".join)
def test_a_remembered_optimum_is_that_of_solving_and_proven_for_its_own_group(order):
    for step in larger_priced(80, seed=11):
        for turn in (0, 1):
            cluster, group = permuted(step.cluster, step.group, turn)
            problem = Problem.of(cluster, group)
            for best in (
                remembered_optimum(cluster, group, order),
                remembered_optimum(cluster, group, order),
            ):
                assert best == optimum(problem, order)
                assert refusal(problem, best) is None


def test_a_group_is_solved_once_in_whatever_order_it_comes(solved):
    for step in larger_priced(20, seed=12):
        before = len(solved)
        for turn in (0, 1, 0):
            remembered_optimum(step.cluster, step.group)
            remembered_optimum(*permuted(step.cluster, step.group, turn))
        assert len(solved) <= before + 1


def test_what_differs_is_solved_anew(solved):
    cluster, owned = Cluster.of({"t": 2}), (TopicPartition("t", 1),)
    one = Group((Member("a", ("t",)), Member("b", ("t",))))
    for group in (one, Group((Member("a", ("t",), owned, 1), Member("b", ("t",))))):
        for racks in (cluster, Cluster.of({"t": 3})):
            for order in ORDERS:
                remembered_optimum(racks, group, order)
    assert len(solved) == 8


def test_no_more_is_kept_than_was_said(solved):
    group = Group((Member("a", ("t",)),))
    for count in range(1, 2 * REMEMBERED):
        remembered_optimum(Cluster.of({"t": count}), group)
    assert len(remembered._by_call) == len(remembered._by_instance) == REMEMBERED
    assert len(solved) == 2 * REMEMBERED - 1


def test_a_group_that_has_what_was_best_keeps_it_as_solving_would_say(solved):
    for step in larger_priced(80, seed=13):
        best = remembered_optimum(step.cluster, step.group)
        before = len(solved)
        members = tuple(
            m._replace(owned=best.assignment[m.member_id], generation=2) for m in step.group.members
        )
        after = Group(members, step.group.leader)
        rests = remembered_optimum(step.cluster, after)
        assert len(solved) == before
        assert rests == optimum(Problem.of(step.cluster, after))
    assert len(remembered._at_rest) <= REMEMBERED
