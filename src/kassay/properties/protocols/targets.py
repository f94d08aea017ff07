"""Invariants of a consumer group: admission, preferred assignors, and its targets.

Admission to a consumer group: no request ends a client of the group's own protocol.

The server-side assignors that members of a consumer group prefer, and when a change takes effect.

Invariants of the targets of a consumer group: their computation, and the members' way to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from kassay.model.explore.values import Finding
from kassay.model.protocols.values.groups import UNRELEASED, ConsumerGroup, ConsumerMember
from kassay.model.protocols.values.records import UNKNOWN_TIME
from kassay.model.protocols.values.requests import JOIN_EPOCH, Config
from kassay.properties.protocols.registry import (
    CONSUMER_GROUP,
    ENDED,
    INTERVALS,
    PREFERENCES,
    STOPPED,
    always,
    each_step,
    outcome,
    real,
)


@always("joins-are-let-in", ENDED, source="KIP-848; KAFKA-18095, KAFKA-17593")
def joins_are_let_in(ended: frozenset[str]) -> Iterator[Finding]:
    """No error ends a dynamic KIP-848 client in a group with only such clients: it may join again."""
    for name in sorted(ended):
        yield real(f"an error has ended {name}")


@always("clients-go-on", STOPPED, source="KIP-345, KIP-848: FENCED_INSTANCE_ID, UNRELEASED_INSTANCE_ID")
def clients_go_on(stopped: frozenset[str]) -> Iterator[Finding]:
    """No client ends with a fatal error. Kafka does not promise this: it is an outcome."""
    for name in sorted(stopped):
        yield outcome(f"{name} ends with a fatal error: its application has to start it again")


DEFAULT: Final = Config().assignors[0]
"""The preference without any vote: the first of group.consumer.assignors."""


def preferred(group: ConsumerGroup) -> str:
    """The assignor with the most votes, the default without votes; "" in a tie."""
    votes = Counter(member.assignor for member in group.members if member.assignor).most_common(2)
    if not votes:
        return DEFAULT
    (name, most), *others = votes
    return "" if others and others[0][1] == most else name


def _changes(old: ConsumerGroup, new: ConsumerGroup) -> bool:
    """Whether the members' preferred assignor changes, and no tie is involved."""
    was, now = preferred(old), preferred(new)
    return bool(old.members and new.members and was and now) and was != now


@each_step("preference-takes-effect", PREFERENCES, source="KAFKA-20434", where=_changes)
def preference_takes_effect(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[Finding]:
    """If the preferred assignor changes, the group epoch increases, so that the new one computes a target.

    Members without a preference leave the choice to the others; without any vote, the default is preferred.
    """
    if new.epoch <= old.epoch:
        yield real(
            f"the group prefers {preferred(new)} to {preferred(old)}, and its epoch is still {new.epoch}"
        )


def _computed(old: ConsumerGroup, new: ConsumerGroup) -> bool:
    """Whether a group that has and had members has a newer target."""
    return bool(old.members and new.members) and new.target_epoch > old.target_epoch


@each_step("targets-keep-the-interval", INTERVALS, source="KIP-1263, KAFKA-20266", where=_computed)
def targets_keep_the_interval(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[Finding]:
    """The assignment interval separates two targets, and each target restarts and records it.

    The time of a target decreases to 0 while the interval runs; the first target of a group, and the first
    after it was empty, need no wait.
    """
    if old.target_time > 0:
        yield real(f"the target of epoch {new.target_epoch} is computed before the interval is over")
    if new.target_time == UNKNOWN_TIME:
        yield real(f"the time of the target of epoch {new.target_epoch} is not recorded")


@always(
    "empty-group-at-its-target",
    CONSUMER_GROUP,
    source="KAFKA-20442",
    where=lambda group: not group.members,
)
def empty_group_at_its_target(group: ConsumerGroup) -> Iterator[Finding]:
    """The target of a group without members is at the group epoch: no computation is due."""
    if group.target_epoch != group.epoch:
        yield real(f"the group is empty at epoch {group.epoch}, and its target is of {group.target_epoch}")


def _led(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[tuple[ConsumerMember, ConsumerMember]]:
    """The members that a step reconciles, before and after."""
    if old.members is not new.members:
        were = {member.member_id: member for member in old.members}
        for member in new.members:
            was = were.get(member.member_id)
            if was is not None and was != member:
                yield was, member


def _epochs_moved(old: ConsumerGroup, new: ConsumerGroup) -> list[ConsumerMember]:
    return [now for was, now in _led(old, new) if now.epoch != was.epoch and now.epoch > JOIN_EPOCH]


@each_step(
    "epochs-of-targets",
    CONSUMER_GROUP,
    source="KAFKA-19974",
    where=lambda old, new: bool(_epochs_moved(old, new)),
)
def epochs_of_targets(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[Finding]:
    """A member's epoch advances to that of the target, and to none in between."""
    for member in _epochs_moved(old, new):
        if member.epoch != new.target_epoch:
            yield real(f"{member.member_id} advances to epoch {member.epoch}, not to {new.target_epoch}")


@always("members-have-epochs", CONSUMER_GROUP, source="KAFKA-20268", where=lambda group: bool(group.members))
def members_have_epochs(group: ConsumerGroup) -> Iterator[Finding]:
    """No member of a group is at epoch 0, with which a client says that it is in no group."""
    for member in group.members:
        if member.epoch == JOIN_EPOCH:
            yield real(f"{member.member_id} is a member at epoch 0: each reply makes it join again")


def _let_wait(old: ConsumerGroup, new: ConsumerGroup) -> list[ConsumerMember]:
    """The members that a step lets wait; one that left temporarily has no epoch, and waits for nothing."""
    return [now for _, now in _led(old, new) if now.state == UNRELEASED and now.epoch > JOIN_EPOCH]


@each_step(
    "waits-for-others", CONSUMER_GROUP, source="KAFKA-19449", where=lambda old, new: bool(_let_wait(old, new))
)
def waits_for_others(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[Finding]:
    """A member waits only for partitions that another member still holds."""
    for member in _let_wait(old, new):
        waited = {*dict(new.target).get(member.member_id, ())} - {*member.assigned}
        others = (other for other in old.members if other.member_id != member.member_id)
        if waited.isdisjoint(tp for other in others for tp in (*other.assigned, *other.pending)):
            listed = ",".join(map(str, sorted(waited))) or "nothing"
            yield real(f"{member.member_id} has to wait for {listed}, which no other member holds")
