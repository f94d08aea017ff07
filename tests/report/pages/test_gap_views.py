"""What pages about gaps share: boards of instances, as many as the page has room for.

Tables of a campaign's page: numbers to the right, texts to the left, nothing is a dash.
"""

from __future__ import annotations

from kassay.kinds.groups.measures import told_group
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import CLIENT
from kassay.report.pages.gap_views import (
    BATCH_COLUMNS,
    BOARDS_BYTES_MAX,
    GAP_COLUMNS,
    TASK_COLUMNS,
    Case,
    case_of,
    columns_table,
    fitting,
)
from kassay.solver.groups.optimum import best_assignment
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import as_group, gap
from kassay.solver.instances.groups import consumer
from tests.report.screen.campaign_document import BATCH, GAP, TASKS


def test_boards_are_kept_while_there_is_room() -> None:
    half = "x" * (BOARDS_BYTES_MAX // 2)
    cases = [Case(str(n), "t", "w", half, None, ()) for n in range(4)]
    assert [case.board is not None for case in fitting(cases)] == [True, True, False, False]


def test_the_optimum_itself_has_a_board_and_no_gap() -> None:
    problem = Problem.parse(consumer("random", 1, members=3, partitions=6))
    best = best_assignment(problem)
    mine = gap(problem, best.assignment, best)
    told = told_group(*as_group(problem), Assignment(best.assignment), best.assignment)
    case = case_of(CLIENT, mine, told, "case-1", "the optimum", ())
    assert case.board is not None
    assert 'id="case-1"' in case.board
    assert "balance gap 0" in case.words
    assert case.bars is not None
    assert all(row.best == row.width for row in case.bars.rows)


def test_columns_of_texts_stand_to_the_left() -> None:
    table = columns_table([GAP], GAP_COLUMNS)
    assert table.head[:2] == ("target", "profile")
    assert table.numeric == tuple(range(2, len(GAP_COLUMNS)))
    assert table.rows[0][:4] == ("range", "small", "40", "25 %")


def test_what_is_not_known_is_a_dash_and_no_rows_are_no_rows() -> None:
    assert "-" in columns_table([{**TASKS, "peak_kib": None}], TASK_COLUMNS).rows[0]
    assert columns_table([], BATCH_COLUMNS).rows == ()
    assert len(columns_table([BATCH], BATCH_COLUMNS).rows[0]) == len(BATCH_COLUMNS)
