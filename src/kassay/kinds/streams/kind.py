"""The driver of Streams task assignors: one history in a case, and the rebalances until it is stable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kassay.kinds.frames import Frame, Reported
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import EVERY_CASE, CellOptions, Driver, ScopeCell
from kassay.kinds.registry import drives
from kassay.kinds.streams.oracle import best_of_members, best_of_standbys
from kassay.kinds.streams.scopes import LEFT_OUT, fresh_tasks, task_cell
from kassay.kinds.streams.words import EVENT_FORMS, by_threads, task_words
from kassay.kinds.words import Offer
from kassay.model.calls import Failure
from kassay.model.shape.removal import Removal
from kassay.model.streams.documents import TASK_ANSWER, TASK_HISTORY, TASK_STEP, task_step_to_json
from kassay.model.streams.events import ProcessJoin, ProcessRetag, StandbysChange, TaskEvent
from kassay.model.streams.history import TaskHistory, TaskRun, TaskStep, asking, run_tasks
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import CHANGELOG, ClientTasks, TaskAssignment, TaskRequest, process_id
from kassay.properties.profile import Profile
from kassay.properties.registry import Claim
from kassay.properties.sources import Source
from kassay.properties.streams.copies import BestStandbys
from kassay.properties.streams.scenarios import (
    ACCEPTABLE_LAG,
    LARGE,
    SMALL,
    STREAMS_AIMS,
    aimed_task_history,
    task_history,
)
from kassay.properties.streams.stickiness import BestMembers
from kassay.properties.streams.wide import PLACES, RANGES, SIZES, TAG_KEYS, placed_tasks, sized_tasks

if TYPE_CHECKING:
    from kassay.kinds.measures import Asking, How, MeasuredRest
    from kassay.kinds.search import WorstSearch

E = TypeVar("E", bound=TaskEvent)

USUAL_LAGS: Final = (ACCEPTABLE_LAG, 10_000)
"""The acceptable recovery lags of plain histories and of Kafka's configuration."""
FRESH_MAX: Final = 4500
"""The number of smallest histories that are tried where one cannot be cut further."""


