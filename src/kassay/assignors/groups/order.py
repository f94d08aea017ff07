"""The order in which Kafka's assignors sort members and partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Member
from kassay.model.java import utf16_key

_Item = TypeVar("_Item")
_MEMBER_ID: Callable[[Member], str] = itemgetter(Member._fields.index("member_id"))
_INSTANCE_ID: Callable[[Member], str] = itemgetter(Member._fields.index("instance_id"))
_TOPIC: Callable[[TopicPartition], str] = itemgetter(TopicPartition._fields.index("topic"))
_NUMBER: Callable[[TopicPartition], int] = itemgetter(TopicPartition._fields.index("partition"))


def members_in_order(members: Iterable[Member]) -> list[Member]:
    """Static members by instance id, then the others by member id (Kafka's `MemberInfo`)."""
    static: list[Member] = []
    dynamic: list[Member] = []
    for member in members:
        (dynamic if member.instance_id is None else static).append(member)
    in_order = java_sorted(dynamic, _MEMBER_ID)
    return java_sorted(static, _INSTANCE_ID) + in_order if static else in_order


def _is_plain(texts: Iterable[str]) -> bool:
    """Whether all the texts are ASCII."""
    return "".join(texts).isascii()


def java_sorted(items: Iterable[_Item], text: Callable[[_Item], str]) -> list[_Item]:
    """The items sorted by a text of each, compared as Java compares strings; equal items keep their order.

    Java and Python compare plain ASCII in the same way, so such texts need no encoding.
    """
    listed = list(items)
    if _is_plain(map(text, listed)):
        return sorted(listed, key=text)
    return sorted(listed, key=lambda item: utf16_key(text(item)))


def partitions_in_order(partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
    """The partitions by topic in Java's order, then by number (Kafka's `TopicPartitionComparator`)."""
    in_order = sorted(partitions)
    return in_order if _is_plain(map(_TOPIC, in_order)) else java_sorted(in_order, _TOPIC)


def partitions_by_number(partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
    """The partitions by number, then by topic in Java's order."""
    return sorted(java_sorted(partitions, _TOPIC), key=_NUMBER)
