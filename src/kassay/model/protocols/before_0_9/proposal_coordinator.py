"""The coordinator of the proposal: its answers and its own steps, checked against `COORDINATOR`."""

from __future__ import annotations

from kassay.model.protocols.before_0_9.proposal_state import ProposalCoordinator, StoredProposal
from kassay.model.protocols.before_0_9.proposal_table import COORDINATOR, Phase, PhaseEvent, ProposalEvent
from kassay.model.protocols.before_0_9.shares import Share
from kassay.model.protocols.shared.table import check_move, look_up


def moved(before: ProposalCoordinator, event: PhaseEvent, after: ProposalCoordinator) -> ProposalCoordinator:
    """Returns `after` if the table allows `event` to lead there; raises `IllegalTransition` otherwise."""
    check_move(COORDINATOR, before.status, event, after.status)
    return after


def hear_heartbeat(
    coordinator: ProposalCoordinator, c: int, generation: int
) -> tuple[ProposalCoordinator, ProposalEvent]:
    """The coordinator after a consumer's heartbeat, and its reply."""
    current = c in coordinator.members and generation == coordinator.generation
    event = PhaseEvent.HEARTBEAT if current else PhaseEvent.BEHIND
    look_up(COORDINATOR, coordinator.status, event)
    if coordinator.status in (Phase.DOWN, Phase.CATCH_UP):
        return coordinator, _away(coordinator)
    if coordinator.status is Phase.PREPARE or not current:
        after = coordinator
        if coordinator.status is Phase.READY and c in coordinator.members:
            after = prepare(coordinator)
        return moved(coordinator, event, after), ProposalEvent.ILLEGAL_GENERATION
    if coordinator.status is Phase.REBALANCING and c not in coordinator.back:
        after = coordinator._replace(back=tuple(sorted((*coordinator.back, c))))
        moved(coordinator, event, after)
        if set(after.back) >= set(after.members):
            after = moved(after, PhaseEvent.ALL_BACK, after._replace(status=Phase.READY, back=()))
        return after, ProposalEvent.HEARTBEAT_OK
    return coordinator, ProposalEvent.HEARTBEAT_OK


def hear_join(coordinator: ProposalCoordinator, c: int) -> tuple[ProposalCoordinator, ProposalEvent | None]:
    """The coordinator after a consumer's JoinGroup, and the refusal, or None if the request is parked."""
    look_up(COORDINATOR, coordinator.status, PhaseEvent.JOIN)
    if coordinator.status in (Phase.DOWN, Phase.CATCH_UP):
        return coordinator, _away(coordinator)
    after = prepare(coordinator)
    after = after._replace(
        members=tuple(sorted({*after.members, c})), parked=tuple(sorted({*after.parked, c}))
    )
    if c not in coordinator.members:
        after = after._replace(assignment=_owners(after.members, coordinator))
    return moved(coordinator, PhaseEvent.JOIN, after), None


def _away(coordinator: ProposalCoordinator) -> ProposalEvent:
    return ProposalEvent.NOT_COORDINATOR if coordinator.status is Phase.DOWN else ProposalEvent.NOT_READY


def prepare(coordinator: ProposalCoordinator) -> ProposalCoordinator:
    """Begin a rebalance, unless one is already being prepared.

    The next round answers replies that were not sent yet; their joins stay parked.
    """
    if coordinator.status is Phase.PREPARE:
        return coordinator
    return coordinator._replace(status=Phase.PREPARE, parked=coordinator.unsent, unsent=(), back=())


def grow(coordinator: ProposalCoordinator, partitions: int) -> ProposalCoordinator:
    """The coordinator after it noticed new partitions; a group without members prepares nothing."""
    after = prepare(coordinator) if coordinator.members else coordinator
    return moved(coordinator, PhaseEvent.TRIGGER, after._replace(partitions=partitions))


def expire(coordinator: ProposalCoordinator, c: int) -> ProposalCoordinator:
    """The coordinator after a member's session expired; without members it becomes idle."""
    members = tuple(m for m in coordinator.members if m != c)
    if not members:
        after = ProposalCoordinator(Phase.READY, coordinator.generation, partitions=coordinator.partitions)
    else:
        after = prepare(coordinator)
        after = after._replace(
            members=members,
            assignment=_owners(members, coordinator),
            parked=tuple(p for p in after.parked if p != c),
        )
    return moved(coordinator, PhaseEvent.TRIGGER, after)


def load(coordinator: ProposalCoordinator, stored: StoredProposal, partitions: int) -> ProposalCoordinator:
    """The coordinator after reading the group; it rebalances if the partitions differ from the record."""
    after = ProposalCoordinator(
        Phase.READY, stored.generation, stored.members, stored.assignment, stored.partitions
    )
    if stored.members and stored.partitions != partitions:
        after = prepare(after)._replace(partitions=partitions)
    return moved(coordinator, PhaseEvent.LOADED, after)


def assign(coordinator: ProposalCoordinator, share: Share) -> StoredProposal:
    """The data to write at the end of the join phase: the next generation and the joined members' shares."""
    members = coordinator.parked
    assignment = tuple(share(coordinator.partitions, len(members), index) for index in range(len(members)))
    return StoredProposal(coordinator.generation + 1, members, assignment, coordinator.partitions)


def rebalanced(coordinator: ProposalCoordinator, stored: StoredProposal) -> ProposalCoordinator:
    """The coordinator after the new generation is written: all joined members are to be answered."""
    after = ProposalCoordinator(
        Phase.REBALANCING,
        stored.generation,
        stored.members,
        stored.assignment,
        coordinator.partitions,
        unsent=coordinator.parked,
    )
    return moved(coordinator, PhaseEvent.ALL_JOINED, after)


def elected(coordinator: ProposalCoordinator) -> ProposalCoordinator:
    """The next coordinator, before it reads anything."""
    return moved(coordinator, PhaseEvent.ELECTED, ProposalCoordinator(Phase.CATCH_UP))


def failed(coordinator: ProposalCoordinator) -> ProposalCoordinator:
    """The rest of a coordinator that lost its leadership."""
    return moved(coordinator, PhaseEvent.LOST, ProposalCoordinator(Phase.DOWN))


def _owners(members: tuple[int, ...], before: ProposalCoordinator) -> tuple[tuple[int, ...], ...]:
    """The old assignment for a new list of members."""
    old = dict(zip(before.members, before.assignment))
    return tuple(old.get(m, ()) for m in members)
