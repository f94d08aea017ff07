"""The records of `__consumer_offsets`, from the JSON in which Kafka's tools print their keys and values.

A key's type says what the record is: commits of offsets (0, 1) are not looked into, `GroupMetadata` (2) is a
generation of a classic group, 3 to 8 and 16 are a consumer group of KIP-848, others share and Streams groups.
The bytes of a classic member are base64 (console consumer) or JSON (kafka-dump-log, where it can read them).
Fields that a newer Kafka adds are passed over.

Source: Kafka `group-coordinator/src/main/resources/common/message`, 4.0 to 4.4.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.codec import MOST
from kassay.model.errors import InputError
from kassay.model.groups.group import NO_GENERATION
from kassay.reading.fields import wrong
from kassay.reading.kafka.offsets.consumer_protocol import (
    ConsumerAssignment,
    ConsumerSubscription,
    read_assignment,
    read_subscription,
)
from kassay.reading.kafka.offsets.values import (
    ClassicGeneration,
    CurrentPartitions,
    GenerationMember,
    GroupEpoch,
    GroupRecord,
    GroupValue,
    MemberSubscription,
    NamedTopics,
    RecordType,
    ResolvedRegex,
    TargetEpoch,
    TargetPartitions,
)

CONSUMER: Final = "consumer"
"""The protocol type of groups whose bytes are those of consumers."""
OFFSET_COMMITS: Final = frozenset({0, 1})
SHARE: Final = frozenset(range(10, 16))
STREAMS: Final = frozenset(range(17, 24))
_T = TypeVar("_T")
_Object = Mapping[str, Any]


def type_of(key: object, path: str) -> int:
    """The type of a record's key, a number or (of kafka-dump-log) a text; raises `InputError`."""
    fields = _object(key, path)
    number = fields.get("type", fields.get("version"))
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 6:
        return int(number)
    if isinstance(number, bool) or not isinstance(number, int):
        raise wrong(f"{path}.type", number, "the number of a record's type")
    return number


def read_record(key: object, value: object) -> GroupRecord | None:
    """The record of a group, None for one of a type that is not looked into.

    `value` is None for a tombstone. Raises `InputError` that names the field.
    """
    number = type_of(key, "key")
    try:
        kind = RecordType(number)
    except ValueError:
        return None
    data = _object(_object(key, "key").get("data"), "key.data")
    group = _text(data, "group" if kind is RecordType.CLASSIC_GROUP else "groupId", "key.data")
    part = _text(data, _PARTS[kind], "key.data") if kind in _PARTS else ""
    if value is None:
        return GroupRecord(kind, group, part, None)
    inner = _object(_object(value, "value").get("data"), "value.data")
    return GroupRecord(kind, group, part, _READERS[kind](inner, "value.data"))


_PARTS: Final = {
    RecordType.SUBSCRIPTION: "memberId",
    RecordType.TARGET: "memberId",
    RecordType.CURRENT: "memberId",
    RecordType.REGEX: "regularExpression",
}


def _classic_generation(data: _Object, path: str) -> ClassicGeneration:
    protocol_type = _text(data, "protocolType", path)
    of_consumers = protocol_type == CONSUMER
    since = data.get("currentStateTimestamp")
    return ClassicGeneration(
        protocol_type,
        _int(data, "generation", path),
        _optional_text(data, "protocol", path),
        _optional_text(data, "leader", path),
        _each(data, "members", path, lambda item, at: _classic_member(_object(item, at), at, of_consumers)),
        since if type(since) is int and since >= 0 else None,
    )


def _classic_member(data: _Object, path: str, of_consumers: bool) -> GenerationMember:
    subscription, assignment, unread = None, None, None
    if of_consumers:
        try:
            subscription = _of_bytes(data, "subscription", path, _subscription, read_subscription)
            assignment = _of_bytes(data, "assignment", path, _assignment, read_assignment)
        except InputError as error:
            subscription, assignment, unread = None, None, str(error)
    return GenerationMember(
        _text(data, "memberId", path),
        _text(data, "clientId", path),
        _text(data, "clientHost", path),
        _optional_text(data, "groupInstanceId", path),
        subscription,
        assignment,
        unread,
    )


def _of_bytes(
    data: _Object,
    name: str,
    path: str,
    of_json: Callable[[_Object, str], _T],
    of_bytes: Callable[[bytes], _T],
) -> _T:
    """What a field holds: an object where kafka-dump-log could read the bytes, else the bytes in base64."""
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
    return of_json(_object(held, where), where)


