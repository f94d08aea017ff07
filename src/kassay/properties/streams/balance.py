"""Claims about the number of tasks of each process, and the moves needed: the exact best.

Any process may run any active task, so the best is known without a search. The k-th task of a process with c
threads weighs k/c, and an answer is best when the sum of these weights is least: with equally many threads
everywhere that is the least sum of squares, the same as the lexicographically least load vector. Each
process's weights grow, so an answer is best exactly when no single task would weigh less on another process,
and all best answers share one heaviest weight: below it every process is full, at it the rest can be assigned
freely (greedy allocation of separable convex costs; Fox, 1966).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from kassay.model.streams.history import TaskRun, TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskRequest
from kassay.properties.registry import Evidence, Scope, claim
from kassay.properties.streams.tasks import active_loads, pairs
from kassay.writing.text import counted, only, series


def _lighter_elsewhere(step: TaskStep) -> Iterator[tuple[str, str]]:
    """Processes (over, under) between which a task could go and weigh less."""
    loads, threads = active_loads(step), {c.process_id: c.capacity for c in step.request.clients}

    def is_lighter(over: tuple[int, int], under: tuple[int, int]) -> bool:
        return over[0] * under[1] > (under[0] + 1) * over[1]

    return pairs({who: (load, threads[who]) for who, load in loads.items()}, is_lighter)


def _may_weigh_less(step: TaskStep) -> bool:
    """Whether a task could weigh less elsewhere if one process ran all of them."""
    threads = sorted(client.capacity for client in step.request.clients)
    return len(threads) > 1 and len(step.request.tasks) * threads[-1] > threads[0]


@claim(
    "balanced-optimal",
    kinds=STREAMS,
    scope=Scope.OUTCOME,
    breakable=_may_weigh_less,
    source="Harvey et al. 2006, semi-matchings; KIP-441",
    fix=("assign the next active task to the process with the fewest tasks for each of its threads"),
)
def balanced_optimal(step: TaskStep) -> Iterator[Evidence]:
    """When stable, no active task would weigh less on another process, the k-th of c threads weighing k/c.

    Stronger than `balanced-within-one` where processes have different numbers of threads.
    """
    loads = active_loads(step)
    threads = {c.process_id: counted(c.capacity, "thread") for c in step.request.clients}
    for over, under in _lighter_elsewhere(step):
        yield Evidence(
            over,
            {"active": loads[over], "other": under, "other active": loads[under], "loads": loads},
            f"{over} has {counted(loads[over], 'active task')} on {threads[over]}, but "
            f"{under} has {loads[under] or 'none'} on {threads[under]} and could take one.",
        )


def least_moved(request: TaskRequest) -> int:
    """The fewest active tasks that must leave a remaining process in any balanced answer.

    `request` has the previous processes of tasks, and the threads. Raises `LookupError` without a process.
    """
    return _movable(request).start


def _movable(request: TaskRequest) -> range:
    """The numbers of tasks that balanced answers move, from the least to the most.

    At most one process can be unable to give away all it had: there must be enough of the others' tasks and
    of those without a previous process. Raises `LookupError` without a process.
    """
    if not request.clients:
        raise LookupError("expected a process or more")
    tasks = len(request.tasks)
    full, last, left = _shares({c.process_id: c.capacity for c in request.clients}, tasks)
    before = Counter(owner for owner in request.previous_owners.values() if owner in full)
    kept = sum(min(before[process], share) for process, share in full.items())
    wanting = sum(before[process] > full[process] for process in last)
    all_get_one_more = left == len(last)
    must_keep = max(
        before[process] + share + (all_get_one_more and process in last) - tasks
        for process, share in full.items()
    )
    total = before.total()
    return range(total - kept - min(left, wanting), total - max(0, must_keep) + 1)


def _shares(threads: Mapping[str, int], tasks: int) -> tuple[dict[str, int], set[str], int]:
    """Each process's tasks in every best answer, the processes that may have one more, and how many do."""

    def below(weight: Fraction) -> dict[str, int]:
        """How many tasks of each process weigh less than this."""
        return {
            process: -(-(weight * c).numerator // (weight * c).denominator) - 1
            for process, c in threads.items()
        }

    weights = sorted({Fraction(k, c) for c in set(threads.values()) for k in range(1, tasks + 1)})
    low, high = 0, len(weights)
    while high - low > 1:
        middle = (low + high) // 2
        if sum(below(weights[middle]).values()) <= tasks:
            low = middle
        else:
            high = middle
    if not weights:
        return dict.fromkeys(threads, 0), set(), 0
    full = below(weights[low])
    last = {process for process, c in threads.items() if (weights[low] * c).denominator == 1}
    return full, last, tasks - sum(full.values())


def _judgeable(run: TaskRun) -> bool:
    """Whether the last change ended in a best balance: otherwise the claim is vacuous."""
    return run.answered and run.at_rest and next(_lighter_elsewhere(run.steps[-1]), None) is None


def _may_move_more(run: TaskRun) -> bool:
    """Whether a balanced answer to the last change could move more tasks than needed."""
    return len(_movable(run.steps[run.played - 1].request)) > 1


@claim(
    "sticky-minimal",
    kinds=STREAMS,
    scope=Scope.REBALANCE,
    applies=_judgeable,
    breakable=_may_move_more,
    minimum=20,
    source="KIP-441; KIP-54: second goal of the sticky rule",
    fix="leave active tasks where they run, and move only those beyond a process's share",
)
def sticky_minimal(run: TaskRun) -> Iterator[Evidence]:
    """From the last change to the stable state after it, the fewest active tasks leave a remaining process.

    Judged where the balance is optimal in the end. Where copies must catch up first, the way there counts
    as one move: the process of a task before the change is compared with its process in the end.
    """
    before, owners = run.steps[run.played - 1].request, run.steps[-1].given.owners
    moved = sorted(
        task
        for task, owner in before.previous_owners.items()
        if owner in before.by_id and owners.get(task) != owner
    )
    needed = least_moved(before)
    if len(moved) > needed:
        subject = counted(len(moved), "task")
        yield Evidence(
            subject,
            {"moved": tuple(map(str, moved)), "needed to move": needed},
            f"{subject} moved ({series(moved)}), but {only(needed, 'had')} to.",
        )
