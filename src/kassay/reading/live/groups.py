"""Consumer groups as their coordinators describe them: members with racks, subscriptions and protocol.

ConsumerGroupDescribe (KIP-848) has all of a group of the consumer protocol, the racks of its members and
which of them still speak the classic protocol. DescribeGroups has the bytes that a member of a classic group
joined with: its subscription, its rack since version 3 (KIP-881), and the bytes that the leader assigned it.
Source: `ConsumerGroupDescribeResponse.json`, `DescribeGroupsResponse.json`, `ConsumerProtocolSubscription`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import shown
from kassay.reading.kafka.offsets.values import read_assignment, read_subscription
from kassay.reading.live.cluster import LOADING, TOPIC_RIGHT, LiveCluster, MissingRight
from kassay.reading.live.failures import ConnectFailure

_NOT_FOUND: Final = frozenset({69})
_DEAD: Final = "Dead"
_FIRST_VERSION: Final = b"\0\0"
_BATCH: Final = 100
"""Groups in one request."""


class NoConsumerGroup(InputError):
    """There is no group of the name, or one that is none of consumers."""


@dataclass(frozen=True)
class LiveMember:
    """A member; `topics` and `rack` are None where the coordinator does not know them.

    `regex`: the expression that the member subscribes to, on top of `topics`.
    """

    member_id: str
    instance_id: str | None
    client_id: str | None
    host: str | None
    rack: str | None
    topics: tuple[str, ...] | None
    regex: str | None
    owned: tuple[TopicPartition, ...]
    target: tuple[TopicPartition, ...] | None
    epoch: int | None
    is_consumer: bool


@dataclass(frozen=True)
class LiveGroup:
    """A group; `kind` is its protocol type: `consumer`, `connect`, or "" where it has offsets alone.

    `epoch` and `target_epoch` are those of KIP-848, None in the classic protocol.
    """

    name: str
    kind: str
    is_consumer: bool
    state: str
    strategy: str | None
    epoch: int | None
    target_epoch: int | None
    members: tuple[LiveMember, ...]


@dataclass(frozen=True)
class ListedGroup:
    """A group by name, as ListGroups has it; `group_type` is "" before Kafka 4.0 and `state` before 2.6.

    `node`: the broker that lists the group, and coordinates it.
    """

    name: str
    protocol_type: str
    state: str
    group_type: str
    node: int

    @property
    def is_of_consumers(self) -> bool:
        """Whether its members are plain consumers, or it has offsets alone."""
        return self.group_type.lower() not in ("share", "streams") and self.protocol_type in ("consumer", "")


def list_groups(cluster: LiveCluster) -> tuple[ListedGroup, ...]:
    """The groups that we may describe, by name; raises `InputError`."""
    listed = {}
    for node in sorted(cluster.nodes):
        answer = cluster.ask("ListGroups", {}, node)
        if answer.error_code and answer.error_code not in LOADING:
            raise cluster.refused(answer.error_code, "cluster", None)
        for each in answer.groups:
            state, group_type = getattr(each, "group_state", "") or "", getattr(each, "group_type", "") or ""
            listed[each.group_id] = ListedGroup(each.group_id, each.protocol_type, state, group_type, node)
    return tuple(listed[name] for name in sorted(listed))


def describe_groups(cluster: LiveCluster, names: Iterable[str]) -> dict[str, LiveGroup | InputError]:
    """The groups by name; in place of one that cannot be described stands its error."""
    described: dict[str, LiveGroup | InputError] = {}
    for node, groups in _coordinated(cluster, names, described).items():
        for batch in batches(groups):
            described.update(_described(cluster, node, batch))
    return described


def describe_listed(cluster: LiveCluster, listed: Iterable[ListedGroup]) -> dict[str, LiveGroup | InputError]:
    """The listed groups of consumers by name, with a request for each hundred of them on a broker.

    In place of one that cannot be described stands its error; raises `ConnectFailure`.
    """
    kinds: dict[tuple[int, bool], list[str]] = {}
    for each in listed:
        kinds.setdefault((each.node, each.group_type.lower() == "classic"), []).append(each.name)
    described: dict[str, LiveGroup | InputError] = {}
    for (node, are_classic), names in kinds.items():
        for batch in batches(names):
            try:
                described.update(_described(cluster, node, batch, are_classic=are_classic))
            except ConnectFailure:
                raise
            except InputError as error:
                described.update(dict.fromkeys(batch, error))
    return described


def batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The names, as many at a time as one request has."""
    return (names[at : at + _BATCH] for at in range(0, len(names), _BATCH))


def _described(
    cluster: LiveCluster, node: int, names: Sequence[str], *, are_classic: bool = False
) -> dict[str, LiveGroup | InputError]:
    """The groups of one request on their coordinator."""
    described: dict[str, LiveGroup | InputError] = dict.fromkeys(names, _ABSENT)
    if not are_classic and cluster.offers("ConsumerGroupDescribe", node) >= 0:
        answers = _answers(cluster, "ConsumerGroupDescribe", {"group_ids": names}, node)
        described.update((name, _consumer(cluster, each)) for name, each in answers.items())
    classic = [name for name in names if described[name] is _ABSENT]
    if classic:
        answers = _answers(cluster, "DescribeGroups", {"groups": classic}, node)
        described.update((name, _classic(cluster, each)) for name, each in answers.items())
    return described


