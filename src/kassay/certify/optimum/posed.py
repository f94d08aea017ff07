"""Instances as targets are asked them: read, solved, played by a target, its answer beside the optimum.

An instance is played as a history that only starts: members join with what the instance says they own,
processes come with the tasks and the state that it says they have. What counts is the answer (eager), or the
assignment once the group is at rest (cooperative, Streams tasks), counted from the owners before the first
round. Weights and co-partitioning are set aside, and so are racks of Streams clients, for the rules that are
measured know none of these: loads are partitions, or tasks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from kassay.certify.targets.resolve import Target
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.history import Change, Event, History, Join, Withhold
from kassay.model.groups.kinds import CONSUMER_GROUPS, SHARE
from kassay.model.groups.player import Player
from kassay.model.groups.playing import NewObject
from kassay.model.kinds import Kind
from kassay.model.streams.history import asking, settle_tasks
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskAssignment, TaskRequest
from kassay.reading.documents import Located, at
from kassay.solver.consumers.documents import best_by
from kassay.solver.consumers.gap import as_group, gap
from kassay.solver.consumers.optimum import Optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.gap import AnyOptimum, AnyProblem, Gap
from kassay.solver.instances.families import family_of
from kassay.solver.results import OutOfTimeError
from kassay.solver.sharing.gap import as_share_group, share_gap
from kassay.solver.sharing.optimum import best_sharing
from kassay.solver.sharing.problem import ShareProblem

if TYPE_CHECKING:
    from kassay.certify.optimum.told import ToldInstance
    from kassay.solver.streams.members.actives import PlacedActives
    from kassay.solver.streams.members.problem import MemberTaskProblem
    from kassay.solver.streams.problem import TaskProblem

A = TypeVar("A")
G = TypeVar("G")
Telling = Callable[[], "ToldInstance"]
NewTarget = Callable[[Mapping[str, str]], Any]
"""Makes a configured object of a target: an `Assignor` or a `TaskAssignor`, as its kind says."""


class PlayedInstance(NamedTuple, Generic[A]):
    """What a target made of an instance: its answer or why there is none, in how many rounds and seconds."""

    answer: A | None
    failure: str | None
    rounds: int
    seconds: float


class Missed(NamedTuple):
    """An instance without a gap, and why."""

    name: str
    reason: str


class AskedInstance(NamedTuple):
    """The gap of a target on an instance, or why there is none, after so many rounds and seconds.

    `telling` makes what a board of it shows, None where there was no answer.
    """

    gap: Gap[AnyProblem, AnyOptimum] | Missed
    rounds: int
    seconds: float
    telling: Telling | None = None


Asking = Callable[[NewTarget, Target], AskedInstance]
"""Puts an instance to a target."""


class How(NamedTuple):
    """How optima are searched: the solver, the order of the goals, and a limit in seconds or none."""

    solver: str
    order: tuple[str, ...]
    seconds: float | None

    def flow_only(self, what: str) -> None:
        """Raise `InputError` where another solver is wanted."""
        if self.solver != "flow":
            raise InputError(f"--solver: {self.solver} does not take {what}, expected flow")


@dataclass(frozen=True)
class PosedInstance:
    """An instance and the kinds of targets that answer it; `solve` gives what puts it to a target."""

    name: str
    kinds: tuple[Kind, ...]
    solve: Callable[[How], Asking]
    """Raises `OutOfTimeError` where the optimum takes too long."""


def posed(located: Located) -> PosedInstance | None:
    """The instance at this place, None where no assignor answers it; raises `InputError` if it is none."""
    with at(located.where):
        family = family_of(located.document)
        if family.name not in _POSED:
            return None
        kinds, solve = _POSED[family.name]
        problem = family.parse(located.document)
    named = replace(problem, name=problem.name or located.where)
    return PosedInstance(named.name, kinds, partial(solve, named))


def _comes_together(cluster: Cluster, group: Group) -> Change:
    """All members come at once, and what the group may not give out is withheld."""
    events: list[Event] = [Join(member) for member in group.members]
    for topic, tps in cluster.partitions.items() if group.assignable is not None else ():
        withheld = tuple(tp.partition for tp in tps if tp not in (group.assignable or ()))
        events += [Withhold(topic, withheld)] if withheld else []
    return tuple(events)


def play(new: NewObject, target: Target, cluster: Cluster, group: Group) -> PlayedInstance[Assignment]:
    """What the target makes of a group that has just come together."""
    history = History(cluster, (_comes_together(cluster, group),))
    began = time.perf_counter()
    rebalanced = next(Player(new, target.protocol).play(history), None)
    seconds = time.perf_counter() - began
    if rebalanced is None:
        return PlayedInstance(None, "a group without members", 0, seconds)
    last = rebalanced.steps[-1].answer
    rounds = len(rebalanced.steps)
    if isinstance(last, Failure):
        return PlayedInstance(None, last.message, rounds, seconds)
    if not rebalanced.outcomes:
        return PlayedInstance(None, f"not at rest after {rounds} rounds", rounds, seconds)
    return PlayedInstance(rebalanced.outcomes[-1].given, None, rounds, seconds)


def play_application(new: NewTarget, request: TaskRequest) -> PlayedInstance[TaskAssignment]:
    """What a target makes of an application that starts with this request, once it is at rest."""
    ask = asking(partial(new, {}))
    began = time.perf_counter()
    first = ask(request)
    steps = [first, *settle_tasks(first, ask)]
    seconds = time.perf_counter() - began
    last, rounds = steps[-1], max(1, len(steps) - 1)
    if isinstance(last.answer, Failure):
        return PlayedInstance(None, last.answer.message, rounds, seconds)
    if not last.at_rest:
        return PlayedInstance(None, f"not at rest after {rounds} rounds", rounds, seconds)
    return PlayedInstance(last.answer, None, rounds, seconds)


def measured_gap(
    problem: Problem, played: PlayedInstance[Assignment], best: Optimum | None = None
) -> Gap[Problem, Optimum] | Missed:
    """The distance of a consumer group's assignment to the optimum, or why there is none."""
    return _measured(problem.name, played, lambda answer: gap(problem, answer, best))


