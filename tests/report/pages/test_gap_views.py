"""What pages about gaps share: boards of instances, as many as the page has room for."""

from __future__ import annotations

from kassay.kinds.groups.instances import told_group
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import CLIENT
from kassay.report.pages.gap_views import (
    BOARDS_BYTES_MAX,
    OPEN_BYTES_MAX,
    Case,
    fitting,
    gap_words,
    instance_board,
)
from kassay.solver.consumers.gap import as_group, gap
from kassay.solver.consumers.optimum import optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.consumers import consumer


def test_boards_are_kept_while_there_is_room() -> None:
    half = "x" * (BOARDS_BYTES_MAX // 2)
    cases = [Case(str(n), "t", "w", half, ()) for n in range(4)]
    assert [case.board is not None for case in fitting(cases)] == [True, True, False, False]
    assert [case.folded for case in fitting(cases)] == [True, True, False, False]
    assert not Case("a", "t", "w", "x" * OPEN_BYTES_MAX, ()).folded


def test_the_optimum_itself_has_a_board_and_no_gap() -> None:
    problem = Problem.parse(consumer("random", 1, members=3, partitions=6))
    best = optimum(problem)
    mine = gap(problem, best.assignment, best)
    told = told_group(*as_group(problem), Assignment(best.assignment), best.assignment)
    board = instance_board(CLIENT, mine, told, "case-1")
    assert board is not None
    assert 'id="case-1"' in board
    assert "balance gap 0" in gap_words(mine)
