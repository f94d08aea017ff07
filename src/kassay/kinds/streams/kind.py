"""The driver of Streams task assignors: a history a case, and the way to rest that follows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kassay.kinds.answers import Offer
from kassay.kinds.cuts import one_or_two, with_one, without_one, without_runs
from kassay.kinds.frames import Frame, Reported
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import EVERY_CASE, CellOptions, Driver, ScopeCell
from kassay.kinds.registry import drives
from kassay.kinds.streams.answers import by_threads, task_words
from kassay.kinds.streams.events import EVENT_FORMS
from kassay.kinds.streams.oracle import best_of_members, best_of_standbys
from kassay.kinds.streams.scopes import fresh_tasks, task_cell
from kassay.model.calls import Failure
from kassay.model.shape.removal import Removal
from kassay.model.streams.documents import TASK_HISTORY, TASK_STEP, task_step_to_json
from kassay.model.streams.events import ProcessJoin, ProcessRetag, StandbysChange, TaskEvent, ThreadsChange
from kassay.model.streams.history import TaskChange, TaskHistory, TaskRun, TaskStep, asking, run_tasks
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskRequest
from kassay.properties.profile import Profile
from kassay.properties.registry import Promise
from kassay.properties.sources import Source
from kassay.properties.streams.aims import STREAMS_AIMS, aimed_task_history
from kassay.properties.streams.copies import BestStandbys
from kassay.properties.streams.scenarios import LARGE, SMALL, process_id, task_history
from kassay.properties.streams.stickiness import BestMembers

if TYPE_CHECKING:
    from kassay.kinds.search import WorstSearch

E = TypeVar("E", bound=TaskEvent)

FRESH_MAX: Final = 4500
"""So many of the smallest histories are tried where one cannot be cut further."""


@drives(STREAMS)
class TaskDriver(Driver[TaskHistory]):
    """Plays an application's life against an assignor of tasks."""

    pasts = True
    goals = ("active", "all", "movement")
    form = TASK_HISTORY
    narration = TASK_STEP
    events = EVENT_FORMS
    aims = STREAMS_AIMS

    def generate(self, source: Source, profile: Profile, aim: str = "") -> TaskHistory:
        """A history out of the source's choices."""
        if aim:
            return aimed_task_history(source, aim)
        return task_history(source, LARGE if profile.goes_large(source) else SMALL)

    def play(self, case: TaskHistory, subject: Subject) -> Iterator[TaskRun]:
        """The history played, and left alone until it is at rest."""
        yield run_tasks(case, asking(partial(subject.new, {}), subject.looks, subject.new_twin))

    def compared(self, played: TaskRun) -> Sequence[TaskStep]:
        """What answered each change: on the way to rest after the last one, nothing has happened."""
        return [step for step in played.steps[: played.played] if not isinstance(step.answer, Failure)]

    def best(self, outcome: TaskStep, promise: Promise) -> BestMembers | BestStandbys | None:
        """The certified best of standbys beside the answer's active tasks, or of active tasks on members."""
        return (best_of_standbys if promise.claim.id == "sticky-standbys" else best_of_members)(outcome)

    def parts(self, answer: TaskAssignment) -> dict[str, object]:
        """Each process's tasks, those of threads that are given some, and whether to rebalance again."""
        threads = {of: tasks for of, tasks in _lists(answer.members or {}).items() if tasks}
        return {**_lists(answer.processes), **threads, "probing": answer.probing_rebalance}

    def beside(self, answer: TaskAssignment, other: TaskAssignment) -> TaskAssignment:
        """Threads are compared where both answers name them and give the processes the same."""
        if other.members is None or _lists(answer.processes) != _lists(other.processes):
            return replace(answer, members=None)
        return answer

    def measures(self, asked: tuple[TaskRequest], answer: TaskAssignment) -> dict[str, object]:
        """Active and all tasks by process, the most first, and how many active tasks move."""
        (request,) = asked
        tasks = [answer.processes.get(client.process_id, ClientTasks()) for client in request.clients]
        previous, owners = request.previous_owners, answer.owners
        return {
            "active": tuple(sorted((len(each.active) for each in tasks), reverse=True)),
            "all": tuple(sorted((len(each.active) + len(each.standby) for each in tasks), reverse=True)),
            "movement": sum(owners.get(task) != owner for task, owner in previous.items()),
        }

    def scene(self, case: TaskHistory, played: TaskRun) -> TaskHistory:
        """Situations are those of the history."""
        return case

    def shrink_candidates(self, case: TaskHistory) -> Iterator[TaskHistory]:
        """Histories with something taken away, the boldest cuts first."""
        yield from one_or_two(case, _candidates)
        fresh = (less for less in fresh_tasks(case) if self.size(less) < self.size(case))
        yield from islice(fresh, FRESH_MAX)

    def size(self, case: TaskHistory) -> tuple[int, ...]:
        """Changes and events, processes, tasks, threads, and the rest."""
        joins = [event for change in case.changes for event in change.events]
        return (
            len(case.changes),
            len(joins),
            len(case.processes),
            sum(case.partitions),
            len(case.partitions),
            sum(case.partitions[: case.stateful]),
            sum(getattr(event, "threads", 0) for event in (*case.processes, *joins)),
            case.standby_replicas + sum(getattr(event, "replicas", 0) for event in joins),
            sum(1 + lag for change in case.changes for lag in change.lags),
            sum(map(_rank, _named_in(case))),
            case.warmup_replicas_max,
            len(case.rack_aware_tags) + sum(map(_placed, (*case.processes, *joins))),
        )

    def cell(self, cell: ScopeCell, options: CellOptions = EVERY_CASE) -> Iterator[TaskHistory]:
        """Every application of so many processes and tasks."""
        return task_cell(*cell)

    def search(self) -> WorstSearch:
        """Subtopologies, state, standbys and the one event are changed."""
        from kassay.kinds.streams.search import TaskSearch

        return TaskSearch()

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed, events and what is rare first."""
        from kassay.kinds.streams.removal import task_removals

        return task_removals(document)

    def frames(self, reported: Reported) -> list[Frame]:
        """A frame for each rebalance."""
        from kassay.kinds.streams.view import task_frames

        return task_frames(reported, self.event_sentence)

    def counts(self, case: TaskHistory) -> Mapping[str, int]:
        """Processes stand for members and tasks for partitions."""
        return {
            "members": len(case.processes),
            "partitions": sum(case.partitions),
            "events": sum(len(change.events) for change in case.changes),
        }

    @property
    def optimum(self) -> str:
        """The rule that answers by the solver."""
        return "optimal-streams"

    def is_proven(self, step: TaskStep) -> bool:
        """Whether the solver proves its answer to the request."""
        from kassay.kinds.streams.oracle import is_proven

        return is_proven(step.request)

    def late_offers(self, step: TaskStep) -> Iterator[Offer]:
        """Active tasks by threads."""
        yield "each task where it weighs least", by_threads(step)

    def words(self, step: TaskStep) -> str:
        """The tasks of each process."""
        return task_words(step)

    def document_of(self, step: TaskStep) -> dict[str, Any]:
        """One rebalance."""
        return task_step_to_json(step)

    def narrate(self, case: TaskHistory, subject: Subject) -> list[dict[str, Any]]:
        """The rebalances as they go."""
        return [task_step_to_json(step) for step in run_tasks(case, asking(partial(subject.new, {}))).steps]


def _candidates(case: TaskHistory) -> Iterator[TaskHistory]:
    """Cases with one thing taken away, the boldest cuts first."""
    yield from _fewer_changes(case)
    yield from _fewer_tasks(case)
    yield from _fewer_processes(case)
    yield from _plainer(case)


def _lists(given: Mapping[str, ClientTasks]) -> dict[str, object]:
    """The active and the standby tasks of each process or thread, in task order."""
    active = {f"{who} active": tuple(sorted(got.active)) for who, got in given.items()}
    return {**active, **{f"{who} standby": tuple(sorted(got.standby)) for who, got in given.items()}}


def _rank(name: str) -> int:
    """How plain a process id is: its number."""
    return int(name[-12:], 16)


def _fewer_changes(case: TaskHistory) -> Iterator[TaskHistory]:
    """Without runs of changes, single events, or lags; or with those there at the start who came first."""
    for changes in without_runs(case.changes, len(case.changes)):
        yield replace(case, changes=changes)
    if case.changes:
        here = {join.process_id for join in case.processes}
        joins = [event for event in case.changes[0].events if isinstance(event, ProcessJoin)]
        new = {join.process_id: join for join in reversed(joins) if join.process_id not in here}
        yield replace(case, processes=(*case.processes, *new.values()), changes=case.changes[1:])
    for changes in with_one(case.changes, _less_change):
        yield replace(case, changes=changes)


def _less_change(change: TaskChange) -> Iterator[TaskChange]:
    for events in without_one(change.events):
        yield replace(change, events=events)
    if change.lags:
        yield replace(change, lags=())
        yield replace(change, lags=change.lags[:-1])
    for lags in with_one(change.lags, lambda lag: (0,) if lag else ()):
        yield replace(change, lags=lags)


def _fewer_tasks(case: TaskHistory) -> Iterator[TaskHistory]:
    """Without a subtopology, or with fewer tasks in one, or fewer of them stateful."""
    sizes = case.partitions
    for i, size in enumerate(sizes):
        if len(sizes) > 1:
            rest, stateful = sizes[:i] + sizes[i + 1 :], case.stateful - (i < case.stateful)
            yield replace(case, partitions=rest, stateful=stateful)
        for fewer in sorted({size // 2, size - 1} - {0}):
            yield replace(case, partitions=(*sizes[:i], fewer, *sizes[i + 1 :]))
    if case.stateful:
        yield replace(case, stateful=0)
        yield replace(case, stateful=case.stateful - 1)


def _fewer_processes(case: TaskHistory) -> Iterator[TaskHistory]:
    for processes in without_one(case.processes) if len(case.processes) > 1 else ():
        yield replace(case, processes=processes)


def _plainer(case: TaskHistory) -> Iterator[TaskHistory]:
    """Fewer threads, copies and warm-ups, and the first process ids."""
    for processes in with_one(case.processes, _fewer_threads):
        yield replace(case, processes=processes)
    for changes in with_one(case.changes, _with_plainer_event):
        yield replace(case, changes=changes)
    if case.standby_replicas:
        yield replace(case, standby_replicas=case.standby_replicas - 1)
    if case.warmup_replicas_max > 1:
        yield replace(case, warmup_replicas_max=1)
    yield from _untagged(case)
    yield from _renamed(case)


def _placed(event: TaskEvent) -> int:
    """How much an event says of where its process runs."""
    if isinstance(event, ProcessJoin | ProcessRetag):
        return len(event.tags) + (event.rack is not None)
    return 0


def _untagged(case: TaskHistory) -> Iterator[TaskHistory]:
    """Without a tag over which copies are to be spread, and nowhere a tag or a rack that plays no part."""
    for keys in without_one(case.rack_aware_tags):
        yield replace(case, rack_aware_tags=keys)
    for processes in with_one(case.processes, _less_placed):
        yield replace(case, processes=processes)
    for changes in with_one(case.changes, _with_less_placed_event):
        yield replace(case, changes=changes)


def _less_placed(event: E) -> Iterator[E]:
    """The event without tags and rack, or without one of them."""
    if not isinstance(event, ProcessJoin | ProcessRetag):
        return
    if _placed(event) > 1:
        yield replace(event, rack=None, tags=())
    if event.rack is not None:
        yield replace(event, rack=None)
    for tags in without_one(event.tags):
        yield replace(event, tags=tags)


def _with_less_placed_event(change: TaskChange) -> Iterator[TaskChange]:
    for events in with_one(change.events, _less_placed):
        yield replace(change, events=events)


def _fewer_threads(event: E) -> Iterator[E]:
    if isinstance(event, ProcessJoin | ThreadsChange) and event.threads > 1:
        yield replace(event, threads=event.threads - 1)


def _plainer_event(event: TaskEvent) -> Iterator[TaskEvent]:
    """The event with a thread or a copy less."""
    yield from _fewer_threads(event)
    if isinstance(event, StandbysChange) and event.replicas:
        yield replace(event, replicas=event.replicas - 1)


def _with_plainer_event(change: TaskChange) -> Iterator[TaskChange]:
    for events in with_one(change.events, _plainer_event):
        yield replace(change, events=events)


def _named_in(case: TaskHistory) -> list[str]:
    """The process ids of a history in the order of their mention, once for each."""
    events = [*case.processes, *(event for change in case.changes for event in change.events)]
    return [event.process_id for event in events if not isinstance(event, StandbysChange)]


def _renamed(case: TaskHistory) -> Iterator[TaskHistory]:
    """The history with the first process ids, in the order of their mention, and all of one sign."""
    ids = list(dict.fromkeys(_named_in(case)))
    for step in (2, 1):
        names = {old: process_id(step * number) for number, old in enumerate(ids)}
        if any(old != new for old, new in names.items()):
            yield replace(
                case,
                processes=_with_names(case.processes, names),
                changes=tuple(
                    replace(change, events=_with_names(change.events, names)) for change in case.changes
                ),
            )


def _with_names(events: tuple[E, ...], names: Mapping[str, str]) -> tuple[E, ...]:
    return tuple(
        event if isinstance(event, StandbysChange) else replace(event, process_id=names[event.process_id])
        for event in events
    )
