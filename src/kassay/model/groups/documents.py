"""Clusters, members, histories and their results as JSON, for traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, NamedTuple

from kassay.model.calls import NO_ANSWER, Failure, Refusal, ReportedFailure, answer_to_json
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment, Member
from kassay.model.groups.history import EVENTS, AddPartitions, CreateTopic, Event, History, Reports
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.shape import codec
from kassay.model.shape.codec import (
    COUNT,
    PARTITIONS,
    TEXT,
    WHOLE,
    Field,
    Shape,
    identity,
    listed,
    optional,
    record,
    reference,
)
from kassay.model.shape.legal import INSTANCE_IDS, TOPIC_NAMES
from kassay.model.shape.parts import BROKERS


def _one_entry_a_partition(topic: Topic, path: str) -> None:
    for name, entries in (("replicas", topic.replicas), ("weights", topic.weights)):
        if entries is not None and len(entries) != topic.partitions:
            expected = f"expected {topic.partitions} entries, one per partition, got {len(entries)}"
            raise InputError(f"{path}.{name}: {expected}")


def _topics_once(cluster: Cluster, path: str) -> None:
    names = [topic.name for topic in cluster.topics]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path}.topics: {twice!r} is listed twice")
    codec.within((topic.partitions for topic in cluster.topics), f"{path}.topics")


def _owned_once(member: Member, path: str) -> None:
    if len(set(member.owned)) < len(member.owned):
        raise InputError(f"{path}.owned: a partition is listed twice")


def _begins(history: History, path: str) -> None:
    if not history.changes:
        raise InputError(f"{path}.changes: empty, expected at least the change that adds the first members")
    largest = {topic.name: topic.partitions for topic in history.cluster.topics}
    for event in (event for change in history.changes for event in change):
        if isinstance(event, CreateTopic):
            topic, count = event.topic.name, event.topic.partitions
        elif isinstance(event, AddPartitions):
            topic, count = event.topic, event.partitions
        else:
            continue
        largest[topic] = max(count, largest.get(topic, 0))
    codec.within(largest.values(), f"{path}.changes")


TOPIC: Final = record(
    Topic,
    name=identity("topic", TEXT, legal=TOPIC_NAMES),
    partitions=codec.size(),
    replicas=Field(optional(listed(listed(reference("broker", COUNT)))), None, sparse=True),
    weights=Field(optional(listed(COUNT)), None, sparse=True),
    topic_id=Field(optional(TEXT), None, sparse=True),
).checked(_one_entry_a_partition)
CLUSTER: Final = record(Cluster, brokers=Field(BROKERS, ()), topics=listed(TOPIC)).checked(_topics_once)
_TOPIC_NAME: Final = reference("topic", TEXT)
_RACK: Final = reference("rack", TEXT)
_NEW_MEMBER: Final = identity("member", TEXT)
_MEMBER: Final = reference("member", TEXT)
MEMBER: Final = record(
    Member,
    id=Field(_NEW_MEMBER, get="member_id"),
    topics=listed(_TOPIC_NAME),
    owned=Field(PARTITIONS, ()),
    generation=Field(codec.whole(-1), -1),
    rack=Field(optional(_RACK), None),
    instance_id=Field(optional(identity("instance", TEXT, legal=INSTANCE_IDS)), None),
).checked(_owned_once)
"""Excludes user data, which the target produces."""

_PARTS: Final[dict[str, Shape[Any]]] = {
    "member": MEMBER,
    "config": Shape(
        lambda value, path: tuple(codec.mapped(TEXT).read(value, path).items()), lambda config: dict(config)
    ),
    "member_id": _MEMBER,
    "new_member_id": _NEW_MEMBER,
    "topics": listed(_TOPIC_NAME),
    "topic": _TOPIC_NAME,
    "partitions": codec.size(1),
    "rack": optional(_RACK),
    "broker_id": reference("broker", WHOLE),
    "weights": listed(COUNT),
    "numbers": listed(COUNT),
    "owned": PARTITIONS,
    "generation": codec.whole(-1),
}


def _event_form(event: type[Event]) -> Shape[Event]:
    parts = _PARTS | {"topic": TOPIC} if event is CreateTopic else _PARTS
    return record(event, **{field.name: parts[field.name] for field in fields(event)})


HISTORY: Final = record(
    History,
    cluster=CLUSTER,
    reports=Field(codec.enum(Reports), Reports.JOINED),
    changes=listed(
        listed(codec.tagged("event", {name: (event, _event_form(event)) for name, event in EVENTS.items()}))
    ),
).checked(_begins)


class ReportedMember(NamedTuple):
    """A member of a round as a trace keeps it; `user_data` is in hex."""

    member_id: str
    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...]
    generation: int
    rack: str | None
    instance_id: str | None
    user_data: str | None = None


class ReportedRound(NamedTuple):
    """A round as a trace keeps it; a field that no member has is None, and so is a missing answer."""

    generation: int
    topics: Mapping[str, int]
    members: tuple[ReportedMember, ...]
    leader: str | None = None
    weights: Mapping[str, tuple[int, ...]] | None = None
    racks: Mapping[str, tuple[tuple[str, ...], ...]] | None = None
    configs: Mapping[str, Mapping[str, str]] | None = None
    assignable: tuple[TopicPartition, ...] | None = None
    answer: Mapping[str, tuple[TopicPartition, ...]] | None = None
    failure: ReportedFailure | None = None
    refused: Refusal | None = None


class ReportedRebalance(NamedTuple):
    """The rounds that a change led to, as a trace keeps them."""

    change: int
    settled: bool
    rounds: tuple[ReportedRound, ...]


def _from_hex(value: object, path: str) -> bytes:
    text = TEXT.read(value, path)
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise codec.wrong(path, "bytes in hex", text) from None


def _assignment(assigned: Mapping[str, Any], user_data: Mapping[str, bytes] | None) -> Assignment:
    return Assignment(assigned, user_data)


GIVEN: Final = codec.mapped(PARTITIONS)
"""What each member is assigned: of answers, not all need be right."""
HEX: Final[Shape[bytes]] = Shape(_from_hex, bytes.hex)
"""Bytes in hex."""
ASSIGNMENT: Final = record(
    _assignment,
    assigned=Field(GIVEN, get=dict),
    user_data=Field(codec.mapped(HEX), None, lambda answer: answer.user_data or None, sparse=True),
)
"""An answer in full: lists in the order of the answer, and user data for members."""
JOINED: Final = codec.mapped(record(dict[str, Any], generation=WHOLE, user_data=optional(HEX)))
"""The generation and the user data with which each member joined."""
REBALANCED: Final = record(
    ReportedRebalance,
    change=COUNT,
    settled=codec.FLAG,
    rounds=listed(
        record(
            ReportedRound,
            generation=WHOLE,
            topics=codec.mapped(COUNT),
            leader=Field(optional(TEXT), None),
            weights=Field(codec.mapped(listed(COUNT)), None, sparse=True),
            racks=Field(codec.mapped(listed(listed(TEXT))), None, sparse=True),
            configs=Field(codec.mapped(codec.mapped(TEXT)), None, sparse=True),
            assignable=Field(PARTITIONS, None, sparse=True),
            members=listed(
                record(
                    ReportedMember,
                    id=Field(TEXT, get="member_id"),
                    topics=listed(TEXT),
                    owned=PARTITIONS,
                    generation=WHOLE,
                    rack=optional(TEXT),
                    instance_id=optional(TEXT),
                    user_data=Field(TEXT, None, sparse=True),
                )
            ),
            answer=Field(GIVEN, None, sparse=True),
            **NO_ANSWER,
        )
    ),
)
"""The form of `rebalanced_to_json`; answers may violate claims."""


def rebalanced_to_json(rebalanced: Rebalanced) -> dict[str, Any]:
    """One change and its rounds as JSON, for a trace."""
    return {
        "change": rebalanced.index,
        "settled": rebalanced.settled,
        "rounds": [step_to_json(step) for step in rebalanced.steps],
    }


def step_to_json(step: Step) -> dict[str, Any]:
    """One round: the leader, what each member reports as owned, and what it is assigned.

    Partition weights, replica racks, configurations and user data (in hex) appear only if any are set.
    """
    cluster, group = step.cluster, step.group
    document: dict[str, Any] = {
        "generation": step.generation,
        "topics": dict(cluster.counts),
        "leader": group.leader,
        "members": [_member_to_json(member) for member in group.members],
    }
    weights = {t.name: list(t.weights) for t in cluster.by_name.values() if t.weights is not None}
    racks = {name: [sorted(held) for held in rows] for name, rows in cluster.replica_racks.items()}
    if weights:
        document["weights"] = weights
    if any(map(any, racks.values())):
        document["racks"] = racks
    if step.configs:
        document["configs"] = {member_id: dict(config) for member_id, config in step.configs.items()}
    if step.group.assignable is not None:
        document["assignable"] = PARTITIONS.write(sorted(step.group.assignable))
    if isinstance(step.answer, Failure):
        document |= answer_to_json(step.answer)
    else:
        document["answer"] = {member_id: PARTITIONS.write(tps) for member_id, tps in step.answer.items()}
    return document


def _member_to_json(member: Member) -> dict[str, Any]:
    document: dict[str, Any] = MEMBER.write(member)
    return document if member.user_data is None else document | {"user_data": member.user_data.hex()}
