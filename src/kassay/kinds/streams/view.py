"""Kafka Streams as frames: processes as rows, tasks as tiles that show their role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    number_ranges,
    outcome_words,
)
from kassay.kinds.words import Event
from kassay.model.shape.codec import listed
from kassay.model.streams.documents import (
    ASSIGNED_TASKS,
    TASK_STEP,
    AssignedTasks,
    ReportedProcess,
    ReportedTaskStep,
)
from kassay.writing.text import counted

TASKS_LISTED_MAX: Final = 24
"""The number of tasks up to which a note lists each."""
COLUMNS: Final = ("process", "had active", "had standby", "active", "standby and warm-up", "per thread")

Answer = Mapping[str, AssignedTasks]


def task_frames(reported: Reported, sentence: Callable[[Event], str]) -> list[Frame]:
    """A frame for each rebalance: the start, one for each change, and those until the tasks are stable."""
    steps = listed(TASK_STEP).read(list(reported.steps), "narration")
    happened = reported.happened(sentence)
    frames = []
    for number, step in enumerate(steps):
        last, place = number == len(steps) - 1, (number, None)
        possible = reported.marks.alternative(place)
        alternative = None
        if possible is not None:
            could = ASSIGNED_TASKS.read(possible.answer, "could_be.answer")
            alternative = alternative_of(possible, _table(step, could, frozenset()))
        title = f"Rebalance {number + 1} of {len(steps)}"
        frames.append(
            Frame(
                anchor=f"rebalance-{number + 1}",
                label=str(number + 1),
                title=f"{title}, stable" if step.at_rest else title,
                table=_table(step, step.answer, reported.marks.guilty(place, last)),
                notes=_notes(step),
                events=happened[number - 1] if 0 < number <= len(happened) else (),
                failure=outcome_words(step.failure, step.refused),
                broken=reported.marks.broken(place, last),
                alternative=alternative,
            )
        )
    return frames


def _notes(step: ReportedTaskStep) -> tuple[str, ...]:
    stateful = frozenset(step.stateful)
    stateless = [task for task in step.tasks if task not in stateful]
    tags = ", ".join(step.rack_aware_tags)
    copies = f"Standby copies: {step.standby_replicas}" + (f", spread over {tags}" if tags else "")
    return (
        f"Tasks with state: {_listed(step.stateful) or 'none'}",
        *([f"Tasks without state: {_listed(stateless)}"] if stateless else []),
        copies,
        *(["Asks for another rebalance, to look at warm-ups again"] if step.probing_rebalance else []),
    )


def _listed(tasks: Sequence[str]) -> str:
    """The tasks, in ascending order, one by one; many tasks as ranges of numbers for each subtopology."""
    if len(tasks) <= TASKS_LISTED_MAX:
        return ", ".join(tasks)
    numbers: dict[str, list[int]] = {}
    for task in tasks:
        subtopology, _, number = task.rpartition("_")
        numbers.setdefault(subtopology, []).append(int(number))
    return "; ".join(f"{subtopology}_: {number_ranges(each)}" for subtopology, each in numbers.items())


def _table(step: ReportedTaskStep, answer: Answer | None, names: frozenset[str]) -> Grid:
    copies = Counter(task for given in (answer or {}).values() for task in given.standby)
    warm = {task for task, count in copies.items() if count > step.standby_replicas}
    return Grid(COLUMNS, tuple(_row(process, answer, names, warm) for process in step.processes))


def _row(process: ReportedProcess, answer: Answer | None, names: frozenset[str], warm: set[str]) -> Row:
    given = None if answer is None else answer.get(process.process_id)
    had = {*process.active, *process.standby}
    if given is None:
        text = "no answer" if answer is None else "no entry"
        cells: tuple[Cell, ...] = (Cell(text=text, given=True), Cell(), Cell(text="–", numeric=True))
    else:
        active = tuple(_tile(t, TileLook.PLAIN if t in had else TileLook.NEW, names) for t in given.active)
        standby = tuple(
            _tile(t, TileLook.WARM_UP if t in warm else TileLook.STANDBY, names) for t in given.standby
        )
        load = f"{len(active) / process.threads:.3g}" if process.threads else "–"
        cells = Cell(active, given=True), Cell(standby, given=True), Cell(text=load, numeric=True)
    kept = set() if given is None else {*given.active, *given.standby}
    behind = ", ".join(f"{task} {lag} behind" for task, lag in process.lags.items() if lag)
    return Row(
        process.process_id,
        (
            _had(process.active, TileLook.KEPT, kept),
            _had(process.standby, TileLook.STANDBY, kept, behind),
            *cells,
        ),
        extras=_extras(process),
        guilty=any(name.startswith(process.process_id) for name in names),
    )


def _had(tasks: Iterable[str], look: TileLook, kept: set[str], text: str = "") -> Cell:
    return Cell(tuple(_tile(t, look if t in kept else TileLook.GONE, frozenset()) for t in tasks), text)


def _tile(task: str, look: TileLook, names: frozenset[str]) -> Tile:
    group, _, number = task.rpartition("_")
    return Tile(task, look, task in names, group, int(number) if number.isdigit() else None)


def _extras(process: ReportedProcess) -> str:
    rack = [] if process.rack is None else [f"rack {process.rack}"]
    tags = [f"{key}={value}" for key, value in process.tags.items()]
    return ", ".join([counted(process.threads, "thread"), *rack, *tags])
