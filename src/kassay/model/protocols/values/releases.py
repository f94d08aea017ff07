"""The modelled releases of Kafka, as the coordinator rules in which they differ.

There is one coordinator, with the rules of the newest release. If an older release has another rule, a switch
with that rule's name turns it on, and a release is the set of its older rules. `kassay conform` compares each
release but 2024-10 with Kafka's own classes. Sources: Kafka 4.4.0, branch 4.4 at 8d3916cfe15f (2026-08-21);
4.3.1, 4.2.1, 4.1.2 and 4.0.2 at their commits; trunk at 1eb7644 (2024-10-25).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from kassay.model.errors import InputError


class OldRule(NamedTuple):
    """A rule of an older release that 4.4.0 has changed; `switch` turns it on again.

    `item` orders the table. `hidden` says why no walk can show the older rule, "" if one does.
    """

    switch: str
    item: int
    tickets: str
    was: str
    now: str
    hidden: str = ""


OLD_RULES: Final = (
    OldRule(
        "epochs_from_zero",
        1,
        "KAFKA-20268",
        "A new group starts at group epoch 0 and target epoch 0.",
        "A new group starts at group epoch 1 and target epoch 1.",
        "A member that joins a group at epoch 0 advances it: no member gets epoch 0 under either rule.",
    ),
    OldRule(
        "topics_recorded",
        2,
        "KAFKA-17747",
        "The subscribed topics have their own record next to the group epoch.",
        "The record of the group epoch holds a hash of the subscribed topics.",
        "The behaviour is the same either way; nine worlds, faults of topics among them, have the "
        "same states and steps, and the walks write no log of one release to be read by the other.",
    ),
    OldRule(
        "empty_keeps_target_epoch",
        3,
        "KAFKA-20442",
        "When the last member leaves, the target epoch stays below the group epoch.",
        "When the last member leaves, the target epoch becomes the group epoch, without a recorded time.",
    ),
    OldRule(
        "no_assignment_epochs",
        4,
        "KIP-1251, KAFKA-20066",
        "A member's partitions have no epochs.",
        "For each of a member's partitions, the target epoch since which it has it is recorded.",
    ),
    OldRule(
        "targets_undated",
        4,
        "KAFKA-20266",
        "The time at which a target was computed is not recorded.",
        "The record of the target epoch holds the time at which the target was computed.",
    ),
    OldRule(
        "strict_epoch0",
        5,
        "KAFKA-19233",
        "A known dynamic member's epoch 0 is refused unless its previous epoch was 0.",
        "A known dynamic member may send epoch 0 at any epoch; that acknowledges every revocation.",
    ),
    OldRule(
        "revocation_counts_up",
        6,
        "KAFKA-19974",
        "A member that acknowledges its revocation advances by one epoch.",
        "A member that acknowledges its revocation continues from its own epoch.",
    ),
    OldRule(
        "own_pending_blocks",
        7,
        "KAFKA-19449",
        "A partition that the member itself still has to revoke counts as unreleased.",
        "A partition that the member itself still has to revoke is assigned again at once.",
    ),
    OldRule(
        "subscription_ignored",
        8,
        "KAFKA-19431",
        "A member keeps, and is assigned, partitions in its target that it no longer subscribes to.",
        "Unsubscribed partitions count as missing from a member's target as soon as a heartbeat drops them.",
    ),
    OldRule(
        "unsubscribing_keeps_prev_epoch",
        8,
        "",
        "A member that unsubscribes from topics in its epoch keeps its previous epoch.",
        "Its epoch becomes its previous epoch, which is recorded even if it gives up no partition.",
        hidden="Its releases have it for a changed expression alone, which no client of the models has.",
    ),
    OldRule(
        "assignor_change_waits",
        9,
        "KAFKA-20434",
        "A new preferred assignor takes effect only when something else advances the group epoch.",
        "A change of the effective preferred assignor advances the group epoch.",
    ),
    OldRule(
        "full_refuses_instances",
        10,
        "KAFKA-20601",
        "A full group refuses an unknown member id, even with a known instance id.",
        "A full group accepts a member with a known instance id.",
        "No group of the walks is full, and a full one would accept their restarted processes under "
        "either rule: they keep their member ids.",
    ),
    OldRule(
        "instances_remembered",
        11,
        "KAFKA-20747",
        "An instance id leads to its last member for good, even if that has another one now, or has left.",
        "An instance id that a member has given up is free.",
        "A consumer gets its member id and its instance id once, on creation.",
    ),
    OldRule(
        "target_stays_with_instance",
        11,
        "KAFKA-20292",
        "A member that changes its instance id leaves its target with the old one.",
        "A member that changes its instance id keeps its target when the next one is computed.",
        "A consumer gets its member id and its instance id once, on creation; nine worlds, static "
        "members among them, have the same states and steps.",
    ),
    OldRule(
        "empty_names_refused",
        13,
        "KAFKA-18095",
        "A member cannot join with an empty list of topic names.",
        "A member may join with an empty list of topic names.",
    ),
    OldRule(
        "pause_needs_member_id",
        13,
        "KIP-1082",
        "A static member that leaves for a while must name its member id.",
        "Version 0 of the heartbeat lets a static member leave for a while without its member id.",
        hidden="The models' consumers always send their member ids.",
    ),
    OldRule(
        "partition_epochs_expected",
        14,
        "KAFKA-19862",
        "A partition that is revoked at another epoch than it was assigned at ends the loading of the log.",
        "Such a partition stays with the member that was assigned it since.",
    ),
    OldRule(
        "tombstones_need_owners",
        14,
        "KAFKA-19862",
        "A log in which compaction left a tombstone without its group or member cannot be loaded.",
        "A tombstone of a missing group or member is ignored when the log is loaded.",
    ),
    OldRule(
        "targets_at_once",
        15,
        "KIP-1263, KAFKA-20291",
        "A heartbeat that finds the group epoch ahead computes the target.",
        "A target is computed only after the assignment interval since the last one.",
    ),
    OldRule(
        "commits_at_epoch_only",
        17,
        "KIP-1251",
        "An offset commit is accepted at the member's epoch only.",
        "An offset commit under an earlier epoch is accepted if the member has had all its partitions since.",
    ),
    OldRule(
        "regexes_refused",
        18,
        "KAFKA-17593",
        "A subscription by a regular expression is refused with INVALID_REQUEST.",
        "A regular expression is resolved in the background, and again when topics are created.",
    ),
    OldRule(
        "disabled_lets_classic_in",
        22,
        "KAFKA-20640",
        "Members of the classic protocol join a consumer group under every policy.",
        "If migration is disabled, a consumer group with members refuses JoinGroup.",
    ),
    OldRule(
        "zero_bytes_refused",
        23,
        "KAFKA-17733",
        "A classic group cannot be upgraded while any member was never assigned anything.",
        "A member that was never assigned anything moves to the consumer group without partitions.",
    ),
    OldRule(
        "user_data_lost",
        24,
        "KAFKA-18134",
        "An upgrade drops the user data that a custom assignor added to an assignment.",
        "A group with such user data cannot be upgraded; parked members already know that they must rejoin.",
        hidden="The models' assignors add no user data to an assignment.",
    ),
    OldRule(
        "first_generation_not_found",
        25,
        "",
        "Before its first generation a classic group cannot be upgraded: GROUP_ID_NOT_FOUND.",
        "It still cannot, but the answer is UNKNOWN_SERVER_ERROR, from an uncaught exception.",
        hidden="Either answer ends the consumer.",
    ),
    OldRule(
        "upgrade_always_bumps",
        26,
        "KAFKA-18687",
        "An upgrade does not record the existing topics, so the joining member advances the group epoch.",
        "It does: a static member that returns with an unchanged subscription does not advance the epoch.",
        hidden="An immediate rebalance breaks nothing; the newer rule does (docs/protocol-findings.md).",
    ),
    OldRule(
        "leave_never_downgrades",
        27,
        "KAFKA-18150",
        "LeaveGroup of a consumer group never downgrades it.",
        "LeaveGroup removes members like a leaving heartbeat: it may downgrade the group.",
        hidden="No client of the models sends LeaveGroup for a member of the consumer protocol.",
    ),
    OldRule(
        "leave_of_classic_alone",
        27,
        "KAFKA-18188",
        "LeaveGroup removes only the classic members of a consumer group, and answers with their ids.",
        "LeaveGroup removes members of either protocol, and answers with the requested ids.",
        hidden="No client of the models sends LeaveGroup for a member of the consumer protocol.",
    ),
    OldRule(
        "downgrade_by_consumer_alone",
        28,
        "KAFKA-18150",
        "Only a leaving member of the consumer protocol can downgrade its group.",
        "Whichever member leaves, a group with only classic members left is downgraded.",
        hidden="It differs only in a group too large to be a classic one; the models' groups have no limit.",
    ),
    OldRule(
        "downgrade_follows_subscription",
        29,
        "KAFKA-20273",
        "A downgrade by a returning static member rebalances only if that member's subscription changes.",
        "It rebalances if the group epoch is ahead of the target; the returning member gets generation 0.",
        hidden="SyncGroup refuses the generation of the stale target, and the next JoinGroup rebalances.",
    ),
    OldRule(
        "static_downgrade_never_rebalances",
        29,
        "KAFKA-19546, KAFKA-20273",
        "A downgrade by a returning static member never rebalances, though its target may be stale.",
        "It does if the group epoch is ahead of the target; the returning member gets generation 0.",
    ),
    OldRule(
        "classic_follows_group_epoch",
        30,
        "KAFKA-20272",
        "A classic member of a consumer group must rejoin if the group epoch is ahead of it.",
        "It must rejoin if the target is ahead of it: some heartbeat or JoinGroup must have computed one.",
        hidden="An earlier rejoin breaks nothing; the newer rule does (docs/protocol-findings.md).",
    ),
    OldRule(
        "unparsed_is_server_error",
        31,
        "KAFKA-20662",
        "A subscription that cannot be read ends a join phase, or JoinGroup, with an uncaught exception.",
        "The classic group does not know its topics; a consumer group answers INCONSISTENT_GROUP_PROTOCOL.",
        hidden="The models' clients send nothing that cannot be read.",
    ),
    OldRule(
        "downgrade_needs_targets",
        32,
        "KAFKA-20291",
        "A downgrade fails with an uncaught exception if a member that stays has no target yet.",
        "A member that has no target yet is downgraded without partitions.",
        hidden="A member without a target has joined without a topic, which no client of the models does.",
    ),
    OldRule(
        "dropped_regex_keeps_epoch",
        33,
        "KAFKA-19899",
        "The group epoch stays when a heartbeat drops the member's expression and keeps only names.",
        "The group epoch advances when a member drops its expression, as it always did by JoinGroup.",
        hidden="No client of the models drops its expression.",
    ),
    OldRule(
        "regexes_resolved_once",
        34,
        "KAFKA-18961",
        "Expressions are resolved again only for a new expression or a new topic.",
        "They are also resolved again after group.consumer.regex.refresh.interval.ms.",
        hidden="The models have no clock for it.",
    ),
)
"""By item, then by switch."""

NEWEST: Final = "4.4.0"
TRUNK_2024: Final = "2024-10"
"""Kafka's trunk of October 2024, from which the first golden vectors come; it was never released."""
_OF_4_3: Final = frozenset(
    {
        "assignor_change_waits",
        "empty_keeps_target_epoch",
        "full_refuses_instances",
        "instances_remembered",
        "target_stays_with_instance",
        "unparsed_is_server_error",
    }
)
_OF_4_2: Final = _OF_4_3 | {
    "classic_follows_group_epoch",
    "commits_at_epoch_only",
    "disabled_lets_classic_in",
    "downgrade_follows_subscription",
    "downgrade_needs_targets",
    "epochs_from_zero",
    "no_assignment_epochs",
    "targets_at_once",
    "targets_undated",
    "unsubscribing_keeps_prev_epoch",
}
_OF_4_1: Final = _OF_4_2 | {"revocation_counts_up", "strict_epoch0", "subscription_ignored"}
_OF_4_0: Final = _OF_4_1 | {"dropped_regex_keeps_epoch", "regexes_resolved_once", "topics_recorded"}
RELEASES: Final[Mapping[str, frozenset[str]]] = {
    NEWEST: frozenset(),
    "4.3.1": _OF_4_3,
    "4.2.1": _OF_4_2,
    "4.1.2": _OF_4_1,
    "4.0.2": _OF_4_0,
    TRUNK_2024: frozenset(rule.switch for rule in OLD_RULES),
}
"""The active switches of each release."""
MODELLED: Final = tuple(release for release in RELEASES if release != TRUNK_2024)
"""The releases of Kafka, newest first."""


def require_released(release: str, option: str) -> None:
    """Raises InputError for a release of Kafka above the newest one that kassay knows."""
    numbers, newest = (
        [int(part) for part in text.split(".") if part.isdecimal()] for text in (release, NEWEST)
    )
    if numbers[:2] > newest[:2]:
        raise InputError(f"{option}: unknown release {release!r}; expected one up to {NEWEST}")