def _measured(name: str, played: PlayedInstance[A], gap_of: Callable[[A], G]) -> G | Missed:
    if played.answer is None:
        return Missed(name, played.failure or "no answer")
    try:
        return gap_of(played.answer)
    except InputError as error:
        return Missed(name, f"no assignment: {error}")


def _consumers(problem: Problem, how: How) -> Asking:
    plain = replace(problem.unweighted(), copartition=())
    best = best_by(how.solver, plain, how.order, how.seconds)
    group = as_group(plain)

    def ask(new: NewTarget, target: Target) -> AskedInstance:
        played = play(new, target, *group)
        measured = measured_gap(plain, played, best)
        telling = _told_group(group, played, best.assignment)
        return AskedInstance(measured, played.rounds, played.seconds, telling)

    return ask


def _sharing(problem: ShareProblem, how: How) -> Asking:
    how.flow_only("share groups")
    best, group = best_sharing(problem), as_share_group(problem)

    def ask(new: NewTarget, target: Target) -> AskedInstance:
        played = play(new, target, *group)
        measured = _measured(problem.name, played, lambda answer: share_gap(problem, answer, best))
        telling = _told_group(group, played, best.assignment)
        return AskedInstance(measured, played.rounds, played.seconds, telling)

    return ask


def _told_group(
    asked: tuple[Cluster, Group],
    played: PlayedInstance[Assignment],
    best: Mapping[str, Sequence[TopicPartition]],
) -> Telling | None:
    if played.answer is None:
        return None
    from kassay.certify.optimum.told import told_group

    return partial(told_group, *asked, played.answer, best)


def _told_application(
    asked: MemberTaskProblem,
    request: TaskRequest,
    played: PlayedInstance[TaskAssignment],
    best: PlacedActives,
) -> Telling | None:
    if played.answer is None:
        return None
    from kassay.certify.optimum.told import told_application

    return partial(told_application, asked, request, played.answer, best.member)


def _tasks(problem: TaskProblem | MemberTaskProblem, how: How) -> Asking:
    from kassay.solver.streams.members.actives import place_actives
    from kassay.solver.streams.members.gap import member_gap, runs_of
    from kassay.solver.streams.members.problem import MemberTaskProblem
    from kassay.solver.streams.members.requests import problem_of, request_of

    how.flow_only("tasks")
    members = problem if isinstance(problem, MemberTaskProblem) else MemberTaskProblem.by_thread(problem)
    request = request_of(members)
    asked = replace(problem_of(request), name=problem.name)
    best = place_actives(asked, None if how.seconds is None else time.monotonic() + how.seconds)
    if not best.proven:
        raise OutOfTimeError(f"no optimum within {how.seconds:g} s")

    def ask(new: NewTarget, _: Target) -> AskedInstance:
        played = play_application(new, request)
        measured = _measured(
            asked.name, played, lambda answer: member_gap(asked, runs_of(asked, request, answer), best)
        )
        return AskedInstance(
            measured, played.rounds, played.seconds, _told_application(asked, request, played, best)
        )

    return ask


_POSED: Final[Mapping[str, tuple[tuple[Kind, ...], Callable[[Any, How], Asking]]]] = {
    "consumers": (CONSUMER_GROUPS, _consumers),
    "sharing": ((SHARE,), _sharing),
    "tasks": ((STREAMS,), _tasks),
}
"""Who answers the instances of a family, and what puts them; no assignor answers the other families."""
_MOVES: Final[Mapping[Kind, str]] = {
    STREAMS: "Of tasks, moves are what restores (3) and changes of process (1) cost.",
}


def meanings_of_moves(kinds: Iterable[Kind]) -> tuple[str, ...]:
    """What moves mean for targets of these kinds, where they are not counted one by one."""
    return tuple(_MOVES[kind] for kind in dict.fromkeys(kinds) if kind in _MOVES)
