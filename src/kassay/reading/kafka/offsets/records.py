"""The records of `__consumer_offsets`, from the JSON in which Kafka's tools print their keys and values.

A key's type is the kind of the record: commits of offsets (0, 1) are not parsed, `GroupMetadata` (2) is
a generation of a classic group; 3 to 8 and 16 are of a consumer group (KIP-848), 10 to 15 of a share
group (KIP-932), 17 to 23 of a Streams group (KIP-1071). The bytes of a classic member are base64
(console consumer) or JSON (kafka-dump-log, where it can read them). Fields that a newer Kafka adds are
skipped.

Source: Kafka `group-coordinator/src/main/resources/common/message`, 4.0 to 4.4.

Each reader takes the data of a value and its path, and raises `InputError` that names the field. Source:
Kafka `ShareGroup*Value.json`, 4.0 to 4.4, and `StreamsGroup*Value.json`, 4.1 to 4.4, in the same folder.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, Final, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import NO_GENERATION
from kassay.model.shape.codec import MOST
from kassay.reading.documents import wrong
from kassay.reading.kafka.offsets.fields import fields_in
from kassay.reading.kafka.offsets.values import (
    ClassicGeneration,
    ConsumerAssignment,
    ConsumerSubscription,
    CurrentPartitions,
    GenerationMember,
    GroupEpoch,
    GroupRecord,
    GroupTopology,
    GroupValue,
    MemberSubscription,
    NamedTopics,
    RecordType,
    ResolvedRegex,
    ShareableTopics,
    SourceTopics,
    TargetEpoch,
    TargetPartitions,
    read_assignment,
    read_subscription,
)

_T = TypeVar("_T")
JsonObject = Mapping[str, Any]


def object_of(value: object, path: str) -> JsonObject:
    """The object at the path; raises `InputError` if there is none."""
    if not isinstance(value, dict):
        raise wrong(path, value, "an object")
    return value


def text_of(data: JsonObject, name: str, path: str) -> str:
    """The text of a field; raises `InputError` for anything else."""
    value = data.get(name)
    if not isinstance(value, str):
        raise wrong(f"{path}.{name}", value, "a text")
    return value


def optional_text(data: JsonObject, name: str, path: str) -> str | None:
    """The text of a field, None where it is missing or null; raises `InputError` for anything else."""
    return None if data.get(name) is None else text_of(data, name, path)


def int_of(data: JsonObject, name: str, path: str) -> int:
    """The whole number of a field; raises `InputError` for anything else."""
    value = data.get(name)
    if type(value) is not int:
        raise wrong(f"{path}.{name}", value, "a whole number")
    return value


def each_of(data: JsonObject, name: str, path: str, read: Callable[[object, str], _T]) -> tuple[_T, ...]:
    """The results of `read` for each item of a list and its path; raises `InputError`."""
    value, where = data.get(name), f"{path}.{name}"
    if not isinstance(value, list):
        raise wrong(where, value, "a list")
    return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(value))


def texts_of(data: JsonObject, name: str, path: str) -> tuple[str, ...]:
    """The texts of a list; raises `InputError` for anything else."""

    def text(item: object, at: str) -> str:
        if not isinstance(item, str):
            raise wrong(at, item, "a text")
        return item

    return each_of(data, name, path, text)


def by_topic(data: JsonObject, name: str, topic: str, path: str) -> tuple[TopicPartition, ...]:
    """Partitions listed topic by topic, with `topic` as the field of a topic's name; raises `InputError`."""

    rows, where = data.get(name), f"{path}.{name}"
    if not isinstance(rows, list):
        raise wrong(where, rows, "a list")
    parts: list[tuple[TopicPartition, ...]] = []
    for index, row in enumerate(rows):
        fields = object_of(row, where) if isinstance(row, dict) else object_of(row, f"{where}[{index}]")
        its, numbers = fields.get(topic), fields.get("partitions")
        if not isinstance(its, str):
            text_of(fields, topic, f"{where}[{index}]")
        elif not isinstance(numbers, list) or not _are_numbers(numbers):
            expected = f"numbers of partitions, from 0 and below {MOST}"
            raise wrong(f"{where}[{index}].partitions", numbers, expected)
        else:
            parts.append(_partitions(its, tuple(numbers)))
    return tuple(chain.from_iterable(parts))


def _are_numbers(values: list[Any]) -> bool:
    """Whether all are whole numbers that a partition can have."""
    return not values or ({*map(type, values)} == {int} and min(values) >= 0 and max(values) < MOST)


