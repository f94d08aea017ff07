"""The board of a trace, whatever kind of target it is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kassay.kinds.frames import Board, Frame, Guilt, board, evidence
from kassay.report.pages.boards import connect, groups, placement, records, tasks
from kassay.report.pages.boards.events import sentence

Document = Mapping[str, Any]


def board_of(trace: Document, anchor: str) -> Board | None:
    """The board of a trace's document, with `anchor` for links into it; None where nothing was told.

    `told` and `case` are drawn; `broken` and `could_be`, which traces of earlier versions lack, say what
    to mark and what to show beside it.
    """
    steps = trace["told"]
    if not steps:
        return None
    marks = evidence(trace["violations"], trace.get("broken") or (), trace.get("could_be"))
    frames = _frames(steps, trace["case"], marks)
    return board(anchor, frames) if frames else None


def _frames(steps: Sequence[Document], case: Document, marks: Guilt) -> list[Frame]:
    """By a field that only this kind of step has."""
    first = steps[0]
    if "rounds" in first:
        return groups.frames(steps, _happened(case), marks)
    if "moves" in first:
        return placement.planned(steps, marks)
    if "request" in first:
        return placement.placed(steps, marks)
    if "processes" in first:
        return tasks.frames(steps, _happened(case), marks)
    if "workers" in first:
        waits = [change.get("wait_ms", 0) for change in case.get("changes", ())]
        return connect.frames(steps, _happened(case), waits, marks)
    return records.frames(steps, marks)


def _happened(case: Document) -> list[tuple[str, ...]]:
    """The events of each change, in words."""
    changes = case.get("changes", ())
    return [
        tuple(map(sentence, change["events"] if isinstance(change, Mapping) else change))
        for change in changes
    ]
