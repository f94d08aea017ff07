"""Claims about a stable cluster: the balance of its loads, its cost, and that it stays so.

Any worker may run anything, so that the least revocation is known without a search: with N connectors (or
tasks) on W workers and q, r = divmod(N, W), each worker may keep q, and r of those that have more may keep
one more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set

from kassay.model.calls import Failure
from kassay.model.connect.history import ConnectRun, ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.player import SETTLING_ROUNDS_MAX
from kassay.model.connect.work import ConnectRequest, Work, connectors_in, tasks_in
from kassay.properties.answers import shown_lists
from kassay.properties.connect.work import running_after
from kassay.properties.registry import Evidence, NumberRange, Scope, always, claim, number
from kassay.writing.text import counted, only, series

_KINDS = {"connectors": connectors_in, "tasks": tasks_in}


def _may_lack_balance(step: ConnectStep) -> bool:
    """Whether one worker could have two more than another when stable, with nothing to stop."""
    request = step.request
    for kind in _KINDS.values():
        running = [kind(w for w in worker.running if w in request.configured) for worker in request.workers]
        free = len(kind(request.configured)) - len(set().union(*running))
        loads = [len(own) for own in running]
        if len(loads) > 1 and max(loads) + free > min(loads) + 1:
            return True
    return False


@claim(
    "balanced-within-one",
    kinds=CONNECT,
    scope=Scope.OUTCOME,
    breakable=_may_lack_balance,
    source="KIP-415; KAFKA-10413",
    fix=("assign connectors and tasks separately, always to the worker with the fewest of that kind"),
)
def balanced_within_one(step: ConnectStep) -> Iterator[Evidence]:
    """When stable, workers differ by at most one connector, and by at most one task."""
    configured = step.request.configured
    running = {w: [each for each in work if each in configured] for w, work in running_after(step).items()}
    for name, kind in _KINDS.items():
        loads = {worker: len(kind(work)) for worker, work in sorted(running.items())}
        most, least = max(loads, key=lambda w: loads[w]), min(loads, key=lambda w: loads[w])
        if loads[most] > loads[least] + 1:
            yield Evidence(
                most,
                {name: loads[most], "other": least, f"other {name}": loads[least]},
                f"{most} runs {loads[most]} {name}, but {least} runs {only(loads[least])}.",
            )


def least_taken_back(request: ConnectRequest) -> int:
    """How much running work balance must revoke; exact, see above."""
    return least_moved([worker.running for worker in request.workers], request.configured)


def least_moved(running: Collection[Iterable[Work]], configured: Set[Work]) -> int:
    """The same for the work that each worker runs; at least one worker."""
    total = 0
    for kind in _KINDS.values():
        share, extras = divmod(len(kind(configured)), len(running))
        loads = [len(kind([work for work in own if work in configured])) for own in running]
        above = [load - share for load in loads if load > share]
        total += sum(above) - min(extras, len(above))
    return total


def after_last_change(run: ConnectRun) -> tuple[ConnectStep, ...]:
    """The rebalance after the last change, and those that followed by themselves."""
    return run.steps[run.played - 1 :]


def _is_plain(run: ConnectRun) -> bool:
    """Whether the last change became stable and balanced without lost answers or work, or conflicts."""
    after = after_last_change(run)
    first, last = after[0], after[-1]
    return (
        last.at_rest
        and all(step.reached_all and not step.contradictory for step in after)
        and not first.lost_since
        and next(balanced_within_one(last), None) is None
    )


def _may_take_more(run: ConnectRun) -> bool:
    """Whether something could be revoked needlessly, and assigned again later."""
    request = after_last_change(run)[0].request
    return sum(work in request.configured for work in request.runners) > least_taken_back(request)


@claim(
    "sticky-minimal",
    kinds=CONNECT,
    scope=Scope.REBALANCE,
    applies=_is_plain,
    breakable=_may_take_more,
    minimum=20,
    source="KIP-415",
    fix="revoke from a worker only what exceeds its share",
)
def sticky_minimal(run: ConnectRun) -> Iterator[Evidence]:
    """From the last change to a balanced, stable state, no more work is revoked than balance needs."""
    after = after_last_change(run)
    taken = [str(work) for step in after for own in step.taken_back.values() for work in own]
    needed = least_taken_back(after[0].request)
    if len(taken) > needed:
        words = (
            f"The cluster made {counted(len(taken), 'revocation')} ({series(taken)}), "
            f"but {only(needed, 'was')} needed."
        )
        yield Evidence("the cluster", {"revoked": tuple(taken), "needed": needed}, words)


def _is_answered(run: ConnectRun, *_: str) -> bool:
    return not any(isinstance(step.answer, Failure) for step in run.steps)


@claim(
    "converges",
    kinds=CONNECT,
    scope=Scope.REBALANCE,
    applies=_is_answered,
    breakable=always,
    parameter=number(NumberRange(1, SETTLING_ROUNDS_MAX, whole=True), example="4"),
    source="KIP-415",
    fix=(
        "return the same answer once every worker runs what it was assigned, without a delay or "
        "something to stop"
    ),
)
def converges(run: ConnectRun, rounds: str) -> Iterator[Evidence]:
    """After the last change the cluster becomes stable.

    `converges:k`: within at most k rounds that workers ask for, delays waited for.
    """
    if not run.steps[-1].at_rest:
        words = f"The cluster is not stable after {counted(run.settling, 'round')}."
        yield Evidence("the cluster", {"not stable after rounds": run.settling}, words)
    elif rounds and run.settling > int(rounds):
        taken = counted(run.settling, "round")
        words = f"The cluster became stable after {taken}; at most {rounds} are allowed."
        yield Evidence("the cluster", {"rounds": run.settling, "allowed": rounds}, words)


def _is_repeated(run: ConnectRun) -> bool:
    return run.left_alone is not None and not isinstance(run.left_alone.answer, Failure)


@claim(
    "stable",
    kinds=CONNECT,
    scope=Scope.REBALANCE,
    applies=_is_repeated,
    breakable=always,
    minimum=20,
    source="KIP-415",
    fix=("start from what the workers run, and change nothing where that is complete and balanced"),
)
def stable(run: ConnectRun) -> Iterator[Evidence]:
    """A rebalance without a reason leaves a stable cluster as it is."""
    again = run.left_alone
    assert again is not None
    before, now = running_after(run.steps[-1]), running_after(again)
    for worker in sorted(before):
        if set(before[worker]) != set(now[worker]):
            ran, runs = _names(before[worker]), _names(now[worker])
            had, has = shown_lists(ran, runs)
            words = f"{worker} ran {had} and runs {has} after a rebalance without a reason."
            yield Evidence(worker, {"ran": ran, "runs": runs}, words)
    if again.given.delay_ms > 0:
        words = f"The delay is {again.given.delay_ms} ms after a rebalance without a reason."
        yield Evidence("the delay", {"ms": again.given.delay_ms}, words)


def _names(work: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(map(str, work))
