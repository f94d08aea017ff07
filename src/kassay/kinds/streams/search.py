"""The search for worst cases of Streams applications: subtopologies, state, standbys and the last event."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from kassay.kinds.search import WorstMeasure, WorstSearch, apart, measured
from kassay.kinds.streams.scopes import task_cell
from kassay.model.calls import Failure
from kassay.model.streams.events import ProcessJoin, ProcessLeave, ProcessRestart
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.model.streams.tasks import process_id
from kassay.properties.sentences.words.tasks import TASK_WORDS, TaskScene


class TaskSearch(WorstSearch):
    """Applications of processes with one thread each, and one event."""

    measures: ClassVar[Mapping[str, WorstMeasure]] = {
        "spread": WorstMeasure(
            "max(active) - min(active) < {} where at_rest and equal_threads",
            "active tasks of one process less those of another, when stable",
        ),
        "moves": WorstMeasure(
            "moved < {}",
            "tasks that leave the process which ran them before, in one rebalance",
        ),
        "rounds": WorstMeasure(
            "rounds < {}",
            "rebalances that follow the event by themselves",
        ),
    }

    def small(self, size: tuple[int, int]) -> Iterator[TaskHistory]:
        """Every history of the size whose processes have a thread each."""
        for case in task_cell(*size, True):
            if all(getattr(event, "threads", 1) == 1 for event in _events(case)):
                yield case

    def widened(self, case: TaskHistory, size: tuple[int, int]) -> TaskHistory:
        """The subtopologies repeated, and more processes; the joining process gets the next id."""
        sizes = list(case.partitions)
        while sum(sizes) < size[1]:
            sizes.append(min(case.partitions[len(sizes) % len(case.partitions)], size[1] - sum(sizes)))
        stateful = len(sizes) if case.stateful else 0
        wide = replace(case, partitions=tuple(sizes), stateful=stateful, processes=_processes(size[0]))
        return replace(wide, changes=(_change(wide, 0, size[0]),)) if _joins(case) else wide

    def changed(self, case: TaskHistory, rng: random.Random) -> TaskHistory:
        """A task moved to another subtopology, other state or standbys, or another event."""
        sizes = list(case.partitions)
        what = rng.randrange(4)
        if what == 0 and len(sizes) > 1:
            a, b = rng.sample(range(len(sizes)), 2)
            if sizes[a] > 1:
                sizes[a], sizes[b] = sizes[a] - 1, sizes[b] + 1
            return replace(case, partitions=tuple(sizes))
        if what == 1:
            return replace(case, stateful=rng.randrange(len(sizes) + 1))
        if what == 2:
            return replace(case, standby_replicas=rng.randrange(2))
        return replace(case, changes=(_change(case, rng.randrange(3), rng.randrange(len(case.processes))),))

    def value(self, badness: str, played: Any, _: Any, /) -> int:
        """The measure of the whole run."""
        if any(isinstance(step.answer, Failure) for step in played.steps):
            return -1
        if badness == "rounds":
            return measured(TASK_WORDS, "rounds", TaskScene(played.steps[-1], played))
        scenes = [TaskScene(step) for step in played.steps]
        if badness == "moves":
            return max(measured(TASK_WORDS, "moved", scene) for scene in scenes)
        resting = [scene for scene in scenes if scene.step.at_rest]
        return max((apart(TASK_WORDS, "active", scene, "processes") for scene in resting), default=-1)

    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int | None:
        """At most all tasks can be the difference of loads, or move."""
        return None if badness == "rounds" else size[1]


def _events(case: TaskHistory) -> list[Any]:
    return [*case.processes, *(event for change in case.changes for event in change.events)]


def _joins(case: TaskHistory) -> bool:
    return any(isinstance(event, ProcessJoin) for change in case.changes for event in change.events)


def _processes(count: int) -> tuple[ProcessJoin, ...]:
    return tuple(ProcessJoin(process_id(i), 1) for i in range(count))


def _change(case: TaskHistory, what: int, who: int) -> TaskChange:
    """A process joins, restarts, or leaves where another one stays."""
    process = process_id(who)
    if what == 0:
        return TaskChange((ProcessJoin(process_id(len(case.processes)), 1),))
    if what == 1 and len(case.processes) > 1:
        return TaskChange((ProcessLeave(process),))
    return TaskChange((ProcessRestart(process),))
