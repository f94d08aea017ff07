"""Whatever kind a trace is of, it has a board."""

import pytest

from kassay.kinds.frames import FRAMES_MAX
from kassay.kinds.views import frames_of
from kassay.model.kinds import every_kind
from kassay.report.pages.layout import board_of
from tests.kinds.boards import HELD, OURS, opened, page, read, trace

TRACES = sorted([*HELD.glob("*.json"), *OURS.glob("*.json")])


@pytest.mark.parametrize("path", TRACES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_trace_on_record_has_a_board(path):
    document = trace(path)
    board = board_of(read(document), "trace-1")
    assert board is not None
    assert 0 < len(board.frames) <= FRAMES_MAX
    assert opened(board).broken is bool(document["violations"])
    assert len({frame.anchor for frame in board.frames}) == len(board.frames)
    for frame in board.frames:
        assert all(len(row.cells) == len(frame.table.columns) - 1 for row in frame.table.rows)
        assert f'id="trace-1/{frame.anchor}"' in page(board)


def test_a_trace_that_tells_nothing_has_none():
    assert board_of(read(trace(TRACES[0]) | {"narration": []}), "trace-1") is None
    assert all(frames_of(kind, (), {}) == [] for kind in every_kind())
