"""What one outcome of a target shows beside the certified best: for each kind that has an optimum.

Movement is judged only where the loads are optimal, rack locality only where the moves are the fewest as
well: the goals are lexicographic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from kassay.kinds.groups.oracle import best_of_group
from kassay.model.calls import Failure
from kassay.model.cluster import TopicPartition
from kassay.model.connect.history import ConnectRun
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import connectors_in, tasks_in
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CONSUMER_GROUPS, SHARE
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import Kind
from kassay.model.streams.history import TaskRun
from kassay.model.streams.kinds import STREAMS
from kassay.properties.connect.balance import least_moved
from kassay.properties.connect.work import running_after
from kassay.properties.groups.balance import ORDER
from kassay.solver.consumers.gap import shortfall
from kassay.solver.consumers.optimum import Figures
from kassay.solver.gap import AnyOptimum, AnyProblem, Gap
from kassay.solver.sharing.gap import share_gap
from kassay.solver.sharing.problem import ShareProblem
from kassay.solver.streams.members.gap import member_gap, runs_of
from kassay.solver.streams.members.requests import problem_of


class Measure(NamedTuple):
    """One outcome beside the best: `members` and the `units` that they share, and the gaps.

    `equal`: every member may have every unit. `movement` and `rack` are None where they are not judged.
    """

    members: int
    units: int
    equal: bool
    balance: int
    spread: int
    moved: int
    moved_least: int
    movement: int | None = None
    rack: int | None = None


class MeasuredRest(NamedTuple):
    """What followed a change: its outcomes, None for one that is no answer, and the rounds to rest.

    `rounds` is None where there was no rest.
    """

    measures: list[Measure | None]
    rounds: int | None


def measured_group(outcome: Step) -> Measure | None:
    """A consumer group's outcome; None where the answer is no assignment that the optimum compares with."""
    best = best_of_group(outcome, ORDER)
    if not _is_assignment(outcome, sum(best.loads)):
        return None
    mine = Figures(
        tuple(sorted(outcome.loads.values())),
        len(moved(outcome.given, outcome.previous)),
        len(rack_mismatches(outcome.cluster, outcome.group, outcome.given)),
    )
    far = shortfall(mine, Figures(best.loads, best.moved, best.mismatched))
    units, equal = sum(mine.loads), outcome.group.equal_subscriptions
    return Measure(
        len(mine.loads), units, equal, far.balance, far.spread, mine.moved, best.moved, far.movement, far.rack
    )


def _is_assignment(outcome: Step, partitions: int) -> bool:
    """Whether the optimum can be compared with the answer: every partition once, to a reader."""
    owners: set[TopicPartition] = set()
    given = 0
    for reader, tps in outcome.given.items():
        read = outcome.read.get(reader, frozenset())
        if any(tp[0] not in read or not outcome.cluster.has(tp) for tp in tps):
            return False
        owners.update(tps)
        given += len(tps)
    return given == len(owners) == partitions


def _share_group(outcome: Step) -> Measure | None:
    problem = ShareProblem.of(outcome.cluster, outcome.group)
    try:
        gap = share_gap(problem, outcome.given)
    except InputError:
        return None
    return _beside(gap, outcome.group.equal_subscriptions)


def _beside(gap: Gap[AnyProblem, AnyOptimum], equal: bool) -> Measure | None:
    """A gap as a measure; None where some unit was left out."""
    if gap.balance is None or gap.spread is None:
        return None
    members, units = len(gap.best.loads), sum(gap.best.loads)
    return Measure(members, units, equal, gap.balance, gap.spread, gap.moved, gap.best.moved, gap.movement)


def _of_groups(measured: Callable[[Step], Measure | None], rebalanced: Rebalanced) -> MeasuredRest | None:
    if isinstance(rebalanced.steps[-1].answer, Failure):
        return None
    # The last round only shows that the group is at rest.
    rounds = max(1, len(rebalanced.steps) - 1) if rebalanced.settled else None
    return MeasuredRest([measured(outcome) for outcome in rebalanced.outcomes], rounds)


def _of_cluster(run: ConnectRun) -> MeasuredRest | None:
    """The rest after the last change of a Connect cluster, beside what each worker ran before that change."""
    if any(isinstance(step.answer, Failure) for step in run.steps):
        return None
    return MeasuredRest([_cluster(run)], run.settling) if run.steps[-1].at_rest else MeasuredRest([], None)


def _cluster(run: ConnectRun) -> Measure | None:
    configured, running = run.steps[-1].request.configured, running_after(run.steps[-1])
    given = [work for own in running.values() for work in own]
    if len(given) != len(configured) or set(given) != configured:
        return None
    loads = [[len(kind(own)) for own in running.values()] for kind in (connectors_in, tasks_in)]
    balance, spread = sum(map(_above_even, loads)), max(map(_further_apart, loads))
    ran = running_after(run.steps[run.played - 2]) if run.played > 1 else {}
    before = {worker: configured.intersection(ran.get(worker, ())) for worker in running}
    away = sum(len(own.difference(running[worker])) for worker, own in before.items())
    least = least_moved(before.values(), configured)
    movement = away - least if balance == 0 else None
    return Measure(len(running), len(configured), True, balance, spread, away, least, movement)


def _above_even(loads: Sequence[int]) -> int:
    """Squared loads above those of an even share."""
    least, more = divmod(sum(loads), len(loads))
    even = more * (least + 1) ** 2 + (len(loads) - more) * least**2
    return sum(load * load for load in loads) - even


def _further_apart(loads: Sequence[int]) -> int:
    """By how much the largest and the least load are further apart than in an even share."""
    return max(loads) - min(loads) - (sum(loads) % len(loads) > 0)


def _of_application(run: TaskRun) -> MeasuredRest | None:
    """The rest after the last change of a Streams application, beside who ran what before that change."""
    if not run.answered:
        return None
    return MeasuredRest([_application(run)], run.settling) if run.at_rest else MeasuredRest([], None)


def _application(run: TaskRun) -> Measure | None:
    """Active tasks by thread; what moves is counted as restores (3) and changes of process (1)."""
    before = run.steps[run.played - 1].request
    problem = problem_of(before)
    try:
        gap = member_gap(problem, runs_of(problem, before, run.steps[-1].given))
    except InputError:
        return None
    return _beside(gap, equal=True)


MEASURED: Final[Mapping[Kind, Callable[[Any], MeasuredRest | None]]] = {
    **dict.fromkeys(CONSUMER_GROUPS, partial(_of_groups, measured_group)),
    SHARE: partial(_of_groups, _share_group),
    CONNECT: _of_cluster,
    STREAMS: _of_application,
}
"""How the distance to the optimum is told of what a kind's targets were played at; None without an answer."""
