"""Connect-incremental: work moves only to balance loads, stops before it moves, and waits for its worker.

Goals, in order: nothing runs twice; the work of a departed worker waits for it, up to the maximum delay;
connectors and tasks, each kind by itself, spread within one over the workers; other running work stays.
A round either revokes work or assigns what an earlier one revoked: revoked work is free from the next round
on. A round that would revoke right after another revoking round waits first, longer each time (`backoff`).
Ties: work in the order of Java's strings; workers by load, then id. The order in which hash maps iterate the
workers decides which overloaded worker keeps one more, and which worker becomes a candidate for lost work
first. A worker's first listed work is revoked first.
Source: Kafka `IncrementalCooperativeAssignor`, branches 4.0 to 4.4; KIP-415.
Cost: O((W + N) log(W + N)) for W workers and N connectors and tasks, and O(W) for each level of load.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from functools import lru_cache
from itertools import cycle
from typing import Final

from kassay.assignors.java_errors import IndexOutOfBoundsError
from kassay.assignors.registry import COOPERATIVE, reference
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    LeaderState,
    Work,
    WorkerChange,
    connectors_first,
    connectors_in,
    tasks_in,
    work_key,
)
from kassay.model.java import hash_map_order, utf16_key

# How long an incremental leader waits between rounds that revoke.
#
# Source: Kafka `ExponentialBackoff` as `IncrementalCooperativeAssignor` uses it: from 1 ms, forty times
# longer each time, without jitter. Its doubles and its truncation matter: with a maximum of 1,000 ms, the
# longest delay is 999 ms. Logarithms and powers are rounded to the nearest double here on every machine.
# For 17 of 700,000 maxima compared, the power of a JVM (17, x86-64) is one bit further off, and its longest
# delay differs from this one by 1 ms.

MULTIPLIER: Final = 40
_EXACTLY: Final = Context(prec=50)


@lru_cache(maxsize=4096)
def backoff_ms(times: int, max_delay_ms: int) -> int:
    """The delay in ms before the n-th successive revoking round; 0 where the maximum is 0.

    >>> [backoff_ms(times, 300_000) for times in (1, 2, 3, 4, 5)]
    [40, 1600, 64000, 300000, 300000]
    >>> backoff_ms(9, 1000)
    999
    """
    if max_delay_ms <= 1:
        return max_delay_ms
    exponent_max = _log(max_delay_ms) / _log(MULTIPLIER)
    exponent = min(float(times), exponent_max)
    power = float(_EXACTLY.power(Decimal(MULTIPLIER), Decimal(exponent)))
    return min(int(power), max_delay_ms)


def _log(number: int) -> float:
    return float(_EXACTLY.ln(Decimal(number)))


Loads = dict[str, list[Work]]
"""The work of each worker after a round, in the order in which the leader's map iterates the workers."""


@reference(
    "connect-incremental",
    kind=CONNECT,
    protocol=COOPERATIVE,
    claims=(
        "deleted-stops",
        "balanced-within-one",
        "sticky-minimal",
        "revoke-before-assign",
        "delayed-for-loss",
        "lost-returns",
        "backs-off",
        "converges",
        "stable",
        "deterministic",
    ),
    source="org.apache.kafka.connect.runtime.distributed.IncrementalCooperativeAssignor",
    since="4.0.0",
)
class ConnectIncremental:
    """Moves no more than balance needs, revokes before it assigns, and waits for workers that left."""

    name = "connect-incremental"

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """The changes for each worker; raises `IndexOutOfBoundsError` if there is no worker.

        The request's memory is None or a `LeaderState`; the answer's memory is a `LeaderState`.
        """
        state = request.memory if isinstance(request.memory, LeaderState) else LeaderState()
        active = frozenset(request.runners)
        before = _previous_assignment(state, request, active)
        deleted = before - request.configured
        lost = sorted(before - active - deleted, key=work_key)
        created = sorted(request.configured - before - active, key=work_key)
        stopped = deleted.union(each for each, workers in request.runners.items() if len(workers) > 1)
        running = {worker.worker_id: dict.fromkeys(worker.running) for worker in request.workers}
        revoked = {worker: [each for each in work if each in stopped] for worker, work in running.items()}
        loads = {worker: [each for each in work if each not in stopped] for worker, work in running.items()}
        state, lost_to_reassign = _handle_lost(state, lost, loads, request)
        state, surplus = _rebalance_load(state, loads, request)
        for worker, work in loads.items():
            revoked[worker] += [each for each in work if each in surplus]
            work[:] = [each for each in work if each not in surplus]
        to_assign = (*created, *lost_to_reassign)
        _deal(connectors_in(to_assign), loads, str)
        _deal(tasks_in(to_assign), loads, ConnectorTaskId)
        changes = {
            worker: WorkerChange(
                connectors_first(each for each in work if each not in running[worker]),
                connectors_first(revoked[worker]),
            )
            for worker, work in loads.items()
        }
        state = replace(
            state,
            previous_assignment=frozenset(lost).union(*loads.values()),
            previous_revocation=frozenset[Work]().union(*revoked.values()),
            previous_members=frozenset(loads),
            previous_generation=request.generation,
        )
        return ConnectAssignment(changes, state.delay_ms, state)


