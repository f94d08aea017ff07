"""The claim that state stays in place as far as balance by member allows, against the certified optimum.

An active task with state costs 3 on a process without its state, where it is restored, and 1 where it leaves
its process; a stateless task costs nothing. The next goal is the number of tasks that leave their member.
Defined in `docs/optimum.md`. Sources: KIP-441, KIP-1071.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskId, TaskRequest, member_id
from kassay.properties.registry import Evidence, Scope, claim
from kassay.writing.text import counted

RESTORE: Final = 3
CHANGE: Final = 1


class MemberTask(NamedTuple):
    """A task's previous member if it is still present, or None; and the processes with its state."""

    member: str | None
    state: frozenset[str]


class Spent(NamedTuple):
    """The cost of active tasks, and the number that leave a member that is still present."""

    cost: int
    moved: int


class BestMembers(NamedTuple):
    """The least and the highest costs of answers with both balances."""

    best: Spent
    most: Spent


def homes(request: TaskRequest) -> dict[str, str]:
    """The process of each member of the request, by member id."""
    return {
        member_id(client.process_id, client.start, thread): client.process_id
        for client in request.clients
        for thread in range(client.capacity)
    }


def before(request: TaskRequest) -> dict[TaskId, MemberTask]:
    """Each task before the rebalance; a stateless task has no state on any process.

    A copy counts whatever its lag, unless it lacks the whole changelog.
    """
    ran = {
        task: member_id(client.process_id, client.start, thread)
        for client in request.clients
        for thread, held in enumerate(client.held[: client.capacity])
        for task in held.active
    }
    state: dict[TaskId, set[str]] = {task: set() for task in request.tasks}
    for client in request.clients:
        for task, lag in client.lags:
            if lag < request.changelog and task in state:
                state[task].add(client.process_id)
    return {task: MemberTask(ran.get(task), frozenset(on)) for task, on in state.items()}


def spent(request: TaskRequest, runs: Mapping[TaskId, str]) -> Spent:
    """The cost of running the tasks on these members, and the number that leave their member."""
    home, stateful = homes(request), frozenset(request.stateful)
    cost = moved = 0
    for task, (old, state) in before(request).items():
        process = home[runs[task]]
        moved += old is not None and old != runs[task]
        if task in stateful:
            cost += RESTORE * (process not in state) + CHANGE * (old is not None and home[old] != process)
    return Spent(cost, moved)


def _runs(step: TaskStep) -> dict[TaskId, str] | None:
    """The member of each task, if the answer names one member of the request for each."""
    members = step.given.members
    if members is None:
        return None
    runs = {task: who for who, given in members.items() for task in given.active}
    listed = sum(len(given.active) for given in members.values())
    whole = runs.keys() == set(step.request.tasks) and listed == len(runs)
    return runs if whole and homes(step.request).keys() >= set(runs.values()) else None


def _even(who: Iterable[str], members: Iterable[str]) -> bool:
    counts = Counter(who)
    numbers = [counts[member] for member in members]
    return not numbers or max(numbers) - min(numbers) <= 1


def _is_balanced(step: TaskStep, _: BestMembers) -> bool:
    """Whether the active tasks of members are within one of each other, those with state and all."""
    runs = _runs(step)
    if runs is None:
        return False
    members = homes(step.request)
    return _even(runs.values(), members) and _even((runs[task] for task in step.request.stateful), members)


def _may_spend_more(_: TaskStep, least: BestMembers) -> bool:
    """Whether a balanced answer can cost more than the least, or have more tasks leave their member."""
    return least.most > least.best


@claim(
    "sticky-by-member",
    kinds=STREAMS,
    scope=Scope.OPTIMUM,
    applies=_is_balanced,
    breakable=_may_spend_more,
    minimum=20,
    source="KIP-441; KIP-1071",
    fix=(
        "prefer, among equally balanced members, those whose process has the task's "
        "state, then the one that runs it"
    ),
)
def sticky_by_member(step: TaskStep, least: BestMembers) -> Iterator[Evidence]:
    """Active tasks, even by member, cost the least in restores and changes of process, then in moves.

    A restore costs 3, a change of process 1; then the tasks that leave a member count. Judged where an
    answer names each member's tasks, and their counts, with state and in all, are within one of each other.
    """
    runs = _runs(step) or {}
    own = spent(step.request, runs)
    if own > least.best:
        was = before(step.request)
        moved = sorted(task for task, who in runs.items() if was[task].member not in (None, who))
        facts = {"cost": own.cost, "least cost": least.best.cost, "least moved": least.best.moved}
        yield Evidence(
            "the answer",
            {**facts, "moved": tuple(map(str, moved))},
            f"The answer costs {own.cost} and moves {counted(own.moved, 'task')}; "
            f"a cost of {least.best.cost} with {counted(least.best.moved, 'move')} is possible.",
        )