@drives(STREAMS)
class TaskDriver(Driver[TaskHistory]):
    """Plays the history of an application against an assignor of tasks."""

    pasts = True
    goals = ("active", "all", "movement")
    form = TASK_HISTORY
    narration = TASK_STEP
    answers = TASK_ANSWER
    events = EVENT_FORMS
    aims = STREAMS_AIMS
    measured = True
    countable = SIZES
    ranges = RANGES
    ranked_by = (
        *("deterministic", "order-independent", "standby-disjoint", "standby-count", "stateful-balanced"),
        *("sticky-by-member", "sticky-standbys", "fixed-point", "stable", "converges"),
    )

    def generate(self, source: Source, profile: Profile, aim: str = "") -> TaskHistory:
        """A history built from the source's choices."""
        if aim:
            return aimed_task_history(source, aim)
        history = task_history(source, LARGE if profile.goes_large(source) else SMALL)
        return placed_tasks(source, history) if profile.wanted & PLACES else history

    def sized(self, source: Source, profile: Profile, sizes: Mapping[str, int]) -> TaskHistory:
        """A history with these sizes: the start, and a change or as many as wanted."""
        return sized_tasks(source, sizes)

    def wide_profile(self, profile: Profile, wanted: frozenset[str]) -> Profile:
        """The small profile, with racks and tags where their names are wanted."""
        return replace(profile, name="small", wanted=wanted)

    def play(self, case: TaskHistory, subject: Subject) -> Iterator[TaskRun]:
        """The history, played until it is stable without further changes."""
        yield run_tasks(case, asking(partial(subject.new, {}), subject.looks, subject.new_twin))

    def compared(self, played: TaskRun) -> Sequence[TaskStep]:
        """The answer to each change; the rebalances after the last one follow no event."""
        return [step for step in played.steps[: played.played] if not isinstance(step.answer, Failure)]

    def best(self, outcome: TaskStep, claim: Claim) -> BestMembers | BestStandbys | None:
        """The certified best of standbys for the answer's active tasks, or of active tasks on members."""
        return (best_of_standbys if claim.kind.id == "sticky-standbys" else best_of_members)(outcome)

    def parts(self, answer: TaskAssignment) -> dict[str, object]:
        """Each process's tasks, those of its threads if any, and whether to rebalance again."""
        threads = {of: tasks for of, tasks in _lists(answer.members or {}).items() if tasks}
        return {**_lists(answer.processes), **threads, "probing": answer.probing_rebalance}

    def comparable(self, answer: TaskAssignment, other: TaskAssignment) -> TaskAssignment:
        """Threads are compared where both answers name them and give the processes the same tasks."""
        if other.members is None or _lists(answer.processes) != _lists(other.processes):
            return replace(answer, members=None)
        return answer

    def measures(self, arguments: tuple[TaskRequest], answer: TaskAssignment) -> dict[str, object]:
        """Active and all tasks by process, the most first, and how many active tasks move."""
        (request,) = arguments
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

    def rest(self, played: TaskRun) -> MeasuredRest | None:
        """What follows the last change, compared with the certified best."""
        from kassay.kinds.streams.measures import rest_of_application

        return rest_of_application(played)

    def ask_instance(self, problem: Any, how: How) -> Asking:
        """The application of the instance, at its start."""
        from kassay.kinds.streams.measures import ask_tasks

        return ask_tasks(problem, how)

    def smallest(self, case: TaskHistory) -> Iterator[TaskHistory]:
        """The smallest cases, to restart where one cannot be cut further."""
        return islice(fresh_tasks(case), FRESH_MAX)

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
            (case.acceptable_recovery_lag not in USUAL_LAGS) + (case.changelog != CHANGELOG),
            sum(map(_rank_of_text, _texts_in(case))),
        )

    def cell(self, cell: ScopeCell, options: CellOptions = EVERY_CASE) -> Iterator[TaskHistory]:
        """Every application with these numbers of processes and tasks."""
        return task_cell(*cell)

    @property
    def left_out(self) -> Mapping[str, tuple[str, ...]]:
        """What no scope has; nothing is certified by a scope of this kind."""
        return dict.fromkeys(LEFT_OUT, ())

    def search(self) -> WorstSearch:
        """Changes subtopologies, state, standbys and the one event."""
        from kassay.kinds.streams.search import TaskSearch

        return TaskSearch()

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed, events and rare features first."""
        from kassay.kinds.streams.words import task_removals

        return task_removals(document)

    def frames(self, reported: Reported) -> list[Frame]:
        """A frame for each rebalance."""
        from kassay.kinds.streams.view import task_frames

        return task_frames(reported, self.event_sentence)

    def counts(self, case: TaskHistory) -> Mapping[str, int]:
        """Processes count as members and tasks as partitions."""
        return {
            "members": len(case.processes),
            "partitions": sum(case.partitions),
            "events": sum(len(change.events) for change in case.changes),
        }

    @property
    def optimum(self) -> str:
        """The rule that uses the solver."""
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


def _lists(given: Mapping[str, ClientTasks]) -> dict[str, object]:
    """The active and the standby tasks of each process or thread, in task order."""
    active = {f"{who} active": tuple(sorted(got.active)) for who, got in given.items()}
    return {**active, **{f"{who} standby": tuple(sorted(got.standby)) for who, got in given.items()}}


def _rank(name: str) -> int:
    """The rank of a process id by plainness: its number; other UUIDs come after all plain ones."""
    number = int(name[-12:], 16)
    return number if name == process_id(number) else 2**48 + int(name.replace("-", ""), 16)


def _rank_of_text(name: str) -> int:
    """The rank of a rack, a tag or its value by plainness: those of plain histories come first."""
    return (
        0
        if name in TAG_KEYS or (len(name) < 3 and name.isascii() and name[:1].isalpha() and name.isalnum())
        else len(name)
    )


def _texts_in(case: TaskHistory) -> Iterator[str]:
    """Every rack, every tag and every value of a history, each mention of it."""
    yield from case.rack_aware_tags
    for event in (*case.processes, *(event for change in case.changes for event in change.events)):
        if isinstance(event, ProcessJoin | ProcessRetag):
            yield from (each for tag in event.tags for each in tag)
            if event.rack is not None:
                yield event.rack


def _placed(event: TaskEvent) -> int:
    """How many details of a process's location an event has."""
    if isinstance(event, ProcessJoin | ProcessRetag):
        return len(event.tags) + (event.rack is not None)
    return 0


def _named_in(case: TaskHistory) -> list[str]:
    """The process ids of a history in the order of mention, one for each event."""
    events = [*case.processes, *(event for change in case.changes for event in change.events)]
    return [event.process_id for event in events if not isinstance(event, StandbysChange)]
