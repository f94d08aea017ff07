"""The preferred server-side assignor of a group: most votes, and on a tie the first in Kafka's map.

The order of the map of votes matters. A group's current preference is read from its own map; its preference
after a member update is read from a copy in which that member's vote is removed and added again. If two
assignors share a bucket, as uniform and range do, their order may differ in the copy. Source:
`ConsumerGroup.preferredServerAssignor`, `computePreferredServerAssignor`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final

from kassay.model.java.hashes import bucket_order, computed_order, string_hash
from kassay.model.protocols.values.groups import ConsumerMember

_FIBONACCI: Final = -7046029254386353131


def preferred_assignor(members: Iterable[ConsumerMember]) -> str:
    """The server-side assignor that a group of these members prefers, "" if no member has a preference."""
    votes = Counter(member.assignor for member in members if member.assignor)
    return _most(votes, _timeline_order(tuple(sorted(votes)))) if votes else ""


def preferred_with(members: Iterable[ConsumerMember], before: str, after: str) -> str:
    """The preference of a group of these members after one of them, or a new one, changes its vote.

    `before` and `after` are the votes of that member, "" for none.
    """
    votes = Counter(member.assignor for member in members if member.assignor)
    if not votes and not after:
        return ""
    order = list(_timeline_order(tuple(sorted(votes))))
    capacity = int(len(order) / 0.75 + 1) if order else 16
    order = bucket_order(order, string_hash, capacity)
    if before:
        votes[before] -= 1
        if not votes[before]:
            del votes[before]
            order.remove(before)
    if after:
        if after not in votes:
            order = _put_in_front(order, after, capacity)
        votes[after] += 1
    return _most(votes, order) if votes else ""


def _most(votes: Counter[str], order: Iterable[str]) -> str:
    """The first in this order among those with the most votes."""
    most = max(votes.values())
    return next(name for name in order if votes[name] == most)


def _put_in_front(order: list[str], name: str, capacity: int) -> list[str]:
    """The order of a `java.util.HashMap` after `compute` adds a name: first within its bucket."""
    # `computed_order` treats its keys as added one by one, each first in its bucket: the last comes first.
    return computed_order([*reversed(order), name], string_hash, capacity)


@cache
def _timeline_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """The iteration order of names in Kafka's `TimelineHashMap`; within one slot, by name."""
    slots = 2
    while len(names) * 0.75 > slots:
        slots *= 2
    shift = 65 - slots.bit_length()

    def slot(name: str) -> int:
        return ((string_hash(name) * _FIBONACCI) & (2**64 - 1)) >> shift

    return tuple(sorted(names, key=slot))
