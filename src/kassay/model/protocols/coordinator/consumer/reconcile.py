"""The reconciliation of one member of a consumer group with its target.

`CONSUMER_MEMBER` lists where a heartbeat may lead a member. The rule is one function of the member, its
target and all held partitions: first revoke, and assign only free partitions. Source:
`CurrentAssignmentBuilder` (KIP-848, section "Reconciliation").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.shared.table import Rule, check_move, look_up, total
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.groups import MEMBER_STABLE, UNRELEASED, UNREVOKED, ConsumerMember
from kassay.model.protocols.values.requests import Partitions

AT_TARGET: Final = "heartbeat at the target epoch"
BEHIND: Final = "heartbeat behind the target epoch"
REVOKED: Final = "heartbeat that owns nothing pending"
REVOKING: Final = "heartbeat that still owns, or says nothing"

_ALL: Final = (MEMBER_STABLE, UNREVOKED, UNRELEASED)
_NEXT: Final = Rule(_ALL, "keep what is in the target; revoke the rest first; then take what is free")
_WAIT: Final = Rule((UNREVOKED,), "give up what it no longer reads too; a newer target waits")
_FOLLOW: Final = Rule((MEMBER_STABLE, UNREVOKED), "nothing, or give up what it no longer reads")

CONSUMER_MEMBER: Final = total(
    (AT_TARGET, BEHIND, REVOKED, REVOKING),
    {
        MEMBER_STABLE: {AT_TARGET: _FOLLOW, BEHIND: _NEXT},
        UNREVOKED: {REVOKED: Rule(_ALL, "on to the newest target"), REVOKING: _WAIT},
        UNRELEASED: {AT_TARGET: _NEXT, BEHIND: _NEXT},
    },
)


class Reads(NamedTuple):
    """The ids of the topics that a member subscribes to; `changed`: by this very heartbeat."""

    topics: frozenset[str]
    changed: bool


def event_for(member: ConsumerMember, target_epoch: int, owned: Partitions | None) -> str:
    """The kind of this heartbeat, as an event of the member."""
    if member.state == UNREVOKED:
        return REVOKING if _owns(owned, member.pending) else REVOKED
    return AT_TARGET if member.epoch == target_epoch else BEHIND


def _owns(owned: Partitions | None, pending: Partitions) -> bool:
    """Whether the client still owns any of these; a heartbeat without a list counts as owning them."""
    return owned is None or any(tp in pending for tp in owned)


def reconcile(
    effects: Effects,
    member: ConsumerMember,
    target_epoch: int,
    target: Partitions,
    owned: Partitions | None,
    taken: set[TopicPartition],
    reads: Reads | None,
) -> ConsumerMember:
    """The member after a heartbeat; `taken` are the partitions held by any member, including this one.

    Partitions that a member does not subscribe to count as missing from its target; without `reads`, only its
    target counts.
    """
    if owned is None and effects.has("silence_revokes"):
        owned = ()
    event = event_for(member, target_epoch, owned)
    look_up(CONSUMER_MEMBER, member.state, event)
    if event == REVOKING or (event == AT_TARGET and member.state == MEMBER_STABLE):
        updated = _follow(effects, member, owned, reads) if reads and reads.changed else member
        check_move(CONSUMER_MEMBER, member.state, event, updated.state)
        return updated
    if reads:
        target = tuple(tp for tp in target if tp.topic in reads.topics)
    if event == REVOKED and effects.has("recompute_on_new_target") and target_epoch > member.epoch + 1:
        return member
    counts_up = event == REVOKED and effects.has("revocation_counts_up")
    epoch = member.epoch + 1 if counts_up else member.epoch
    updated = _next(effects, member, epoch, target_epoch, target, owned, taken)
    check_move(CONSUMER_MEMBER, member.state, event, updated.state)
    return updated


def _next(
    effects: Effects,
    member: ConsumerMember,
    epoch: int,
    target_epoch: int,
    target: Partitions,
    owned: Partitions | None,
    taken: set[TopicPartition],
) -> ConsumerMember:
    keep = tuple(tp for tp in member.assigned if tp in target)
    revoke = tuple(tp for tp in member.assigned if tp not in target)
    want = [tp for tp in target if tp not in keep]
    lost: Partitions = ()
    if effects.has("pend_reassign_loses_epoch"):
        lost = tuple(tp for tp in want if tp in member.pending)
    if revoke and _owns(owned, revoke):
        # The previous epoch becomes the member's current one, even if that has just increased.
        pending = () if effects.has("revocation_not_awaited") else revoke
        held = member._replace(
            state=UNREVOKED, epoch=epoch, prev_epoch=member.epoch, assigned=keep, pending=pending
        )
        return _dated(effects, member, held)
    own = lost if effects.has("own_pending_blocks") else member.pending
    free = [tp for tp in want if tp not in taken or tp in own]
    arrived = member._replace(
        state=MEMBER_STABLE if len(free) == len(want) else UNRELEASED,
        epoch=target_epoch,
        prev_epoch=member.epoch,
        assigned=tuple(sorted((*keep, *free))),
        pending=lost,
    )
    return _dated(effects, member, arrived, free)


def _follow(
    effects: Effects, member: ConsumerMember, owned: Partitions | None, reads: Reads
) -> ConsumerMember:
    """The member in its epoch without unsubscribed partitions, which it must revoke if it owns them."""
    assigned = tuple(tp for tp in member.assigned if tp.topic in reads.topics)
    if assigned == member.assigned and (reads.topics or member.pending):
        return member
    pending = tuple(sorted({*member.pending, *member.assigned} - {*assigned}))
    revoking = bool(pending) and _owns(owned, pending)
    followed = member._replace(
        state=UNREVOKED if revoking else member.state,
        prev_epoch=member.epoch,
        assigned=assigned,
        pending=pending if revoking else member.pending,
    )
    return _dated(effects, member, followed)


def _dated(
    effects: Effects, before: ConsumerMember, after: ConsumerMember, fresh: Iterable[TopicPartition] = ()
) -> ConsumerMember:
    """The member with the assignment epochs of its partitions; those in `fresh` get its own."""
    if effects.has("no_assignment_epochs"):
        return after
    since = before.assignment_epochs | dict.fromkeys(fresh, after.epoch)
    return after._replace(
        assigned_epochs=tuple([since[tp] for tp in after.assigned]),
        pending_epochs=tuple([since[tp] for tp in after.pending]),
    )
