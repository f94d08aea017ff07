"""The releases of Kafka whose coordinator is modelled, as the rules in which they differ.

There is one coordinator, which keeps the rules of the newest release. Where an older one has another rule, a
switch of that rule's name turns the older one on, and a release is nothing but the set of its older rules.
Sources: branch 4.4 of Kafka at 8d3916cfe15f (2026-08-21), trunk at 1eb7644 (2024-10-25).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class OldRule(NamedTuple):
    """A rule of trunk 2024-10 that 4.4 has changed; `switch` turns it on again.

    `item` orders the table. `hidden` says why no walk can show the older rule, "" where one does.
    """

    switch: str
    item: int
    tickets: str
    was: str
    now: str
    hidden: str = ""


OLD_RULES: Final = (
    OldRule(
        "strict_epoch0",
        5,
        "KAFKA-19233",
        "A known dynamic member's epoch 0 is refused unless its previous epoch was 0.",
        "A known dynamic member may send epoch 0 at any epoch; that acknowledges every revocation.",
    ),
    OldRule(
        "disabled_lets_classic_in",
        22,
        "KAFKA-20640",
        "Members of the classic protocol join a consumer group under every policy.",
        "Where migration is disabled, a consumer group with members refuses JoinGroup.",
        hidden="Who is let in is served as well as under any other policy.",
    ),
    OldRule(
        "zero_bytes_refused",
        23,
        "KAFKA-17733",
        "A classic group cannot be upgraded while any member was never assigned anything.",
        "A member that was never assigned anything comes along into the consumer group, with nothing.",
    ),
    OldRule(
        "user_data_lost",
        24,
        "KAFKA-18134",
        "An upgrade drops the user data that a custom assignor put beside an assignment.",
        "A group with such user data cannot be upgraded; who was parked has been sent to join again by then.",
        hidden="The models' assignors put no user data beside an assignment.",
    ),
    OldRule(
        "first_generation_not_found",
        25,
        "",
        "Before its first generation a classic group cannot be upgraded: GROUP_ID_NOT_FOUND.",
        "It still cannot, but the answer is UNKNOWN_SERVER_ERROR, from an exception that nobody catches.",
        hidden="Either answer ends the consumer that asked.",
    ),
    OldRule(
        "leave_never_downgrades",
        27,
        "KAFKA-18150",
        "LeaveGroup of a consumer group never downgrades it.",
        "LeaveGroup removes members as a heartbeat that leaves does: it may downgrade the group.",
        hidden="No client of the models sends LeaveGroup for a member of the consumer protocol.",
    ),
    OldRule(
        "leave_of_classic_alone",
        27,
        "KAFKA-18188",
        "LeaveGroup removes only the classic members of a consumer group, and answers by their ids.",
        "LeaveGroup removes members of either protocol, and answers by the ids that were asked for.",
        hidden="No client of the models sends LeaveGroup for a member of the consumer protocol.",
    ),
    OldRule(
        "downgrade_by_consumer_alone",
        28,
        "KAFKA-18150",
        "Only a member of the consumer protocol that goes can downgrade its group.",
        "Whoever goes: a group of which only classic members are left is downgraded.",
        hidden="It differs only in a group too large to be a classic one; the models' groups have no limit.",
    ),
    OldRule(
        "static_downgrade_never_rebalances",
        29,
        "KAFKA-19546, KAFKA-20273",
        "A downgrade by a returning static member never rebalances, though its target may be stale.",
        "It does if the group epoch is ahead of the target; who returned hears of generation 0.",
        hidden="Where it shows, 4.4 leaves a partition unread too (docs/protocol-findings.md).",
    ),
    OldRule(
        "classic_follows_group_epoch",
        30,
        "KAFKA-20272",
        "A classic member of a consumer group is to join again when the group epoch is ahead of it.",
        "It is when the target is ahead of it: some heartbeat or JoinGroup must have computed one.",
        hidden="To ask sooner breaks nothing; it is the newer rule that does (docs/protocol-findings.md).",
    ),
    OldRule(
        "unparsed_is_server_error",
        31,
        "KAFKA-20662",
        "A JoinGroup whose subscription cannot be read is answered UNKNOWN_SERVER_ERROR.",
        "It is answered INCONSISTENT_GROUP_PROTOCOL.",
        hidden="The models' clients send nothing that cannot be read.",
    ),
)
"""By item, then by switch."""

NEWEST: Final = "4.4"
RELEASES: Final[Mapping[str, frozenset[str]]] = {
    "4.4": frozenset(),
    "2024-10": frozenset(rule.switch for rule in OLD_RULES),
}
"""The switches that are on in each release."""