_ABSENT: Final = InputError("no group of the consumer protocol")


def _coordinated(
    cluster: LiveCluster, names: Iterable[str], errors: dict[str, LiveGroup | InputError]
) -> Mapping[int, list[str]]:
    """The groups by coordinator; for one without any its error."""
    by_node: dict[int, list[str]] = {}
    for name in names:
        try:
            for node, groups in cluster.coordinators([name]).items():
                by_node.setdefault(node, []).extend(groups)
        except InputError as error:
            errors[name] = error
    return by_node


def _answers(cluster: LiveCluster, request: str, fields: Mapping[str, Any], node: int) -> dict[str, Any]:
    """The described groups of an answer, requested again while the coordinator loads one."""

    def ask() -> tuple[int, Any]:
        answer = cluster.ask(request, fields, node)
        loading = next((each.error_code for each in answer.groups if each.error_code in LOADING), 0)
        return loading, {each.group_id: each for each in answer.groups}

    answers: dict[str, Any] = cluster.settled(ask, "group", "")
    return answers


def _refused(cluster: LiveCluster, described: Any) -> InputError | None:
    """The error in place of a description; None if there is one."""
    if described.error_code == TOPIC_RIGHT:
        return MissingRight(cluster.bootstrap, "Describe", "topic", None)
    return (
        cluster.refused(described.error_code, "group", described.group_id) if described.error_code else None
    )


def _consumer(cluster: LiveCluster, described: Any) -> LiveGroup | InputError:
    """A group of the consumer protocol."""
    if described.error_code in _NOT_FOUND:
        return _ABSENT
    if (error := _refused(cluster, described)) is not None:
        return error
    members = tuple(
        LiveMember(
            each.member_id,
            each.instance_id or None,
            each.client_id or None,
            each.client_host or None,
            each.rack_id or None,
            tuple(each.subscribed_topic_names),
            each.subscribed_topic_regex or None,
            _partitions(each.assignment),
            _partitions(each.target_assignment),
            each.member_epoch,
            each.member_type != 0,
        )
        for each in described.members
    )
    return LiveGroup(
        described.group_id,
        "consumer",
        is_consumer=True,
        state=described.group_state,
        strategy=described.assignor_name or None,
        epoch=described.group_epoch,
        target_epoch=described.assignment_epoch,
        members=members,
    )


def _partitions(assignment: Any) -> tuple[TopicPartition, ...]:
    return tuple(
        TopicPartition(each.topic_name, number)
        for each in assignment.topic_partitions
        for number in each.partitions
    )


def _classic(cluster: LiveCluster, described: Any) -> LiveGroup | InputError:
    """A group of the classic protocol."""
    if described.error_code in _NOT_FOUND or (described.group_state == _DEAD and not described.error_code):
        return NoConsumerGroup(
            f"{cluster.bootstrap}: group {shown(described.group_id)}: {_absent(cluster, described)}"
        )
    if (error := _refused(cluster, described)) is not None:
        return error
    is_of_consumers = described.protocol_type in ("consumer", "")
    return LiveGroup(
        described.group_id,
        described.protocol_type,
        is_consumer=False,
        state=described.group_state,
        strategy=described.protocol_data or None,
        epoch=None,
        target_epoch=None,
        members=tuple(_classic_member(each) for each in described.members) if is_of_consumers else (),
    )


def _absent(cluster: LiveCluster, described: Any) -> str:
    """Why there is no such group: none of the name, or one of another type."""
    listed = {each.name: each for each in list_groups(cluster)}
    if described.group_id not in listed:
        return "does not exist"
    kind = listed[described.group_id].group_type or "share or Streams"
    return f"it is no consumer group but a {kind.replace('Classic', 'classic')} group"


def _classic_member(member: Any) -> LiveMember:
    """A member with what its subscription and its assignment say; unreadable bytes say nothing."""
    topics, rack = _subscribed(bytes(member.member_metadata))
    try:
        owned = read_assignment(bytes(member.member_assignment)).partitions
    except InputError:
        owned = ()
    return LiveMember(
        member.member_id,
        getattr(member, "group_instance_id", None) or None,
        member.client_id or None,
        member.client_host or None,
        rack,
        topics,
        None,
        tuple(TopicPartition(*tp) for tp in owned),
        None,
        None,
        is_consumer=False,
    )


def _subscribed(data: bytes) -> tuple[tuple[str, ...] | None, str | None]:
    """The topics and the rack in the bytes of a subscription, None where they say nothing.

    Some libraries write a later version without its fields: what the first version has is there.
    """
    for tried in (data, _FIRST_VERSION + data[2:]):
        try:
            subscription = read_subscription(tried)
        except InputError:
            continue
        return tuple(dict.fromkeys(subscription.topics)), subscription.rack
    return None, None
