"""Which server-side assignor a group prefers: that of most votes, and of a tie the first in Kafka's map.

The order of the map of votes is no detail. What a group prefers is read from its own map, what it would
prefer once a member is updated from a copy in which that member's vote is taken out and put in again: where
two assignors share a bucket, as uniform and range do, the copy can have them the other way round.
Source: `ConsumerGroup.preferredServerAssignor`, `computePreferredServerAssignor`.
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
    """The server-side assignor that a group of these members prefers, "" if nobody asks for one."""
    votes = Counter(member.assignor for member in members if member.assignor)
    return _most(votes, _timeline_order(tuple(sorted(votes)))) if votes else ""


def preferred_with(members: Iterable[ConsumerMember], before: str, after: str) -> str:
    """What a group of these members would prefer if one of them, or a new one, asked for another.

    `before` and `after` are what that one asks for, "" for nothing.
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
    """The first in the order of those that have the most votes."""
    most = max(votes.values())
    return next(name for name in order if votes[name] == most)


def _put_in_front(order: list[str], name: str, capacity: int) -> list[str]:
    """The order of a `java.util.HashMap` once `compute` has added a name: in front within its bucket."""
    # `computed_order` reads its keys as added one by one, each in front of its bucket: the last comes first.
    return computed_order([*reversed(order), name], string_hash, capacity)


@cache
def _timeline_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """The order in which Kafka's `TimelineHashMap` iterates names; of those in one slot, by name."""
    slots = 2
    while len(names) * 0.75 > slots:
        slots *= 2
    shift = 65 - slots.bit_length()

    def slot(name: str) -> int:
        return ((string_hash(name) * _FIBONACCI) & (2**64 - 1)) >> shift

    return tuple(sorted(names, key=slot))
