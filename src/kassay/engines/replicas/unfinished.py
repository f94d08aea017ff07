"""Changes of replicas that Kafka accepts and that cannot finish, or that lose what producers rely on.

A reassignment adds replicas, waits until every replica of the target is in sync, then removes the others:
without a leader nothing is copied. Only another order of the same brokers is done at once. A step that names
a broker that does not answer is refused as a whole ("Unknown broker id").

Source: Kafka `ReassignPartitionsCommand.verifyBrokerIds`, KIP-455, KIP-966,
`PartitionReassignmentReplicas.maybeCompleteReassignment`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from kassay.engines.replicas.cluster import PlacedCluster, listed
from kassay.engines.replicas.states import PartitionState
from kassay.model.cluster import TopicPartition
from kassay.model.placement.request import Replicas


class Unfinished(NamedTuple):
    """A partition whose change cannot finish, with the reasons; `accepted` if the user insists."""

    partition: TopicPartition
    before: Replicas
    after: Replicas
    reasons: tuple[str, ...]
    accepted: bool = False


class Change(NamedTuple):
    """The replicas of a partition before and after one step."""

    before: Replicas
    after: Replicas

    @property
    def adding(self) -> frozenset[int]:
        """The replicas that are copied."""
        return frozenset(self.after) - frozenset(self.before)

    @property
    def removing(self) -> frozenset[int]:
        """The replicas that are deleted."""
        return frozenset(self.before) - frozenset(self.after)


def hindrances(change: Change, state: PartitionState | None, silent: Set[int]) -> Iterator[str]:
    """Why the change of one partition does not finish, or what it loses; nothing if it is safe.

    Without a state, only brokers that do not answer are known to hinder.
    """
    absent = silent & frozenset(change.after)
    if absent:
        yield f"{listed(absent)} would hold a replica: no answer from there, so Kafka refuses or waits"
    if state is not None and (change.adding or change.removing):
        yield from _without_leader(change, state, silent)
        yield from _below_min(change, state)


def _without_leader(change: Change, state: PartitionState, silent: Set[int]) -> Iterator[str]:
    alive = state.isr - silent
    if state.leader is None:
        yield f"it has no leader, so nothing can be copied{_cure(state)}"
    elif state.leader in silent and not alive:
        yield f"its leader, {listed([state.leader])}, does not answer, and no other replica is in sync"
    last = state.isr or frozenset(state.elr or ())
    if state.loses_last(change.removing):
        yield f"its last in-sync replica leaves: {listed(last)} ({listed(state.lagging)} behind)"
    elif last and last <= change.removing and (state.leader is None or not change.adding or not alive):
        yield f"its last in-sync replica leaves: {listed(last)}"


def _below_min(change: Change, state: PartitionState) -> Iterator[str]:
    """Whether fewer replicas than min.insync.replicas remain in sync, and fewer than now."""
    after = (state.isr | change.adding) - change.removing
    if state.min_isr is not None and len(after) < min(state.min_isr, len(state.isr)):
        yield f"{len(after)} of min.insync.replicas {state.min_isr} stay in sync: acks=all would fail"
    elif state.min_isr is not None and len(change.after) < min(state.min_isr, len(change.before)):
        yield f"RF {len(change.after)} is below min.insync.replicas {state.min_isr}: acks=all would fail"


def _cure(state: PartitionState) -> str:
    """Which broker brings a leader back."""
    able = state.elr or tuple(sorted(state.isr))
    if able:
        return f"; {listed(able)} can lead when started again"
    if state.last_known_elr:
        return f"; {listed(state.last_known_elr)} led last"
    return ""


def unfinished(
    cluster: PlacedCluster,
    steps: Iterable[tuple[Mapping[TopicPartition, Replicas], Mapping[TopicPartition, Replicas]]],
) -> dict[TopicPartition, tuple[str, ...]]:
    """The reasons for each partition with a step (rows before, after) that cannot finish or loses data."""
    states = dict(cluster.states)
    hindered: dict[TopicPartition, tuple[str, ...]] = {}
    for before, after in steps:
        for tp, row in after.items():
            change, state = Change(before[tp], row), states.get(tp)
            reasons = tuple(hindrances(change, state, cluster.silent))
            if reasons:
                hindered.setdefault(tp, reasons)
            if state is not None:
                states[tp] = _then(change, state)
    return hindered


def _then(change: Change, state: PartitionState) -> PartitionState:
    """The state after a step that finished: what was copied is in sync."""
    isr = (state.isr | change.adding) - change.removing
    leader = state.leader if state.leader in isr else next((b for b in change.after if b in isr), None)
    return state._replace(isr=isr, leader=None if state.leader is None else leader)