def _subscription(data: _Object, path: str) -> ConsumerSubscription:
    generation = data.get("generationId")
    return ConsumerSubscription(
        _texts(data, "topics", path),
        _by_topic(data, "ownedPartitions", "topic", path) if "ownedPartitions" in data else (),
        generation if type(generation) is int else NO_GENERATION,
        _optional_text(data, "rackId", path) or None,
        _user_data(data, path),
    )


def _assignment(data: _Object, path: str) -> ConsumerAssignment:
    return ConsumerAssignment(_by_topic(data, "assignedPartitions", "topic", path), _user_data(data, path))


def _user_data(data: _Object, path: str) -> bytes | None:
    text = _optional_text(data, "userData", path)
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise wrong(f"{path}.userData", text, "bytes in base64") from None


def _group_epoch(data: _Object, path: str) -> GroupEpoch:
    return GroupEpoch(_int(data, "epoch", path))


def _named_topics(data: _Object, path: str) -> NamedTopics:
    def topic(item: object, at: str) -> tuple[str, tuple[str, int]]:
        fields = _object(item, at)
        return _text(fields, "topicId", at), (
            _text(fields, "topicName", at),
            _int(fields, "numPartitions", at),
        )

    return NamedTopics(dict(_each(data, "topics", path, topic)))


def _member_subscription(data: _Object, path: str) -> MemberSubscription:
    return MemberSubscription(
        _texts(data, "subscribedTopicNames", path),
        _optional_text(data, "subscribedTopicRegex", path) or None,
        _text(data, "clientId", path),
        _text(data, "clientHost", path),
        _optional_text(data, "instanceId", path),
        _optional_text(data, "rackId", path) or None,
        _optional_text(data, "serverAssignor", path) or None,
        data.get("classicMemberMetadata") is not None,
    )


def _target_epoch(data: _Object, path: str) -> TargetEpoch:
    return TargetEpoch(_int(data, "assignmentEpoch", path))


def _target(data: _Object, path: str) -> TargetPartitions:
    return TargetPartitions(_by_topic(data, "topicPartitions", "topicId", path))


def _current(data: _Object, path: str) -> CurrentPartitions:
    return CurrentPartitions(
        _int(data, "memberEpoch", path),
        _int(data, "previousMemberEpoch", path),
        _int(data, "state", path),
        _by_topic(data, "assignedPartitions", "topicId", path),
        _by_topic(data, "partitionsPendingRevocation", "topicId", path),
    )


def _resolved_regex(data: _Object, path: str) -> ResolvedRegex:
    return ResolvedRegex(_texts(data, "topics", path))


_READERS: Final[Mapping[RecordType, Callable[[_Object, str], GroupValue]]] = {
    RecordType.CLASSIC_GROUP: _classic_generation,
    RecordType.GROUP_EPOCH: _group_epoch,
    RecordType.PARTITION_COUNTS: _named_topics,
    RecordType.SUBSCRIPTION: _member_subscription,
    RecordType.TARGET_EPOCH: _target_epoch,
    RecordType.TARGET: _target,
    RecordType.CURRENT: _current,
    RecordType.REGEX: _resolved_regex,
}


def _object(value: object, path: str) -> _Object:
    if not isinstance(value, dict):
        raise wrong(path, value, "an object")
    return value


def _text(data: _Object, name: str, path: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise wrong(f"{path}.{name}", value, "a text")
    return value


def _optional_text(data: _Object, name: str, path: str) -> str | None:
    return None if data.get(name) is None else _text(data, name, path)


def _int(data: _Object, name: str, path: str) -> int:
    value = data.get(name)
    if type(value) is not int:
        raise wrong(f"{path}.{name}", value, "a whole number")
    return value


def _each(data: _Object, name: str, path: str, read: Callable[[object, str], _T]) -> tuple[_T, ...]:
    value, where = data.get(name), f"{path}.{name}"
    if not isinstance(value, list):
        raise wrong(where, value, "a list")
    return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(value))


def _texts(data: _Object, name: str, path: str) -> tuple[str, ...]:
    def text(item: object, at: str) -> str:
        if not isinstance(item, str):
            raise wrong(at, item, "a text")
        return item

    return _each(data, name, path, text)


def _by_topic(data: _Object, name: str, topic: str, path: str) -> tuple[TopicPartition, ...]:
    """Partitions that are listed topic by topic."""

    def of_topic(item: object, at: str) -> list[TopicPartition]:
        fields = _object(item, at)
        numbers, its = fields.get("partitions"), _text(fields, topic, at)
        if not isinstance(numbers, list) or not all(type(n) is int and 0 <= n < MOST for n in numbers):
            raise wrong(f"{at}.partitions", numbers, f"numbers of partitions, from 0 and below {MOST}")
        return [TopicPartition(its, number) for number in numbers]

    return tuple(tp for tps in _each(data, name, path, of_topic) for tp in tps)
