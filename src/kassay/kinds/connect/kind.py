"""The driver of Connect assignors: one history in a case, and the rebalances until it is stable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from kassay.kinds.connect.scopes import LEFT_OUT, connect_cell, fresh_clusters
from kassay.kinds.connect.words import EVENT_FORMS, MemoryOfEach, connect_words
from kassay.kinds.frames import Frame, Reported
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import EVERY_CASE, CellOptions, Driver, ScopeCell
from kassay.kinds.registry import drives
from kassay.model.connect.documents import CONNECT_ANSWER, CONNECT_HISTORY, CONNECT_STEP, connect_step_to_json
from kassay.model.connect.history import (
    ConnectEvent,
    ConnectHistory,
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
    ConnectRequest,
    WorkerChange,
    after,
    connectors_in,
    tasks_in,
)
from kassay.model.kinds import RebalanceProtocol
from kassay.model.shape.removal import Removal
from kassay.properties.connect.scenarios import (
    CONNECT_AIMS,
    CONNECT_LARGE,
    CONNECT_SMALL,
    aimed_connect_history,
    connect_history,
)
from kassay.properties.connect.wide import (
    NAMED,
    RANGES,
    RELATED,
    SIZES,
    deleted_in_turn,
    named_cluster,
    sized_cluster,
)
from kassay.properties.profile import Profile
from kassay.properties.sources import Source

if TYPE_CHECKING:
    from kassay.kinds.measures import MeasuredRest
    from kassay.kinds.search import WorstSearch

FRESH_MAX: Final = 4500
"""The number of smallest histories that are tried where one cannot be cut further."""


@drives(CONNECT)
class ConnectDriver(Driver[ConnectHistory]):
    """Plays the history of a cluster against an assignor of connectors and tasks."""

    form = CONNECT_HISTORY
    narration = CONNECT_STEP
    answers = CONNECT_ANSWER
    events = EVENT_FORMS
    aims = CONNECT_AIMS
    measured = True
    pasts = True
    countable = SIZES
    ranges = RANGES
    goals = ("connectors", "tasks", "stopped")

    def generate(self, source: Source, profile: Profile, aim: str = "") -> ConnectHistory:
        """A history built from the source's choices."""
        if aim:
            history = aimed_connect_history(source, aim)
        else:
            size = CONNECT_LARGE if profile.goes_large(source) else CONNECT_SMALL
            conflicts = profile.allows("no-conflicting-claims")
            history = connect_history(source, size, ownership_conflicts=conflicts)
        history = named_cluster(history) if profile.wanted & NAMED else history
        return deleted_in_turn(history) if RELATED in profile.wanted else history

    def sized(self, source: Source, profile: Profile, sizes: Mapping[str, int]) -> ConnectHistory:
        """A history with these sizes: the start, and a change or as many as wanted."""
        return sized_cluster(source, sizes)

    def wide_profile(self, profile: Profile, wanted: frozenset[str]) -> Profile:
        """The small profile, with two workers and connectors where their names are wanted."""
        return replace(profile, name="small", wanted=wanted)

    def play(self, case: ConnectHistory, subject: Subject) -> Iterator[ConnectRun]:
        """The history, played until it is stable without further changes."""
        ask = asking(partial(subject.new, {}), subject.looks, subject.new_twin)
        yield run_connect(case, ask, eager=subject.protocol is RebalanceProtocol.EAGER)

    def parts(self, answer: ConnectAssignment) -> dict[str, object]:
        """What each worker must start and stop, and the delay."""
        changes = answer.workers.items()
        starts = {f"{worker} starts": tuple(sorted(map(str, change.assigned))) for worker, change in changes}
        stops = {f"{worker} stops": tuple(sorted(map(str, change.revoked))) for worker, change in changes}
        return {**starts, **stops, "delay": answer.delay_ms}

    def measures(self, arguments: tuple[ConnectRequest], answer: ConnectAssignment) -> dict[str, object]:
        """Connectors and tasks by worker once the answer is in effect, the most first, and how many stop."""
        (request,) = arguments
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

    def rest(self, played: ConnectRun) -> MeasuredRest | None:
        """What follows the last change, compared with the best possible answer."""
        from kassay.kinds.connect.measures import rest_of_cluster

        return rest_of_cluster(played)

    def own_words(self) -> MemoryOfEach:
        """A leader's memory returns to it alone."""
        return MemoryOfEach()

    def smallest(self, case: ConnectHistory) -> Iterator[ConnectHistory]:
        """The smallest cases, which restart where one cannot be cut further."""
        return islice(fresh_clusters(case), FRESH_MAX)

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
            case.generation,
        )

    def cell(self, cell: ScopeCell, options: CellOptions = EVERY_CASE) -> Iterator[ConnectHistory]:
        """Every cluster with these numbers of workers, and of connectors and tasks together."""
        return connect_cell(*cell)

    @property
    def left_out(self) -> Mapping[str, tuple[str, ...]]:
        """What no scope has; nothing is certified by a scope of this kind."""
        return dict.fromkeys(LEFT_OUT, ())

    def search(self) -> WorstSearch:
        """Changes connectors, tasks and the one event."""
        from kassay.kinds.connect.search import ConnectSearch

        return ConnectSearch()

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed, events and rare features first."""
        from kassay.kinds.connect.words import connect_removals

        return connect_removals(document)

    def frames(self, reported: Reported) -> list[Frame]:
        """A frame for each rebalance."""
        from kassay.kinds.connect.view import connect_frames

        return connect_frames(reported, self.event_sentence)

    def counts(self, case: ConnectHistory) -> Mapping[str, int]:
        """Workers count as members, connectors and tasks as partitions."""
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
        """What each worker must start and stop, and the delay."""
        return connect_words(step)

    def document_of(self, step: ConnectStep) -> dict[str, Any]:
        """One rebalance."""
        return connect_step_to_json(step)


def _weight(event: ConnectEvent) -> int:
    """The size of an event: one, and one for each thing that it lists."""
    return 1 + len(event.running) if isinstance(event, WorkerJoin) else 1


def _rank(name: str) -> int:
    """The rank of a name by plainness: its number; others come last, the longest at the end."""
    number = name[1:]
    is_plain = number.isascii() and number.isdecimal() and name[:1] in "wc" and len(name) < 6
    return int(number) if is_plain else 1000 + len(name)


def _mentioned(case: ConnectHistory) -> list[str]:
    """Every worker and connector of the start or of an event, in order, each once."""
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
