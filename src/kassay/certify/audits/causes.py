"""Causes of a rebalance: the differences between a group's members before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kassay.certify.audits.values import CauseWord, RebalanceCause


class SeenMember(NamedTuple):
    """A member as recorded; `home` is its instance id, or its client id and host."""

    member_id: str
    instance_id: str | None
    home: str
    topics: frozenset[str]


def home(instance_id: str | None, client_id: str, host: str) -> str:
    """The identity of a member that survives a new member id."""
    return instance_id or f"{client_id}@{host.removeprefix('/')}"


def renamed(before: Iterable[SeenMember], after: Iterable[SeenMember]) -> dict[str, str]:
    """The new member ids of returned static members, by their old ones (KIP-345)."""
    old = {each.instance_id: each.member_id for each in before if each.instance_id}
    return {
        old[each.instance_id]: each.member_id
        for each in after
        if each.instance_id in old and each.instance_id and old[each.instance_id] != each.member_id
    }


def causes(before: Sequence[SeenMember], after: Sequence[SeenMember]) -> tuple[RebalanceCause, ...]:
    """The differences between the members: who joined, left, returned, or changed its subscription."""
    ids_before, ids_after = (
        {each.member_id: each for each in before},
        {each.member_id: each for each in after},
    )
    back = renamed(before, after)
    came, went = ids_after.keys() - ids_before.keys(), ids_before.keys() - ids_after.keys()
    joined = sorted(ids_after[each].home for each in came - set(back.values()))
    left = sorted(ids_before[each].home for each in went - back.keys())
    resubscribed = sorted(
        each.home
        for each in after
        for old in [ids_before.get(each.member_id)]
        if old is not None and old.topics != each.topics
    )
    lists: Mapping[CauseWord, list[str]] = {
        CauseWord.JOINED: joined,
        CauseWord.LEFT: left,
        CauseWord.RESTARTED: sorted(ids_after[new].home for new in back.values()),
        CauseWord.RESUBSCRIBED: resubscribed,
    }
    return tuple(RebalanceCause(word, tuple(who)) for word, who in lists.items() if who)
