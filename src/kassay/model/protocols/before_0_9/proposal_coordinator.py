"""The coordinator of the draft: its answers and its own steps, held to the table `COORDINATOR`."""

from __future__ import annotations

from kassay.model.protocols.before_0_9.proposal_state import Coordinator, Stored
from kassay.model.protocols.before_0_9.proposal_table import COORDINATOR, CEvent, K, KEvent
from kassay.model.protocols.before_0_9.shares import Share
from kassay.model.protocols.shared.table import check_move, look_up


def moved(before: Coordinator, event: KEvent, after: Coordinator) -> Coordinator:
    """`after`, once the table has let `event` lead there; raises `IllegalTransition` if it does not."""
    check_move(COORDINATOR, before.status, event, after.status)
    return after


def hear_heartbeat(coordinator: Coordinator, c: int, generation: int) -> tuple[Coordinator, CEvent]:
    """The coordinator after a consumer's heartbeat, and what the consumer is told."""
    current = c in coordinator.members and generation == coordinator.generation
    event = KEvent.HEARTBEAT if current else KEvent.BEHIND
    look_up(COORDINATOR, coordinator.status, event)
    if coordinator.status in (K.DOWN, K.CATCH_UP):
        return coordinator, _away(coordinator)
    if coordinator.status is K.PREPARE or not current:
        after = coordinator
        if coordinator.status is K.READY and c in coordinator.members:
            after = prepare(coordinator)
        return moved(coordinator, event, after), CEvent.ILLEGAL_GENERATION
    if coordinator.status is K.REBALANCING and c not in coordinator.back:
        after = coordinator._replace(back=tuple(sorted((*coordinator.back, c))))
        moved(coordinator, event, after)
        if set(after.back) >= set(after.members):
            after = moved(after, KEvent.ALL_BACK, after._replace(status=K.READY, back=()))
        return after, CEvent.HEARTBEAT_OK
    return coordinator, CEvent.HEARTBEAT_OK


def hear_join(coordinator: Coordinator, c: int) -> tuple[Coordinator, CEvent | None]:
    """The coordinator after a consumer's JoinGroup, and the refusal; None where it is parked."""
    look_up(COORDINATOR, coordinator.status, KEvent.JOIN)
    if coordinator.status in (K.DOWN, K.CATCH_UP):
        return coordinator, _away(coordinator)
    after = prepare(coordinator)
    after = after._replace(
        members=tuple(sorted({*after.members, c})), parked=tuple(sorted({*after.parked, c}))
    )
    if c not in coordinator.members:
        after = after._replace(assignment=_owners(after.members, coordinator))
    return moved(coordinator, KEvent.JOIN, after), None


def _away(coordinator: Coordinator) -> CEvent:
    return CEvent.NOT_COORDINATOR if coordinator.status is K.DOWN else CEvent.NOT_READY


def prepare(coordinator: Coordinator) -> Coordinator:
    """A rebalance begins, unless one is being prepared already.

    Replies not yet sent are answered by the next round, their joins staying parked.
    """
    if coordinator.status is K.PREPARE:
        return coordinator
    return coordinator._replace(status=K.PREPARE, parked=coordinator.unsent, unsent=(), back=())


def grow(coordinator: Coordinator, partitions: int) -> Coordinator:
    """The coordinator once it has noticed new partitions; a group without members has nothing to prepare."""
    after = prepare(coordinator) if coordinator.members else coordinator
    return moved(coordinator, KEvent.TRIGGER, after._replace(partitions=partitions))


def expire(coordinator: Coordinator, c: int) -> Coordinator:
    """The coordinator once a member's session has expired; without members it rests."""
    members = tuple(m for m in coordinator.members if m != c)
    if not members:
        after = Coordinator(K.READY, coordinator.generation, partitions=coordinator.partitions)
    else:
        after = prepare(coordinator)
        after = after._replace(
            members=members,
            assignment=_owners(members, coordinator),
            parked=tuple(p for p in after.parked if p != c),
        )
    return moved(coordinator, KEvent.TRIGGER, after)


def load(coordinator: Coordinator, stored: Stored, partitions: int) -> Coordinator:
    """The coordinator once it has read the group: it rebalances if the partitions are not those on record."""
    after = Coordinator(K.READY, stored.generation, stored.members, stored.assignment, stored.partitions)
    if stored.members and stored.partitions != partitions:
        after = prepare(after)._replace(partitions=partitions)
    return moved(coordinator, KEvent.LOADED, after)


def assign(coordinator: Coordinator, share: Share) -> Stored:
    """What is to be written when the join phase ends: the next generation, and the joined members' shares."""
    members = coordinator.parked
    assignment = tuple(share(coordinator.partitions, len(members), index) for index in range(len(members)))
    return Stored(coordinator.generation + 1, members, assignment, coordinator.partitions)


def rebalanced(coordinator: Coordinator, stored: Stored) -> Coordinator:
    """The coordinator once the new generation is written: replies are to go to all who joined."""
    after = Coordinator(
        K.REBALANCING,
        stored.generation,
        stored.members,
        stored.assignment,
        coordinator.partitions,
        unsent=coordinator.parked,
    )
    return moved(coordinator, KEvent.ALL_JOINED, after)


def elected(coordinator: Coordinator) -> Coordinator:
    """The next coordinator, which has read nothing yet."""
    return moved(coordinator, KEvent.ELECTED, Coordinator(K.CATCH_UP))


def failed(coordinator: Coordinator) -> Coordinator:
    """What is left of a coordinator that lost its leadership."""
    return moved(coordinator, KEvent.LOST, Coordinator(K.DOWN))


def _owners(members: tuple[int, ...], before: Coordinator) -> tuple[tuple[int, ...], ...]:
    """The old assignment on a new list of members."""
    old = dict(zip(before.members, before.assignment))
    return tuple(old.get(m, ()) for m in members)
