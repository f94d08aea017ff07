"""A consumer group read from its brokers, as the same values that the outputs of Kafka's tools give.

Members' racks, subscriptions and protocols come from the wire, so nothing is assumed of what the wire has. A
file of the user's that says otherwise wins. Only requests that read are sent (`kassay.reading.live`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.re2 import InvalidExpression, compiled
from kassay.reading.documents import shown
from kassay.reading.kafka.groups import GroupOutputs, MemberRow, OffsetRow, Said, StateRow
from kassay.reading.kafka.lines import Place
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.groups import LiveGroup, LiveMember, NoConsumerGroup, describe_groups
from kassay.reading.live.offsets import committed, ends
from kassay.reading.live.other_groups import LiveOther, describe_other
from kassay.reading.live.topics import brokers_of, describe_topics


def read_live(cluster: LiveCluster, name: str, also: Iterable[str] = ()) -> ClusterInputs:
    """The group, its topics and those of `also`, the brokers, and what is left to read.

    Raises `InputError` if there is no group of consumers, share or Streams of that name, or no right to it.
    """
    group = describe_groups(cluster, [name])[name]
    if isinstance(group, NoConsumerGroup) and (other := describe_other(cluster, name)) is not None:
        return _inputs_of_other(cluster, other, also)
    if isinstance(group, InputError):
        raise group
    _require_consumers(cluster, group)
    offsets = committed(cluster, name)
    return inputs_of(cluster, group, offsets, also)


def inputs_of(
    cluster: LiveCluster, group: LiveGroup, offsets: dict[TopicPartition, int], also: Iterable[str] = ()
) -> ClusterInputs:
    """The values of one described group with these committed offsets; raises `InputError`."""
    inputs = ClusterInputs(files=[cluster.bootstrap])
    read = resolved(group, lambda: topic_names(cluster.metadata(None)))
    owned = {tp for member in group.members for tp in (*member.owned, *(member.target or ()))}
    named = {tp.topic for tp in (*owned, *offsets)}.union(*read.values(), also)
    inputs.topics = {}
    absent: tuple[str, ...] = ()
    if named:
        described = describe_topics(cluster, named)
        absent = described.absent
        for topic in described.topics:
            inputs.topics[topic.name] = topic.to_topic()
            inputs.described[topic.name] = topic
    inputs.take_brokers(brokers_of(cluster), cluster.bootstrap)
    last = ends(cluster, {row.partition: row.leader for row in inputs.rows}, {*offsets, *owned})
    inputs.groups.append(_outputs(cluster.bootstrap, group, offsets, last))
    inputs.racks = tuple(
        Said(Place(cluster.bootstrap, 0), each.member_id, (each.rack,))
        for each in group.members
        if each.rack is not None
    )
    inputs.subscriptions = tuple(
        Said(Place(cluster.bootstrap, 0), member, tuple(topic for topic in topics if topic in inputs.topics))
        for member, topics in read.items()
    )
    subscribed = {topic for topics in read.values() for topic in topics}
    inputs.notes += [
        f"topic {shown(topic)} does not exist, though a member subscribes to it"
        for topic in absent
        if topic in subscribed
    ]
    inputs.are_racks_known = all(each.topics is not None for each in group.members)
    return inputs


def _inputs_of_other(cluster: LiveCluster, other: LiveOther, also: Iterable[str]) -> ClusterInputs:
    """The values of a share or Streams group; raises `InputError`."""
    place = Place(cluster.bootstrap, 0)
    inputs = ClusterInputs(files=[cluster.bootstrap], others=[other.group], topics={})
    named = {topic for topics in other.subscriptions.values() for topic in topics}.union(also)
    described = describe_topics(cluster, named) if named else None
    for topic in () if described is None else described.topics:
        inputs.topics = {**(inputs.topics or {}), topic.name: topic.to_topic()}
        inputs.described[topic.name] = topic
    inputs.subscriptions = tuple(
        Said(place, member, tuple(topic for topic in topics if topic in (inputs.topics or {})))
        for member, topics in other.subscriptions.items()
    )
    inputs.take_brokers(brokers_of(cluster), cluster.bootstrap)
    return inputs


def topic_names(answer: Any) -> tuple[str, ...]:
    """The names of the topics in an answer of `LiveCluster.metadata` that we may describe."""
    return tuple(str(each.name) for each in answer.topics if not each.error_code)


def resolved(group: LiveGroup, all_names: Callable[[], tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The topics that each member subscribes to, without those that are not known.

    `all_names` are the topics of the cluster; called once, if there is an expression to resolve.
    """
    names: tuple[str, ...] | None = None
    read = {}
    for member in group.members:
        if member.topics is None:
            continue
        topics = set(member.topics)
        if member.regex:
            names = all_names() if names is None else names
            topics.update(_matching(member, names))
        read[member.member_id] = tuple(sorted(topics))
    return read


def _matching(member: LiveMember, names: Iterable[str]) -> Iterator[str]:
    """The topics that the member's expression matches; what it owns where we cannot read the expression."""
    try:
        expression = compiled(str(member.regex))
    except InvalidExpression:
        yield from {tp.topic for tp in (*member.owned, *(member.target or ()))}
        return
    yield from (name for name in names if expression.matches(name))


def _require_consumers(cluster: LiveCluster, group: LiveGroup) -> None:
    """Raises `InputError` if the members are no consumers."""
    if group.kind not in ("consumer", ""):
        raise InputError(
            f"{cluster.bootstrap}: group {shown(group.name)}: not a consumer group ({group.kind}), "
            "expected one of plain consumers"
        )


def _outputs(
    bootstrap: str, group: LiveGroup, offsets: dict[TopicPartition, int], last: dict[TopicPartition, int]
) -> GroupOutputs:
    """Members, state and offsets of the group."""
    members = tuple(
        MemberRow(
            Place(bootstrap, number),
            group.name,
            each.member_id,
            each.instance_id,
            each.client_id,
            each.host,
            len(each.owned),
            tuple((tp.topic, tp.partition) for tp in each.owned),
            lost=False,
            target=None if each.target is None else tuple((tp.topic, tp.partition) for tp in each.target),
            epoch=each.epoch,
            target_epoch=group.target_epoch,
            is_consumer=each.is_consumer,
        )
        for number, each in enumerate(group.members, start=1)
    )
    state = StateRow(
        Place(bootstrap, 0), group.name, group.strategy, group.state, group.epoch, len(group.members)
    )
    return GroupOutputs(tuple(_offset_rows(bootstrap, group, offsets, last)), members, (state,))


def _offset_rows(
    bootstrap: str, group: LiveGroup, offsets: dict[TopicPartition, int], last: dict[TopicPartition, int]
) -> Iterator[OffsetRow]:
    """A row for each partition with an owner or a committed offset, as the tool prints it."""
    owners = {tp: each for each in group.members for tp in each.owned}
    for number, tp in enumerate(sorted({*offsets, *owners}), start=1):
        owner = owners.get(tp)
        lag = last[tp] - offsets[tp] if tp in last and tp in offsets else None
        yield OffsetRow(
            Place(bootstrap, number),
            group.name,
            tp.topic,
            tp.partition,
            None if lag is None else max(lag, 0),
            None if owner is None else owner.member_id,
            None if owner is None else owner.client_id,
            None if owner is None else owner.host,
            is_past_end=lag is not None and lag < 0,
        )
