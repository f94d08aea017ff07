"""The driver of Connect assignors: a history a case, and the way to rest that follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from kassay.kinds.connect.answers import connect_words
from kassay.kinds.connect.events import EVENT_FORMS
from kassay.kinds.connect.scopes import connect_cell, fresh_clusters
from kassay.kinds.cuts import one_or_two, with_one, without_one, without_runs
from kassay.kinds.frames import Frame, Reported
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import EVERY_CASE, CellOptions, Driver, ScopeCell
from kassay.kinds.registry import drives
from kassay.model.connect.documents import CONNECT_HISTORY, CONNECT_STEP, connect_step_to_json
from kassay.model.connect.history import (
    ConnectChange,
    ConnectEvent,
    ConnectHistory,
    ConnectorCreate,
    ConnectorResize,
    ConnectRun,
    ConnectStep,
    LeaderChange,
    MissedAssignment,
    SyncFailure,
    WorkerJoin,
    WorkerLeave,
)
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.player import asking, run_connect
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    Work,
    WorkerChange,
    after,
    connectors_in,
    tasks_in,
)
from kassay.model.kinds import RebalanceProtocol
from kassay.model.shape.removal import Removal
from kassay.properties.connect.aims import CONNECT_AIMS, aimed_connect_history
from kassay.properties.connect.scenarios import (
    CONNECT_LARGE,
    CONNECT_SMALL,
    connect_history,
    connector_name,
    worker_id,
)
from kassay.properties.profile import Profile
from kassay.properties.sources import Source

if TYPE_CHECKING:
    from kassay.kinds.search import WorstSearch

FRESH_MAX: Final = 4500
"""So many of the smallest histories are tried where one cannot be cut further."""


@drives(CONNECT)
class ConnectDriver(Driver[ConnectHistory]):
    """Plays a cluster's life against an assignor of connectors and tasks."""

    form = CONNECT_HISTORY
    narration = CONNECT_STEP
    events = EVENT_FORMS
    aims = CONNECT_AIMS
    pasts = True
    goals = ("connectors", "tasks", "stopped")

    def generate(self, source: Source, profile: Profile, aim: str = "") -> ConnectHistory:
        """A history out of the source's choices."""
        if aim:
            return aimed_connect_history(source, aim)
        size = CONNECT_LARGE if profile.goes_large(source) else CONNECT_SMALL
        return connect_history(source, size, claims_conflict=profile.allows("no-conflicting-claims"))

    def play(self, case: ConnectHistory, subject: Subject) -> Iterator[ConnectRun]:
        """The history played, and left alone until it is at rest."""
        ask = asking(partial(subject.new, {}), subject.looks, subject.new_twin)
        yield run_connect(case, ask, eager=subject.protocol is RebalanceProtocol.EAGER)

    def parts(self, answer: ConnectAssignment) -> dict[str, object]:
        """What each worker is to start and to stop, and the delay."""
        changes = answer.workers.items()
        starts = {f"{worker} starts": tuple(sorted(map(str, change.assigned))) for worker, change in changes}
        stops = {f"{worker} stops": tuple(sorted(map(str, change.revoked))) for worker, change in changes}
        return {**starts, **stops, "delay": answer.delay_ms}

    def measures(self, asked: tuple[ConnectRequest], answer: ConnectAssignment) -> dict[str, object]:
        """Connectors and tasks by worker once all have obeyed, the most first, and how much is stopped."""
        (request,) = asked
        work = [after(w, answer.workers.get(w.worker_id, WorkerChange())) for w in request.workers]
        return {
            "connectors": tuple(sorted((len(connectors_in(own)) for own in work), reverse=True)),
            "tasks": tuple(sorted((len(tasks_in(own)) for own in work), reverse=True)),
            "stopped": sum(len(change.revoked) for change in answer.workers.values()),
        }

    def is_within(self, played: ConnectRun, assume: frozenset[str]) -> bool:
        """Whether no reports contradict each other, where that is assumed."""
        return "no-conflicting-claims" not in assume or not played.contradictory

    def scene(self, case: ConnectHistory, played: ConnectRun) -> ConnectHistory:
        """Situations are those of the history."""
        return case

    def shrink_candidates(self, case: ConnectHistory) -> Iterator[ConnectHistory]:
        """Histories with something taken away, the boldest cuts first."""
        yield from one_or_two(case, _candidates)
        fresh = (less for less in fresh_clusters(case) if self.size(less) < self.size(case))
        yield from islice(fresh, FRESH_MAX)

    def size(self, case: ConnectHistory) -> tuple[int, ...]:
        """Changes and events, workers, connectors, tasks, and the rest."""
        events = [event for change in case.changes for event in change.events]
        waits = [change.wait_ms for change in case.changes]
        return (
            len(case.changes),
            sum(_weight(event) for event in events),
            len(case.workers),
            len(case.connectors),
            sum(tasks for _, tasks in case.connectors) + sum(getattr(event, "tasks", 0) for event in events),
            sum(wait > 0 for wait in waits),
            sum(waits),
            abs(case.max_delay_ms - 300_000),
            sum(_rank(name) for name in _mentioned(case)),
        )

    def cell(self, cell: ScopeCell, options: CellOptions = EVERY_CASE) -> Iterator[ConnectHistory]:
        """Every cluster of so many workers, with so many connectors and tasks."""
        return connect_cell(*cell)

    def search(self) -> WorstSearch:
        """Connectors, tasks and the one event are changed."""
        from kassay.kinds.connect.search import ConnectSearch

        return ConnectSearch()

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed, events and what is rare first."""
        from kassay.kinds.connect.removal import connect_removals

        return connect_removals(document)

    def frames(self, reported: Reported) -> list[Frame]:
        """A frame for each rebalance."""
        from kassay.kinds.connect.view import connect_frames

        return connect_frames(reported, self.event_sentence)

    def counts(self, case: ConnectHistory) -> Mapping[str, int]:
        """Workers stand for members, connectors and tasks for partitions."""
        return {
            "members": len(case.workers),
            "partitions": sum(1 + tasks for _, tasks in case.connectors),
            "events": sum(len(change.events) for change in case.changes),
        }

    @property
    def optimum(self) -> str:
        """The closed form of the optimum."""
        return "optimal-connect"

    def words(self, step: ConnectStep) -> str:
        """What each worker starts and stops, and the delay."""
        return connect_words(step)

    def document_of(self, step: ConnectStep) -> dict[str, Any]:
        """One rebalance."""
        return connect_step_to_json(step)

    def narrate(self, case: ConnectHistory, subject: Subject) -> list[dict[str, Any]]:
        """The rebalances as they go, the one that nobody had a reason for at the end."""
        ask = asking(partial(subject.new, {}))
        run = run_connect(case, ask, eager=subject.protocol is RebalanceProtocol.EAGER)
        last = () if run.left_alone is None else (run.left_alone,)
        return [connect_step_to_json(step) for step in (*run.steps, *last)]


def _candidates(case: ConnectHistory) -> Iterator[ConnectHistory]:
    """Cases with one thing taken away, the boldest cuts first."""
    yield from _fewer_changes(case)
    for connectors in without_one(case.connectors):
        yield replace(case, connectors=connectors)
    for workers in without_one(case.workers) if len(case.workers) > 1 else ():
        yield replace(case, workers=workers)
    yield from _plainer(case)
    yield from _renamed(case)


def _weight(event: ConnectEvent) -> int:
    """What an event counts: one, and one for each thing that it says."""
    return 1 + len(event.running) if isinstance(event, WorkerJoin) else 1


def _rank(name: str) -> int:
    """How plain a name is: its number."""
    return int(name[1:]) if name[1:].isdecimal() else 1000


def _fewer_changes(case: ConnectHistory) -> Iterator[ConnectHistory]:
    """Without runs of changes, with two changes in one, without single events, or with shorter waits."""
    changes = case.changes
    for fewer in without_runs(changes, len(changes)):
        yield replace(case, changes=fewer)
    for i in range(1, len(changes)):
        both = ConnectChange(changes[i - 1].wait_ms, changes[i - 1].events + changes[i].events)
        yield replace(case, changes=(*changes[: i - 1], both, *changes[i + 1 :]))
    for less in with_one(changes, partial(_less_change, case.max_delay_ms)):
        yield replace(case, changes=less)


def _less_change(max_delay_ms: int, change: ConnectChange) -> Iterator[ConnectChange]:
    for events in without_one(change.events):
        yield replace(change, events=events)
    for wait_ms in sorted({0, 1, max_delay_ms - 1, max_delay_ms}):
        if 0 <= wait_ms < change.wait_ms:
            yield replace(change, wait_ms=wait_ms)
    for events in with_one(change.events, _less_event):
        yield replace(change, events=events)


def _less_event(event: ConnectEvent) -> Iterator[ConnectEvent]:
    if isinstance(event, WorkerJoin):
        for running in without_one(event.running):
            yield replace(event, running=running)
    elif isinstance(event, ConnectorCreate | ConnectorResize):
        for tasks in sorted({0, event.tasks // 2, event.tasks - 1}):
            if 0 <= tasks < event.tasks:
                yield replace(event, tasks=tasks)


def _plainer(case: ConnectHistory) -> Iterator[ConnectHistory]:
    """Fewer tasks, and the usual delay."""
    for connectors in with_one(case.connectors, _fewer_tasks):
        yield replace(case, connectors=connectors)
    if case.max_delay_ms != 300_000:
        yield replace(case, max_delay_ms=300_000)


def _fewer_tasks(connector: tuple[str, int]) -> Iterator[tuple[str, int]]:
    name, tasks = connector
    for fewer in sorted({0, tasks // 2, tasks - 1}):
        if 0 <= fewer < tasks:
            yield name, fewer


def _mentioned(case: ConnectHistory) -> list[str]:
    """Every worker and connector that there is at the start or ever comes, in order, each once."""
    names = [*case.workers, *(name for name, _ in case.connectors)]
    for change in case.changes:
        for event in change.events:
            names += (
                [event.worker_id] if isinstance(event, WorkerJoin | WorkerLeave | MissedAssignment) else []
            )
            if not isinstance(
                event, WorkerJoin | WorkerLeave | MissedAssignment | LeaderChange | SyncFailure
            ):
                names.append(event.connector)
    return list(dict.fromkeys(names))


def _renamed(case: ConnectHistory) -> Iterator[ConnectHistory]:
    """The history with the first names, in the order of their mention."""
    workers = [name for name in _mentioned(case) if name in case.workers or name in _workers_of(case)]
    connectors = [name for name in _mentioned(case) if name not in workers]
    for order in (list, sorted):
        new_workers = {old: worker_id(number) for number, old in enumerate(order(workers))}
        new_connectors = {old: connector_name(number) for number, old in enumerate(order(connectors))}
        names = new_workers | new_connectors
        if any(old != new for old, new in names.items()):
            yield _with_names(case, names)


def _workers_of(case: ConnectHistory) -> set[str]:
    events = (event for change in case.changes for event in change.events)
    return {e.worker_id for e in events if isinstance(e, WorkerJoin | WorkerLeave | MissedAssignment)}


def _with_names(case: ConnectHistory, names: Mapping[str, str]) -> ConnectHistory:
    def new(name: str) -> str:
        return names.get(name, name)

    def of_work(work: Iterable[Work]) -> tuple[Work, ...]:
        return tuple(
            new(w) if isinstance(w, str) else ConnectorTaskId(new(w.connector), w.task) for w in work
        )

    def of_event(event: ConnectEvent) -> ConnectEvent:
        if isinstance(event, WorkerJoin):
            return WorkerJoin(new(event.worker_id), of_work(event.running))
        if isinstance(event, WorkerLeave | MissedAssignment):
            return replace(event, worker_id=new(event.worker_id))
        if isinstance(event, LeaderChange | SyncFailure):
            return event
        return replace(event, connector=new(event.connector))

    return replace(
        case,
        workers=tuple(map(new, case.workers)),
        connectors=tuple((new(name), tasks) for name, tasks in case.connectors),
        changes=tuple(replace(c, events=tuple(map(of_event, c.events))) for c in case.changes),
    )
