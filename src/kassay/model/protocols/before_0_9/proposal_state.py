"""The state of the proposal's consumers, coordinator and ZooKeeper, as frozen values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from kassay.model.explore.graph import Action
from kassay.model.protocols.before_0_9.proposal_table import Phase, ProposalState
from kassay.model.protocols.shared.faults import Faults


class ProposalConsumer(NamedTuple):
    """One consumer. `waits`: its JoinGroup is parked. `stopped`: it stopped before rediscovery."""

    status: ProposalState = ProposalState.DOWN
    generation: int = -1
    owned: tuple[int, ...] = ()
    waits: bool = False
    stopped: bool = False
    paused: bool = False
    finds: bool = True


class StoredProposal(NamedTuple):
    """ZooKeeper's data of the group; written in one piece."""

    generation: int = 0
    members: tuple[int, ...] = ()
    assignment: tuple[tuple[int, ...], ...] = ()
    partitions: int = 0


class ProposalCoordinator(NamedTuple):
    """The current coordinator: `parked` joins, `unsent` replies, and `back`, the members heard from.

    `half`: the assignment is written and the generation is not (switch `split_persist`).
    """

    status: Phase = Phase.READY
    generation: int = 0
    members: tuple[int, ...] = ()
    assignment: tuple[tuple[int, ...], ...] = ()
    partitions: int = 0
    parked: tuple[int, ...] = ()
    unsent: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    half: bool = False


class ProposalWorld(NamedTuple):
    """Consumers, coordinator, ZooKeeper, the true number of partitions, and the fault budget."""

    consumers: tuple[ProposalConsumer, ...]
    coordinator: ProposalCoordinator
    stored: StoredProposal
    partitions: int
    budget: Faults


Steps: TypeAlias = Iterator[tuple[Action, ProposalWorld]]
"""Every enabled action with the world it leads to."""


def put(state: ProposalWorld, c: int, consumer: ProposalConsumer) -> ProposalWorld:
    """The world with one consumer replaced."""
    consumers = state.consumers
    return state._replace(consumers=(*consumers[:c], consumer, *consumers[c + 1 :]))