@lru_cache(maxsize=1 << 14)
def _partitions(topic: str, numbers: tuple[int, ...]) -> tuple[TopicPartition, ...]:
    """The partitions of a topic; members mostly keep what they have from record to record."""
    return tuple(map(TopicPartition, repeat(topic), numbers))


def share_member(data: JsonObject, path: str) -> MemberSubscription:
    """A member's subscription."""
    return MemberSubscription(
        texts_of(data, "subscribedTopicNames", path),
        None,
        text_of(data, "clientId", path),
        text_of(data, "clientHost", path),
        None,
        optional_text(data, "rackId", path) or None,
    )


def share_current(data: JsonObject, path: str) -> CurrentPartitions:
    """A member's current partitions; it never waits for other members to give up theirs."""
    return CurrentPartitions(
        int_of(data, "memberEpoch", path),
        int_of(data, "previousMemberEpoch", path),
        int_of(data, "state", path),
        by_topic(data, "assignedPartitions", "topicId", path),
        (),
    )


def shareable_topics(data: JsonObject, path: str) -> ShareableTopics:
    """The assignable partitions: those whose state is initialised."""

    def named(item: object, at: str) -> tuple[str, str]:
        fields = object_of(item, at)
        return text_of(fields, "topicId", at), text_of(fields, "topicName", at)

    lists = ("initializingTopics", "initializedTopics")
    names = dict(pair for each in lists for pair in each_of(data, each, path, named))
    initializing, ready = (by_topic(data, each, "topicId", path) for each in lists)
    return ShareableTopics(names, ready, initializing)


_STANDBYS: Final = "num.standby.replicas"


def streams_epoch(data: JsonObject, path: str) -> GroupEpoch:
    """The epoch of the group, and its number of standbys."""

    def configured(item: object, at: str) -> tuple[str, str]:
        fields = object_of(item, at)
        return text_of(fields, "key", at), text_of(fields, "value", at)

    known = data.get("lastAssignmentConfigs") is not None
    configs = dict(each_of(data, "lastAssignmentConfigs", path, configured)) if known else {}
    standbys = configs.get(_STANDBYS, "")
    epoch = int_of(data, "epoch", path)
    copies = int(standbys) if standbys.isdecimal() and len(standbys) < 6 else None
    checked = data.get("validatedTopologyEpoch")
    return GroupEpoch(epoch, copies, _metadata_hash(data), checked if type(checked) is int else None)


def streams_member(data: JsonObject, path: str) -> MemberSubscription:
    """A thread, its process, and the topology that it has."""
    return MemberSubscription(
        (),
        None,
        text_of(data, "clientId", path),
        text_of(data, "clientHost", path),
        optional_text(data, "instanceId", path),
        optional_text(data, "rackId", path) or None,
        process_id=text_of(data, "processId", path),
        topology_epoch=int_of(data, "topologyEpoch", path),
    )


def streams_target(data: JsonObject, path: str) -> TargetPartitions:
    """The target tasks of a thread."""
    return TargetPartitions(
        _tasks(data, path, "activeTasks"), _tasks(data, path, "standbyTasks", "warmupTasks")
    )


def streams_current(data: JsonObject, path: str) -> CurrentPartitions:
    """The tasks that a thread has, and those that it must give up."""
    return CurrentPartitions(
        int_of(data, "memberEpoch", path),
        int_of(data, "previousMemberEpoch", path),
        int_of(data, "state", path),
        _tasks(data, path, "activeTasks"),
        _tasks(data, path, "activeTasksPendingRevocation"),
        _tasks(data, path, "standbyTasks", "warmupTasks"),
    )


def _tasks(data: JsonObject, path: str, *names: str) -> tuple[TopicPartition, ...]:
    return tuple(task for name in names for task in by_topic(data, name, "subtopologyId", path))


def group_topology(data: JsonObject, path: str) -> GroupTopology:
    """The subtopologies, each with its source topics."""

    def subtopology(item: object, at: str) -> tuple[str, SourceTopics]:
        fields = object_of(item, at)
        repartitioned = each_of(
            fields, "repartitionSourceTopics", at, lambda each, on: text_of(object_of(each, on), "name", on)
        )
        changelogs = each_of(fields, "stateChangelogTopics", at, object_of)
        sources = texts_of(fields, "sourceTopics", at)
        by_regex = bool(texts_of(fields, "sourceTopicRegex", at))
        return text_of(fields, "subtopologyId", at), SourceTopics(
            (*sources, *repartitioned), by_regex, bool(changelogs)
        )

    return GroupTopology(int_of(data, "epoch", path), dict(each_of(data, "subtopologies", path, subtopology)))


