"""What a search for the worst changes of placers and Streams tasks, and how bad what they answer is.

Placers: racks, replication factor and start of a new topic. Tasks: subtopologies, state, standbys and the
last event of an application whose processes have one thread each.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from kassay.certify.hunts.cells import ScopeCell, cases
from kassay.certify.kinds.placements import PlacementCase
from kassay.model.calls import Failure
from kassay.model.cluster import Broker
from kassay.model.kinds import Kind
from kassay.model.placement.request import PlacementRequest
from kassay.model.streams.events import ProcessJoin, ProcessLeave, ProcessRestart
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.properties.placement.balance import gap, leader_loads, replica_loads
from kassay.properties.sentences.words.tasks import TASK_WORDS, TaskScene
from kassay.properties.streams.scenarios import process_id


class WorstSearch(ABC):
    """Cases of one kind as a search changes them; `claims` are what the worst breaks, with its value."""

    claims: ClassVar[Mapping[str, str]]
    meanings: ClassVar[Mapping[str, str]]

    @abstractmethod
    def small(self, size: tuple[int, int]) -> Iterator[Any]:
        """Every case of a small size."""

    @abstractmethod
    def widened(self, case: Any, size: tuple[int, int]) -> Any:
        """The case at this size."""

    @abstractmethod
    def changed(self, case: Any, rng: random.Random) -> Any:
        """The case with one thing changed, of the same size."""

    @abstractmethod
    def value(self, badness: str, played: Any, best: Any, /) -> int:
        """How bad it is; `best` gives the certified best for an outcome. -1 where it cannot be said."""

    @abstractmethod
    def bound(self, badness: str, size: tuple[int, int]) -> int | None:
        """What is proven of all cases of the size."""


class PlacerSearch(WorstSearch):
    """New topics on unfenced brokers, with racks for all or for none."""

    claims: ClassVar[Mapping[str, str]] = {
        "spread": "max(replicas) - min(replicas) < {}",
        "leaders": "max(leaders) - min(leaders) < {}",
        "gap": "gap < {}",
    }
    meanings: ClassVar[Mapping[str, str]] = {
        "spread": "replicas of the fullest broker less those of the emptiest",
        "leaders": "partitions led by one broker less those led by another",
        "gap": "sum of squared replicas, less the least possible",
    }

    def small(self, size: tuple[int, int]) -> Iterator[PlacementCase]:
        """Every request of the size."""
        return cases(Kind.PLACER, ScopeCell(*size, False))

    def widened(self, case: PlacementCase, size: tuple[int, int]) -> PlacementCase:
        """So many brokers, each next one in the rack of the one that the small request had there."""
        racks = [broker.rack for broker in case.request.brokers]
        brokers = tuple(Broker(i, racks[i % len(racks)]) for i in range(size[0]))
        return case._replace(request=replace(case.request, partitions=size[1], brokers=brokers))

    def changed(self, case: PlacementCase, rng: random.Random) -> PlacementCase:
        """Another rack for a broker, a replica more or fewer, or another start."""
        asked: PlacementRequest = case.request
        count = len(asked.brokers)
        what = rng.randrange(3)
        if what == 0:
            factor = min(count, max(1, asked.replication_factor + rng.choice((-1, 1))))
            return case._replace(request=replace(asked, replication_factor=factor))
        if what == 1:
            start = rng.randrange(count)
            return PlacementCase(replace(asked, fixed_start_index=start), start)
        names = [broker.rack or f"r{broker.broker_id}" for broker in asked.brokers]
        names[rng.randrange(count)] = f"r{rng.randrange(count)}"
        brokers = tuple(Broker(i, rack) for i, rack in enumerate(names))
        return case._replace(request=replace(asked, brokers=brokers))

    def value(self, badness: str, played: Any, best: Any, /) -> int:
        """Of the one answer."""
        if not played.outcomes:
            return -1
        step = played.outcomes[0]
        if badness == "gap":
            known = best(step)
            if known is None or known.replicas is None:
                return -1
            return gap(replica_loads(step).values(), known.replicas)
        loads = (replica_loads if badness == "spread" else leader_loads)(step).values()
        return max(loads) - min(loads)

    def bound(self, badness: str, size: tuple[int, int]) -> int:
        """A broker has one replica of a partition at most: loads are 0 to p, and r p squared at the most."""
        brokers, partitions = size
        if brokers == 1:
            return 0
        if badness != "gap":
            return partitions

        def least(total: int) -> int:
            share, more = divmod(total, brokers)
            return share**2 * (brokers - more) + (share + 1) ** 2 * more

        return max(r * partitions**2 - least(r * partitions) for r in range(1, brokers + 1))


class TaskSearch(WorstSearch):
    """Applications of processes with one thread each, and one event."""

    claims: ClassVar[Mapping[str, str]] = {
        "spread": "max(active) - min(active) < {} where at_rest and equal_threads",
        "moves": "moved < {}",
        "rounds": "rounds < {}",
    }
    meanings: ClassVar[Mapping[str, str]] = {
        "spread": "active tasks of one process less those of another, at rest",
        "moves": "tasks that leave the process which ran them before, in one rebalance",
        "rounds": "rebalances that follow the event by themselves",
    }

    def small(self, size: tuple[int, int]) -> Iterator[TaskHistory]:
        """Every history of the size whose processes have a thread each."""
        for case in cases(Kind.STREAMS, ScopeCell(*size, True)):
            if all(getattr(event, "threads", 1) == 1 for event in _events(case)):
                yield case

    def widened(self, case: TaskHistory, size: tuple[int, int]) -> TaskHistory:
        """The subtopologies again and again, and more processes; who comes is the next one."""
        sizes = list(case.partitions)
        while sum(sizes) < size[1]:
            sizes.append(min(case.partitions[len(sizes) % len(case.partitions)], size[1] - sum(sizes)))
        stateful = len(sizes) if case.stateful else 0
        wide = replace(case, partitions=tuple(sizes), stateful=stateful, processes=_processes(size[0]))
        return replace(wide, changes=(_change(wide, 0, size[0]),)) if _joins(case) else wide

    def changed(self, case: TaskHistory, rng: random.Random) -> TaskHistory:
        """A task in another subtopology, state, standbys, or what happens."""
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
        """Of the whole run."""
        if any(isinstance(step.answer, Failure) for step in played.steps):
            return -1
        if badness == "rounds":
            return _measured("rounds", TaskScene(played.steps[-1], played))
        scenes = [TaskScene(step) for step in played.steps]
        if badness == "moves":
            return max(_measured("moved", scene) for scene in scenes)
        resting = [scene for scene in scenes if scene.step.at_rest]
        return max(map(_spread, resting), default=-1)

    def bound(self, badness: str, size: tuple[int, int]) -> int | None:
        """No more than there are can be apart, or move."""
        return None if badness == "rounds" else size[1]


SEARCHES: Final = {Kind.PLACER: PlacerSearch(), Kind.STREAMS: TaskSearch()}
"""The searches of kinds that are no consumer groups."""


def _events(case: TaskHistory) -> list[Any]:
    return [*case.processes, *(event for change in case.changes for event in change.events)]


def _joins(case: TaskHistory) -> bool:
    return any(isinstance(event, ProcessJoin) for change in case.changes for event in change.events)


def _processes(count: int) -> tuple[ProcessJoin, ...]:
    return tuple(ProcessJoin(process_id(i), 1) for i in range(count))


def _change(case: TaskHistory, what: int, who: int) -> TaskChange:
    """A process comes, starts again, or goes where another one stays."""
    process = process_id(who)
    if what == 0:
        return TaskChange((ProcessJoin(process_id(len(case.processes)), 1),))
    if what == 1 and len(case.processes) > 1:
        return TaskChange((ProcessLeave(process),))
    return TaskChange((ProcessRestart(process),))


def _measured(name: str, scene: TaskScene, *of: str) -> int:
    """A measure of the claim language."""
    read = next(each.read for each in TASK_WORDS.by_name[name] if len(each.of) == len(of))
    value: int = read(scene, *of)
    return value


def _spread(scene: TaskScene) -> int:
    processes = [client.process_id for client in scene.step.request.clients]
    active = [_measured("active", scene, process) for process in processes]
    return max(active) - min(active)
