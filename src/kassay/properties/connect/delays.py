"""Claims about time: when a leader may wait, for how long, and what must not happen meanwhile.

Sources: KIP-415, its scheduled rebalance delay; KAFKA-12495, the back-off between revoking rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.connect.history import ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import work_key
from kassay.properties.connect.balance import least_taken_back
from kassay.properties.registry import Evidence, always, claim
from kassay.writing.text import series


@claim(
    "delayed-for-loss",
    kinds=CONNECT,
    breakable=always,
    source="KIP-415; KAFKA-9848",
    fix=(
        "announce a delay only while work of a departed worker waits, and no longer than it still has to wait"
    ),
)
def delayed_for_loss(step: ConnectStep) -> Iterator[Evidence]:
    """A delay is announced only for work that a departed worker ran, or before work is revoked again.

    The second needs a worker with more than its share. No delay is longer than the maximum, nor than the time
    that lost, unassigned work still has to wait. `lost-returns` judges work that has waited long enough.
    """
    delay, longest = step.given.delay_ms, step.request.max_delay_ms
    if delay > longest or delay < 0:
        words = f"The delay is {delay} ms; 0 to {longest} ms are allowed."
        yield Evidence("the delay", {"ms": delay, "maximum": longest}, words)
    elif delay > (left := _left_to_wait(step)) > 0:
        words = f"The delay is {delay} ms, but lost work has only {left} ms left to wait."
        yield Evidence("the delay", {"ms": delay, "left for what is lost": left}, words)
    elif delay > 0 and not step.lost_since and not least_taken_back(step.request):
        words = f"The delay is {delay} ms, although no work is lost and none must be revoked."
        yield Evidence("the delay", {"ms": delay, "lost": 0}, words)


def _left_to_wait(step: ConnectStep) -> int:
    """How many ms the oldest of the lost, unassigned work still has to wait; 0 if there is none."""
    given = {work for change in step.given.workers.values() for work in change.assigned}
    waiting = [since for work, since in step.lost_since if work not in given]
    return max(0, min(waiting) + step.request.max_delay_ms - step.request.now_ms) if waiting else 0


def _has_overdue(step: ConnectStep) -> bool:
    return bool(_overdue(step))


def _overdue(step: ConnectStep) -> dict[str, int]:
    """The lost work that has waited longer than the maximum, with the ms that it has waited."""
    now, longest = step.request.now_ms, step.request.max_delay_ms
    lost = sorted(step.lost_since, key=lambda entry: work_key(entry[0]))
    return {str(work): now - since for work, since in lost if now - since >= longest}


@claim(
    "lost-returns",
    kinds=CONNECT,
    breakable=_has_overdue,
    applies=_has_overdue,
    minimum=20,
    source="KIP-415",
    fix=("assign lost work as soon as the maximum delay is over, even if workers joined meanwhile"),
)
def lost_returns(step: ConnectStep) -> Iterator[Evidence]:
    """The work of a departed worker is assigned once it has waited for the maximum delay.

    Where the answer makes a worker stop something, the round that follows at once may still do it.
    """
    given = {str(work) for change in step.given.workers.values() for work in change.assigned}
    revokes = any(change.revoked for change in step.given.workers.values())
    for work, waited in _overdue(step).items():
        if work not in given and (waited > step.request.max_delay_ms or not revokes):
            longest = step.request.max_delay_ms
            words = f"{work} has waited for a worker for {waited} ms; the maximum delay is {longest} ms."
            yield Evidence(work, {"lost for ms": waited, "maximum": longest}, words)


def _may_revoke(step: ConnectStep) -> bool:
    """Whether the leader must not revoke anything now, and only one worker runs something."""
    request = step.request
    waits = request.now_ms < step.waits_until_ms or (step.took_back and request.max_delay_ms > 0)
    runs = any(w in request.configured and len(workers) == 1 for w, workers in request.runners.items())
    return waits and runs


@claim(
    "backs-off",
    kinds=CONNECT,
    applies=_may_revoke,
    breakable=_may_revoke,
    source="KAFKA-12495",
    fix=("revoke nothing for balance while a delay runs, nor in the round after one that revoked something"),
)
def backs_off(step: ConnectStep) -> Iterator[Evidence]:
    """No work is revoked for balance while a delay runs, nor right after a round that revoked some."""
    left = step.waits_until_ms - step.request.now_ms
    for worker, work in sorted(step.taken_back.items()):
        why = {"delay left in ms": left} if left > 0 else {"the round before": "revoked work"}
        when = f"while a delay of {left} ms is left" if left > 0 else "right after a round that revoked work"
        words = f"{worker} must stop {series(work)} {when}."
        yield Evidence(worker, {"revoked": tuple(map(str, work)), **why}, words)