CONSUMER: Final = "consumer"
"""The protocol type of groups whose bytes are those of consumers."""
OFFSET_COMMITS: Final = frozenset({0, 1})
SHARE: Final = frozenset(range(9, 16))
STREAMS: Final = frozenset(range(17, 24))
"""Types of records about these groups, and one (9) that only an earlier Kafka wrote."""


def type_of(key: object, path: str) -> int:
    """The type of a record's key, a number or (of kafka-dump-log) a text; raises `InputError`."""
    fields = object_of(key, path)
    number = fields.get("type", fields.get("version"))
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 6:
        return int(number)
    if isinstance(number, bool) or not isinstance(number, int):
        raise wrong(f"{path}.type", number, "the number of a record's type")
    return number


def read_record(key: object, value: object) -> GroupRecord | None:
    """The record of a group, None for one of a type that is not parsed.

    `value` is None for a tombstone. Raises `InputError` that names the field.
    """
    number = type_of(key, "key")
    try:
        kind = RecordType(number)
    except ValueError:
        return None
    data = object_of(object_of(key, "key").get("data"), "key.data")
    group = text_of(data, "group" if kind is RecordType.CLASSIC_GROUP else "groupId", "key.data")
    part = text_of(data, _PARTS[kind], "key.data") if kind in _PARTS else ""
    if value is None:
        return GroupRecord(kind, group, part, None)
    inner = object_of(object_of(value, "value").get("data"), "value.data")
    fields = frozenset(fields_in(inner))
    return GroupRecord(kind, group, part, _READERS[kind](inner, "value.data"), fields)


_PARTS: Final = {
    RecordType.SUBSCRIPTION: "memberId",
    RecordType.TARGET: "memberId",
    RecordType.CURRENT: "memberId",
    RecordType.REGEX: "regularExpression",
    RecordType.SHARE_MEMBER: "memberId",
    RecordType.SHARE_TARGET: "memberId",
    RecordType.SHARE_CURRENT: "memberId",
    RecordType.STREAMS_MEMBER: "memberId",
    RecordType.STREAMS_TARGET: "memberId",
    RecordType.STREAMS_CURRENT: "memberId",
}


def _classic_generation(data: JsonObject, path: str) -> ClassicGeneration:
    protocol_type = text_of(data, "protocolType", path)
    of_consumers = protocol_type == CONSUMER
    since = data.get("currentStateTimestamp")
    return ClassicGeneration(
        protocol_type,
        int_of(data, "generation", path),
        optional_text(data, "protocol", path),
        optional_text(data, "leader", path),
        each_of(
            data, "members", path, lambda item, at: _classic_member(object_of(item, at), at, of_consumers)
        ),
        since if type(since) is int and since >= 0 else None,
    )


def _classic_member(data: JsonObject, path: str, of_consumers: bool) -> GenerationMember:
    subscription, assignment, unread = None, None, None
    if of_consumers:
        try:
            subscription = _of_bytes(data, "subscription", path, _subscription, read_subscription)
            assignment = _of_bytes(data, "assignment", path, _assignment, read_assignment)
        except InputError as error:
            subscription, assignment, unread = None, None, str(error)
    return GenerationMember(
        text_of(data, "memberId", path),
        text_of(data, "clientId", path),
        text_of(data, "clientHost", path),
        optional_text(data, "groupInstanceId", path),
        subscription,
        assignment,
        unread,
        _milliseconds(data, "sessionTimeout"),
        _milliseconds(data, "rebalanceTimeout"),
    )


def _milliseconds(data: JsonObject, name: str) -> int | None:
    """A time-out; None where an old record has none."""
    value = data.get(name)
    return value if type(value) is int and value >= 0 else None


def _of_bytes(
    data: JsonObject,
    name: str,
    path: str,
    of_json: Callable[[JsonObject, str], _T],
    of_bytes: Callable[[bytes], _T],
) -> _T:
    """The content of a field: an object if kafka-dump-log could read the bytes, else the bytes in base64."""
    held, where = data.get(name), f"{path}.{name}"
    if isinstance(held, str):
        try:
            raw = base64.b64decode(held, validate=True)
        except (binascii.Error, ValueError):
            raise wrong(where, held, "bytes in base64") from None
        try:
            return of_bytes(raw)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    return of_json(object_of(held, where), where)


