"""Generations, epochs and metadata: invariants over the coordinator itself, and over what it has stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kassay.model.explore import Finding, Severity
from kassay.model.protocols.values.groups import (
    COMPLETING,
    MEMBER_STABLE,
    PREPARING,
    STABLE,
    UNREVOKED,
    ClassicGroup,
    ConsumerGroup,
    CoordinatorState,
)
from kassay.properties.protocols.registry import COORDINATOR, METADATA, STORED, always, each_step

NEVER_BACK: Final = "epochs-never-go-back"
_GROW: Final = "generations and epochs only grow, except to what was persisted"


@each_step(
    "one-assignment-per-generation",
    COORDINATOR,
    short="I6",
    source="the classic protocol: one leader a generation",
)
def one_assignment_per_generation(before: CoordinatorState, after: CoordinatorState) -> Iterator[Finding]:
    """A generation is assigned once, and only a new generation awaits an assignment."""
    old, new = before.group, after.group
    if not isinstance(old, ClassicGroup) or not isinstance(new, ClassicGroup):
        return
    if old.state == PREPARING and new.state == COMPLETING and new.generation != old.generation + 1:
        yield _real(f"generation {old.generation} is followed by generation {new.generation}")
    if old.state == STABLE and new.state == COMPLETING and new.generation == old.generation:
        yield _real(f"generation {new.generation} is to be assigned twice")
    if old.state == COMPLETING and new.state == STABLE:
        if new.generation != old.generation:
            yield _real(f"generation {old.generation} became {new.generation} by an assignment")
        if new.leader not in {member.member_id for member in new.members}:
            yield _real(f"the leader {new.leader!r} of generation {new.generation} is no member")


@each_step(NEVER_BACK, COORDINATOR, short="I10", source=_GROW)
def epochs_never_go_back(before: CoordinatorState, after: CoordinatorState) -> Iterator[Finding]:
    """Generations, group, target and member epochs never decrease while a coordinator lives."""
    old, new = before.group, after.group
    if isinstance(old, ClassicGroup) and isinstance(new, ClassicGroup):
        if new.generation < old.generation:
            yield _real(f"generation {old.generation} is followed by generation {new.generation}")
    elif isinstance(old, ConsumerGroup) and isinstance(new, ConsumerGroup):
        for name in ("epoch", "target_epoch"):
            was, now = getattr(old, name), getattr(new, name)
            if now < was:
                yield _real(f"the group's {name.replace('_', ' ')} {was} is followed by {now}")
        was_by_id = {member.member_id: member.epoch for member in old.members}
        for member in new.members:
            was = was_by_id.get(member.member_id, -1)
            if 0 < member.epoch < was:
                yield _real(f"epoch {was} of {member.member_id} is followed by {member.epoch}")


@each_step(NEVER_BACK, STORED, short="I10", source=_GROW)
def stored_once(before: Any, after: Any) -> Iterator[Finding]:
    """What is on record of a generation is one thing: another assignment has another number."""
    if after.generation <= before.generation and after.members and before.assignment != after.assignment:
        yield _real(f"generation {after.generation} is on record with a second assignment")


@always("epochs-in-order", COORDINATOR, short="I11", source="KIP-848")
def epochs_in_order(coordinator: CoordinatorState) -> Iterator[Finding]:
    """Member epoch <= target epoch <= group epoch, and pending partitions exactly while unrevoked."""
    group = coordinator.group
    if not isinstance(group, ConsumerGroup):
        return
    if group.target_epoch > group.epoch:
        yield _real(f"target epoch {group.target_epoch} is above group epoch {group.epoch}")
    for member in group.members:
        if member.epoch in (-2, 0):
            continue
        if member.epoch > group.target_epoch:
            yield _real(
                f"{member.member_id} is at epoch {member.epoch}, above target epoch {group.target_epoch}"
            )
        if member.state == MEMBER_STABLE and member.pending:
            yield _real(f"{member.member_id} is stable and has pending {','.join(map(str, member.pending))}")
        if member.state == UNREVOKED and not member.pending:
            yield _real(f"{member.member_id} is unrevoked with nothing pending")
    held: dict[Any, str] = {}
    for member in group.members:
        for tp in (*member.assigned, *member.pending):
            if tp in held:
                yield _real(f"{tp} is held by {held[tp]} and {member.member_id}")
            held[tp] = member.member_id


@each_step("topics-never-shrink", METADATA, short="I14", source="KIP-195")
def topics_never_shrink(before: Any, after: Any) -> Iterator[Finding]:
    """No topic loses partitions."""
    counts = {topic.topic_id: topic.partitions for topic in after}
    for topic in before:
        if counts.get(topic.topic_id, topic.partitions) < topic.partitions:
            yield _real(f"topic {topic.name} shrank")


def _real(message: str) -> Finding:
    return Finding(Severity.REAL, message)