def _previous_assignment(
    state: LeaderState, request: ConnectRequest, active: frozenset[Work]
) -> frozenset[Work]:
    """The work that should be running; after a round that did not complete, none of it is known.

    Where a worker still runs what it was to stop, the running work counts instead.
    """
    if state.previous_revocation & active:
        return active
    if state.previous_generation != request.last_completed_generation:
        return frozenset()
    return state.previous_assignment


def _handle_lost(
    state: LeaderState, lost: Sequence[Work], loads: Loads, request: ConnectRequest
) -> tuple[LeaderState, Sequence[Work]]:
    """The state after lost work is handled, and the lost work that is now assigned like new work.

    Once the delay is over, lost work goes round robin to the candidates, whatever else they have.
    """
    if not lost and not state.revoked_in_previous:
        return _without_delay(state), ()
    scheduled, now = state.scheduled_rebalance_ms, request.now_ms
    if (scheduled <= 0 and state.previous_members <= loads.keys()) or request.max_delay_ms == 0:
        return state, lost
    if 0 < scheduled <= now:
        candidates = [loads[worker] for worker in state.candidate_workers if worker in loads]
        if candidates:
            _give_in_turn(connectors_in(lost), candidates)
            _give_in_turn(tasks_in(lost), candidates)
        return replace(_without_delay(state), revoked_in_previous=False), () if candidates else lost
    idle = hash_map_order(worker for worker, work in loads.items() if not work)
    delay = min(scheduled - now, request.max_delay_ms) if now < scheduled else request.max_delay_ms
    candidates_in_order = tuple(dict.fromkeys((*state.candidate_workers, *idle)))
    return (
        replace(
            state, candidate_workers=candidates_in_order, delay_ms=delay, scheduled_rebalance_ms=now + delay
        ),
        (),
    )


def _give_in_turn(work: Sequence[Work], candidates: Sequence[list[Work]]) -> None:
    """Assign the work in place to the candidates, round robin from the first."""
    for each, candidate in zip(work, cycle(candidates)):
        candidate.append(each)


def _without_delay(state: LeaderState) -> LeaderState:
    return replace(state, candidate_workers=(), scheduled_rebalance_ms=0, delay_ms=0)


def _rebalance_load(
    state: LeaderState, loads: Loads, request: ConnectRequest
) -> tuple[LeaderState, frozenset[Work]]:
    """The state after loads are compared, and the work to revoke now.

    While a delay runs, nothing is revoked. Work just assigned to a candidate may be revoked at once.
    """
    if state.delay_ms != 0:
        return replace(state, revoked_in_previous=False), frozenset()
    surplus = frozenset(_surplus(loads, request))
    if not surplus:
        if state.revoked_in_previous:
            state = replace(state, revoked_in_previous=False, successive_revoking_rebalances=0)
        return state, surplus
    if state.revoked_in_previous:
        times = state.successive_revoking_rebalances + 1
        delay = backoff_ms(times, request.max_delay_ms)
        state = replace(state, successive_revoking_rebalances=times, delay_ms=delay)
        if delay:
            return replace(state, scheduled_rebalance_ms=request.now_ms + delay), frozenset()
    return replace(state, revoked_in_previous=True), surplus


def _surplus(loads: Loads, request: ConnectRequest) -> Iterator[Work]:
    """The work to revoke so that no worker has more than its share."""
    if not request.configured or not any(loads.values()):
        return
    for kind in (connectors_in, tasks_in):
        share, extras = divmod(len(kind(request.configured)), len(loads))
        work = {worker: kind(running) for worker, running in loads.items()}
        counts = Counter(map(len, work.values()))
        if counts[share + 1] == extras and counts[share] == len(loads) - extras:
            continue
        for running in work.values():
            if len(running) > share:
                allowed = share + (extras > 0)
                extras -= extras > 0
                yield from running[: max(0, len(running) - allowed)]


def _deal(work: Sequence[Work], loads: Loads, kind: type) -> None:
    """Assign work of one kind in place, level by level from the least loaded worker up."""
    if not loads:
        raise IndexOutOfBoundsError("Index 0 out of bounds for length 0")
    sizes = {worker: sum(isinstance(each, kind) for each in running) for worker, running in loads.items()}
    order = sorted(loads, key=lambda worker: (sizes[worker], utf16_key(worker)))
    given = 0
    while given < len(work):
        least = sizes[order[0]]
        level = (i for i, worker in enumerate(order) if sizes[worker] > least)
        for worker, each in zip(order[: next(level, len(order))], work[given:]):
            loads[worker].append(each)
            sizes[worker] += 1
            given += 1
