"""Encoding of the full form's values for the channel, and the check of a full answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kassay.assignors.plain_answers import Malformed, Pair, check_assignment, check_user_data, shown
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member, SubscriptionType

Encoded = tuple[Any, ...]


def encode(cluster: Cluster, group: Group) -> Encoded:
    """The input of a call as tuples of exact built-in types."""
    members = [(*member[:2], [tuple(tp) for tp in member.owned], *member[3:]) for member in group.members]
    return (
        list(map(tuple, cluster.topics)),
        list(map(tuple, cluster.brokers)),
        members,
        group.leader,
        sorted(map(tuple, group.assigned)),
        None if group.subscription_type is None else str(group.subscription_type),
        None if group.assignable is None else sorted(map(tuple, group.assignable)),
    )


def decode(
    encoded: Encoded, given: Mapping[str, bytes | None] = MappingProxyType({})
) -> tuple[Cluster, Group]:
    """The input of a call, rebuilt; `given` is the user data of members that the input lacks."""
    topics, brokers, members, leader, assigned, subscription_type, assignable = encoded
    cluster = Cluster(tuple(map(Topic._make, topics)), tuple(map(Broker._make, brokers)))
    return cluster, Group(
        tuple(Member(m[0], m[1], _pairs(m[2]), m[3], m[4], m[5], given.get(m[0], m[6])) for m in members),
        leader,
        frozenset(_pairs(assigned)),
        None if subscription_type is None else SubscriptionType(subscription_type),
        None if assignable is None else frozenset(_pairs(assignable)),
    )


def _pairs(encoded: Any) -> tuple[TopicPartition, ...]:
    return tuple(map(TopicPartition._make, encoded))


def encode_learned(
    assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
) -> Encoded:
    """The arguments of `on_assignment` as tuples of exact built-in types."""
    return [tuple(tp) for tp in assignment], user_data, tuple(metadata)


def decode_learned(encoded: Encoded) -> tuple[tuple[TopicPartition, ...], bytes | None, GroupMetadata]:
    """The arguments of `on_assignment`."""
    assignment, user_data, metadata = encoded
    return _pairs(assignment), user_data, GroupMetadata._make(metadata)


def check_answer(answer: object) -> tuple[dict[str, list[Pair]], dict[str, bytes]]:
    """The lists and the user data of a full answer, or of a plain mapping of lists. Raises `Malformed`."""
    if not isinstance(answer, Mapping):
        raise Malformed(f"answer is {shown(answer)}, expected a kassay.model.groups.group.Assignment")
    user_data = answer.user_data if isinstance(answer, Assignment) else {}
    assignment = check_assignment(dict(answer.items()))
    checked = {}
    for member_id, data in dict(user_data).items():
        raw = check_user_data(data, f"answer.user_data[{shown(member_id)}]")
        if not isinstance(member_id, str):
            raise Malformed(f"answer.user_data has the key {shown(member_id)}, expected a member id (str)")
        if raw is not None:
            checked[member_id] = raw
    return assignment, checked


def changed(before: tuple[Cluster, Group], after: tuple[Cluster, Group]) -> str | None:
    """The changes that a call made to its input, including cached values of it, or None."""
    for name, old, new in zip(("cluster", "group"), before, after):
        if old != new:
            return f"{name} was changed"
        for kept, value in vars(new).items():
            if getattr(old, kept, None) != value:
                return f"{name}.{kept} was changed"
    return None
