"""The search for worst cases of Connect clusters: changes connectors, their tasks, and one event."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from kassay.kinds.connect.scopes import connect_cell, next_events
from kassay.kinds.search import WorstMeasure, WorstSearch, apart, measured
from kassay.model.calls import Failure
from kassay.model.connect.history import ConnectChange, ConnectHistory, ConnectRun
from kassay.properties.connect.scenarios import connector_name, worker_id
from kassay.properties.sentences.words.connect import CONNECT_WORDS, ConnectScene


class ConnectSearch(WorstSearch):
    """Clusters with one event: a worker or connector is added or removed, or an answer is lost."""

    measures: ClassVar[Mapping[str, WorstMeasure]] = {
        "spread": WorstMeasure(
            "max(load) - min(load) < {} where at_rest",
            "connectors and tasks of one worker less those of another, when stable",
        ),
        "moves": WorstMeasure(
            "taken - best_taken < {}",
            "connectors and tasks taken back from the event to the rest, beyond the least that balance needs",
        ),
        "rounds": WorstMeasure("rounds < {}", "rebalances that follow the event by themselves"),
    }

    def small(self, size: tuple[int, int]) -> Iterator[ConnectHistory]:
        """Every cluster of the size, with an event."""
        return connect_cell(*size, True)

    def widened(self, case: ConnectHistory, size: tuple[int, int]) -> ConnectHistory:
        """More workers, and the connectors repeated; the event of the small cluster."""
        sizes = [1 + tasks for _, tasks in case.connectors]
        count = len(sizes)
        while sum(sizes) < size[1]:
            sizes.append(min(sizes[len(sizes) % count], size[1] - sum(sizes)))
        wide = _cluster(size[0], sizes)
        able = list(next_events(size[0], _tasks(wide), running=True))
        same = [event for change in case.changes for event in change.events if event in able]
        return replace(wide, changes=(ConnectChange(0, tuple(same or able[:1])),))

    def changed(self, case: ConnectHistory, rng: random.Random) -> ConnectHistory:
        """A task moved to another connector, or another event."""
        sizes = [1 + tasks for _, tasks in case.connectors]
        if len(sizes) > 1 and rng.randrange(2):
            a, b = rng.sample(range(len(sizes)), 2)
            if sizes[a] > 1:
                sizes[a], sizes[b] = sizes[a] - 1, sizes[b] + 1
        other = _cluster(len(case.workers), sizes)
        able = list(next_events(len(case.workers), _tasks(other), running=True))
        event = case.changes[0].events[0]
        if event not in able or rng.randrange(2):
            event = rng.choice(able)
        return replace(other, changes=(ConnectChange(0, (event,)),))

    def value(self, badness: str, played: ConnectRun, _: Any, /) -> int:
        """The measure of the whole run."""
        if any(isinstance(step.answer, Failure) for step in played.steps):
            return -1
        whole = ConnectScene(played.steps[-1], played)
        if badness == "rounds":
            return measured(CONNECT_WORDS, "rounds", whole)
        if badness == "moves":
            taken, least = (measured(CONNECT_WORDS, name, whole) for name in ("taken", "best_taken"))
            return taken - least
        resting = [ConnectScene(step) for step in played.outcomes if step.request.workers]
        return max((apart(CONNECT_WORDS, "load", scene, "workers") for scene in resting), default=-1)

    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int | None:
        """At most all connectors and tasks, with the new connector and its task, can be the difference."""
        return size[1] + 2 if badness == "spread" else None


def _cluster(workers: int, sizes: list[int]) -> ConnectHistory:
    return ConnectHistory(
        tuple(map(worker_id, range(workers))),
        tuple((connector_name(i), size - 1) for i, size in enumerate(sizes)),
    )


def _tasks(case: ConnectHistory) -> tuple[int, ...]:
    return tuple(tasks for _, tasks in case.connectors)
