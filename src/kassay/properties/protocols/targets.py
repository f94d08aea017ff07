"""When the target of a consumer group is computed: not before the interval since the last one is over."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore.values import Finding
from kassay.model.protocols.values.groups import ConsumerGroup
from kassay.model.protocols.values.records import UNKNOWN_TIME
from kassay.properties.protocols.registry import CONSUMER_GROUP, INTERVALS, always, each_step, real


def _computed(old: ConsumerGroup, new: ConsumerGroup) -> bool:
    """Whether a group that has members, and had some, has a newer target."""
    return bool(old.members and new.members) and new.target_epoch > old.target_epoch


@each_step("targets-keep-the-interval", INTERVALS, source="KIP-1263, KAFKA-20266", where=_computed)
def targets_keep_the_interval(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[Finding]:
    """Between two targets lies the assignment interval, which begins anew with each, on record.

    The time of a target goes down to 0 while the interval runs; the first target of a group, and the first
    after it was empty, wait for none.
    """
    if old.target_time > 0:
        yield real(f"the target of epoch {new.target_epoch} is computed before the interval is over")
    if new.target_time == UNKNOWN_TIME:
        yield real(f"when the target of epoch {new.target_epoch} was computed is not on record")


@always(
    "empty-group-at-its-target",
    CONSUMER_GROUP,
    source="KAFKA-20442",
    where=lambda group: not group.members,
)
def empty_group_at_its_target(group: ConsumerGroup) -> Iterator[Finding]:
    """The target of a group without members is that of its epoch: nothing is left to be computed."""
    if group.target_epoch != group.epoch:
        yield real(f"the group is empty at epoch {group.epoch}, and its target is of {group.target_epoch}")