def _subscription(data: JsonObject, path: str) -> ConsumerSubscription:
    generation = data.get("generationId")
    return ConsumerSubscription(
        texts_of(data, "topics", path),
        by_topic(data, "ownedPartitions", "topic", path) if "ownedPartitions" in data else (),
        generation if type(generation) is int else NO_GENERATION,
        optional_text(data, "rackId", path) or None,
        _user_data(data, path),
    )


def _assignment(data: JsonObject, path: str) -> ConsumerAssignment:
    return ConsumerAssignment(by_topic(data, "assignedPartitions", "topic", path), _user_data(data, path))


def _user_data(data: JsonObject, path: str) -> bytes | None:
    text = optional_text(data, "userData", path)
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise wrong(f"{path}.userData", text, "bytes in base64") from None


def _group_epoch(data: JsonObject, path: str) -> GroupEpoch:
    return GroupEpoch(int_of(data, "epoch", path), metadata_hash=_metadata_hash(data))


def _metadata_hash(data: JsonObject) -> int | None:
    """The hash of the topics that the group reads; None before Kafka 4.1, where a record has their counts."""
    value = data.get("metadataHash")
    return value if type(value) is int else None


def _named_topics(data: JsonObject, path: str) -> NamedTopics:
    def topic(item: object, at: str) -> tuple[str, tuple[str, int]]:
        fields = object_of(item, at)
        return text_of(fields, "topicId", at), (
            text_of(fields, "topicName", at),
            int_of(fields, "numPartitions", at),
        )

    return NamedTopics(dict(each_of(data, "topics", path, topic)))


def _member_subscription(data: JsonObject, path: str) -> MemberSubscription:
    return MemberSubscription(
        texts_of(data, "subscribedTopicNames", path),
        optional_text(data, "subscribedTopicRegex", path) or None,
        text_of(data, "clientId", path),
        text_of(data, "clientHost", path),
        optional_text(data, "instanceId", path),
        optional_text(data, "rackId", path) or None,
        optional_text(data, "serverAssignor", path) or None,
        data.get("classicMemberMetadata") is not None,
    )


def _target_epoch(data: JsonObject, path: str) -> TargetEpoch:
    return TargetEpoch(int_of(data, "assignmentEpoch", path))


def _target(data: JsonObject, path: str) -> TargetPartitions:
    return TargetPartitions(by_topic(data, "topicPartitions", "topicId", path))


def _current(data: JsonObject, path: str) -> CurrentPartitions:
    return CurrentPartitions(
        int_of(data, "memberEpoch", path),
        int_of(data, "previousMemberEpoch", path),
        int_of(data, "state", path),
        by_topic(data, "assignedPartitions", "topicId", path),
        by_topic(data, "partitionsPendingRevocation", "topicId", path),
    )


def _resolved_regex(data: JsonObject, path: str) -> ResolvedRegex:
    return ResolvedRegex(texts_of(data, "topics", path))


_READERS: Final[Mapping[RecordType, Callable[[JsonObject, str], GroupValue]]] = {
    RecordType.CLASSIC_GROUP: _classic_generation,
    RecordType.GROUP_EPOCH: _group_epoch,
    RecordType.PARTITION_COUNTS: _named_topics,
    RecordType.SUBSCRIPTION: _member_subscription,
    RecordType.TARGET_EPOCH: _target_epoch,
    RecordType.TARGET: _target,
    RecordType.CURRENT: _current,
    RecordType.REGEX: _resolved_regex,
    RecordType.SHARE_MEMBER: share_member,
    RecordType.SHARE_EPOCH: _group_epoch,
    RecordType.SHARE_TARGET_EPOCH: _target_epoch,
    RecordType.SHARE_TARGET: _target,
    RecordType.SHARE_CURRENT: share_current,
    RecordType.SHARE_STATE: shareable_topics,
    RecordType.STREAMS_EPOCH: streams_epoch,
    RecordType.STREAMS_MEMBER: streams_member,
    RecordType.STREAMS_TARGET_EPOCH: _target_epoch,
    RecordType.STREAMS_TARGET: streams_target,
    RecordType.STREAMS_CURRENT: streams_current,
    RecordType.STREAMS_TOPOLOGY: group_topology,
}
