"""Kafka Connect as frames: workers as rows, connectors and their tasks as tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from kassay.kinds.frames import (
    Cell,
    Frame,
    Grid,
    Reported,
    Row,
    Tile,
    TileLook,
    alternative_of,
    outcome_words,
)
from kassay.kinds.words import Event
from kassay.model.connect.documents import (
    ASSIGNED_WORK,
    CONNECT_STEP,
    AssignedWork,
    ReportedConnectStep,
    ReportedWorker,
)
from kassay.model.shape.codec import listed
from kassay.writing.text import counted

COLUMNS: Final = ("worker", "runs", "is to start", "is to stop", "runs then")

Answer = Mapping[str, AssignedWork]


def connect_frames(reported: Reported, sentence: Callable[[Event], str]) -> list[Frame]:
    """A frame for each rebalance; events appear in the first frame that is not earlier than they are."""
    steps = listed(CONNECT_STEP).read(list(reported.steps), "narration")
    times = list(accumulate(change.get("wait_ms", 0) for change in reported.case.get("changes", ())))
    turns = turns_of([step.now_ms for step in steps], times)
    happened = reported.happened(sentence)
    frames = []
    for number, step in enumerate(steps):
        last, place = number == len(steps) - 1, (number, None)
        events = tuple(
            f"at {time} ms: {words}"
            for turn, time, texts in zip(turns, times, happened)
            for words in texts
            if turn == number
        )
        possible = reported.marks.alternative(place)
        alternative = None
        if possible is not None:
            could = ASSIGNED_WORK.read(possible.answer, "could_be.answer")
            alternative = alternative_of(possible, _table(step, could, frozenset()))
        title = f"Rebalance {number + 1} of {len(steps)}, at {step.now_ms} ms"
        frames.append(
            Frame(
                anchor=f"rebalance-{number + 1}",
                label=str(number + 1),
                title=f"{title}, stable" if step.at_rest else title,
                table=_table(step, step.answer, reported.marks.guilty(place, last)),
                notes=_notes(step),
                events=events,
                failure=outcome_words(step.failure, step.refused),
                broken=reported.marks.broken(place, last),
                alternative=alternative,
            )
        )
    return frames


def turns_of(rebalances: Sequence[int], changes: Sequence[int]) -> list[int]:
    """For each change, by time, the number of the rebalance that follows it; each change has its own.

    >>> turns_of([0, 0, 0, 5, 9], [0, 0, 7])
    [1, 2, 4]
    """
    turns: list[int] = []
    for time in changes:
        first = turns[-1] + 1 if turns else 1
        turns.append(
            next((n for n in range(first, len(rebalances)) if rebalances[n] >= time), len(rebalances))
        )
    return turns


def _notes(step: ReportedConnectStep) -> tuple[str, ...]:
    connectors = ", ".join(f"{name} ({counted(count, 'task')})" for name, count in step.connectors)
    lost = " ".join(map(str, step.lost))
    return (
        f"Connectors: {connectors or 'none'}",
        *([f"Missing: {lost}"] if lost else []),
        *([f"All rejoin in {step.delay_ms} ms"] if step.delay_ms else []),
    )


def _table(step: ReportedConnectStep, answer: Answer | None, names: frozenset[str]) -> Grid:
    return Grid(COLUMNS, tuple(_row(worker, answer, names) for worker in step.workers))


def _row(worker: ReportedWorker, answer: Answer | None, names: frozenset[str]) -> Row:
    change = None if answer is None else answer.get(worker.worker_id)
    runs = [str(work) for work in worker.running]
    starts = [] if change is None else [str(work) for work in change.assigned]
    stops = [] if change is None else [str(work) for work in change.revoked]
    then = [work for work in dict.fromkeys([*runs, *starts]) if work not in stops]
    missing = "no answer" if answer is None else "no entry" if change is None else ""
    gone = frozenset(stops)
    kept = tuple(_tile(work, TileLook.GONE if work in gone else TileLook.KEPT, frozenset()) for work in runs)
    return Row(
        worker.worker_id,
        (
            Cell(kept),
            Cell(_tiles(starts, TileLook.NEW, names), missing),
            Cell(_tiles(stops, TileLook.GONE, names)),
            Cell(_tiles(then, TileLook.PLAIN, names), str(len(then)), given=True),
        ),
        guilty=worker.worker_id in names,
    )


def _tiles(work: Iterable[str], look: TileLook, names: frozenset[str]) -> tuple[Tile, ...]:
    return tuple(_tile(each, look, names) for each in work)


def _tile(work: str, look: TileLook, names: frozenset[str]) -> Tile:
    group, _, number = work.rpartition("-")
    return Tile(work, look, work in names, group, int(number) if group and number.isdigit() else None)
