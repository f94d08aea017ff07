"""The board of a trace of any kind of target."""

from __future__ import annotations

from kassay.kinds.frames import Board, board
from kassay.kinds.views import frames_of_trace
from kassay.model.trace import Trace


def board_of(trace: Trace, anchor: str) -> Board | None:
    """The board of a trace, with `anchor` for links into it; None if the trace has no frames."""
    frames = frames_of_trace(trace)
    return board(anchor, frames) if frames else None
