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
)
"""By item, then by switch."""

NEWEST: Final = "4.4"
RELEASES: Final[Mapping[str, frozenset[str]]] = {
    "4.4": frozenset(),
    "2024-10": frozenset(rule.switch for rule in OLD_RULES),
}
"""The switches that are on in each release."""
