"""Writer of `__consumer_offsets` as Kafka's tools print it: encoders of Kafka's schemas, both outputs.

Based on `ConsumerProtocolSubscription.json`, `ConsumerProtocolAssignment.json`, the records of
`group-coordinator/src/main/resources/common/message`, `DumpLogSegments` and `GroupMetadataMessageFormatter`,
4.4.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from struct import pack
from typing import Any

from kassay.model.cluster import TopicPartition, numbers_by_topic

START_MS = 1_763_800_000_000


def int32(number: int) -> bytes:
    return pack(">i", number)


def text(value: str | None) -> bytes:
    if value is None:
        return pack(">h", -1)
    raw = value.encode()
    return pack(">h", len(raw)) + raw


def data(value: bytes | None) -> bytes:
    return int32(-1) if value is None else int32(len(value)) + value


def partitions(tps: Iterable[TopicPartition]) -> bytes:
    runs = numbers_by_topic(tps)
    parts = [int32(len(runs))]
    for topic, numbers in runs.items():
        parts += [text(topic), int32(len(numbers)), *map(int32, numbers)]
    return b"".join(parts)


@dataclass(frozen=True)
class Subscribed:
    """A subscription as a client of this version sends it."""

    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...] = ()
    generation: int = -1
    rack: str | None = None
    user_data: bytes | None = None
    version: int = 3

    def raw(self) -> bytes:
        parts = [
            pack(">h", self.version),
            int32(len(self.topics)),
            *map(text, self.topics),
            data(self.user_data),
        ]
        parts += [partitions(self.owned)] if self.version >= 1 else []
        parts += [int32(self.generation)] if self.version >= 2 else []
        parts += [text(self.rack)] if self.version >= 3 else []
        return b"".join(parts)

    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"topics": list(self.topics), "userData": base64_or_none(self.user_data)}
        if self.version >= 1:
            document["ownedPartitions"] = by_topic(self.owned, "topic")
        if self.version >= 2:
            document["generationId"] = self.generation
        if self.version >= 3:
            document["rackId"] = self.rack
        return document


@dataclass(frozen=True)
class Given:
    """The partitions that the leader assigns to a member."""

    tps: tuple[TopicPartition, ...]
    user_data: bytes | None = None
    version: int = 3

    def raw(self) -> bytes:
        return pack(">h", self.version) + partitions(self.tps) + data(self.user_data)

    def json(self) -> dict[str, Any]:
        return {"assignedPartitions": by_topic(self.tps, "topic"), "userData": base64_or_none(self.user_data)}


@dataclass(frozen=True)
class Stored:
    """A member in a stored generation; its bytes may be anything."""

    member_id: str
    subscription: Subscribed | bytes
    assignment: Given | bytes
    instance_id: str | None = None
    client_id: str = "app"
    host: str = "/10.0.0.7"

    def json(self, version: int, of_dump: bool) -> dict[str, Any]:
        document: dict[str, Any] = {"memberId": self.member_id}
        if version >= 3:
            document["groupInstanceId"] = self.instance_id
        document |= {"clientId": self.client_id, "clientHost": self.host}
        if version >= 1:
            document["rebalanceTimeout"] = 300000
        document["sessionTimeout"] = 45000
        for name, held in (("subscription", self.subscription), ("assignment", self.assignment)):
            if isinstance(held, bytes):
                document[name] = base64_or_none(held)
            else:
                document[name] = held.json() if of_dump else base64_or_none(held.raw())
        return document


@dataclass(frozen=True)
class Written:
    """A record; `value` is a version and data (or a function of the tool), None for a tombstone."""

    type: int
    key: Mapping[str, Any]
    value: tuple[int, Any] | None
    timestamp: int = START_MS
    batch: int = 0
    offset: int = -1

    def of(self, of_dump: bool) -> Any:
        assert self.value is not None
        held = self.value[1]
        return held(of_dump) if callable(held) else held

    @property
    def identity(self) -> str:
        return json.dumps([self.type, self.key], sort_keys=True)


@dataclass
class Log:
    """Records in the order in which a coordinator appends them."""

    records: list[Written] = field(default_factory=list)
    now: int = START_MS
    batch: int = 0

    def add(self, kind: int, key: Mapping[str, Any], value: tuple[int, Any] | None) -> None:
        self.records.append(Written(kind, key, value, self.now, self.batch, len(self.records)))

    def next(self, after_ms: int = 5_000) -> None:
        """Start another batch, this much later."""
        self.batch += 1
        self.now += after_ms

    def commit(self, group: str, tp: TopicPartition, offset: int) -> None:
        """A commit of an offset."""
        key = {"group": group, "topic": tp.topic, "partition": tp.partition}
        value = {"offset": offset, "leaderEpoch": 0, "metadata": "", "commitTimestamp": self.now}
        self.add(1, key, (4, value))
        self.next(1_000)

    def classic(
        self,
        group: str,
        generation: int,
        protocol: str | None,
        leader: str | None,
        members: Sequence[Stored],
        protocol_type: str = "consumer",
        version: int = 3,
    ) -> None:
        """A generation of a classic group."""

        def document(of_dump: bool) -> dict[str, Any]:
            head: dict[str, Any] = {
                "protocolType": protocol_type,
                "generation": generation,
                "protocol": protocol,
                "leader": leader,
            }
            if version >= 2:
                head["currentStateTimestamp"] = self_now
            decoded = of_dump and protocol_type == "consumer"
            return head | {"members": [member.json(version, decoded) for member in members]}

        self_now = self.now
        self.add(2, {"group": group}, (version, document))

    def epoch(self, group: str, epoch: int | None) -> None:
        self.add(3, {"groupId": group}, None if epoch is None else (0, {"epoch": epoch}))

    def named(self, group: str, topics: Mapping[str, tuple[str, int]]) -> None:
        rows = [
            {"topicId": i, "topicName": name, "numPartitions": n, "partitionMetadata": []}
            for i, (name, n) in topics.items()
        ]
        self.add(4, {"groupId": group}, (0, {"topics": rows}))

    def subscription(
        self,
        group: str,
        member: str,
        topics: Sequence[str] | None,
        *,
        instance: str | None = None,
        rack: str | None = None,
        regex: str | None = None,
        assignor: str | None = None,
        client: str = "app",
        host: str = "/10.0.0.7",
    ) -> None:
        """A member's subscription in a consumer group; None for a tombstone."""
        value = {
            "instanceId": instance,
            "rackId": rack,
            "clientId": client,
            "clientHost": host,
            "subscribedTopicNames": sorted(topics or ()),
            "subscribedTopicRegex": regex,
            "rebalanceTimeoutMs": 300000,
            "serverAssignor": assignor,
        }
        self.add(5, {"groupId": group, "memberId": member}, None if topics is None else (0, value))

    def target_epoch(self, group: str, epoch: int | None) -> None:
        self.add(6, {"groupId": group}, None if epoch is None else (0, {"assignmentEpoch": epoch}))

    def target(self, group: str, member: str, tps: Iterable[TopicPartition] | None) -> None:
        value = None if tps is None else (0, {"topicPartitions": by_topic(tps, "topicId")})
        self.add(7, {"groupId": group, "memberId": member}, value)

    def current(
        self,
        group: str,
        member: str,
        epoch: int | None,
        assigned: Iterable[TopicPartition] = (),
        revoking: Iterable[TopicPartition] = (),
        state: int = 0,
        previous: int = 0,
    ) -> None:
        """A member's current assignment; no epoch for a tombstone."""
        value = {
            "memberEpoch": epoch,
            "previousMemberEpoch": previous,
            "state": state,
            "assignedPartitions": by_topic(assigned, "topicId"),
            "partitionsPendingRevocation": by_topic(revoking, "topicId"),
        }
        self.add(8, {"groupId": group, "memberId": member}, None if epoch is None else (0, value))

    def share_epoch(self, group: str, epoch: int | None) -> None:
        value = None if epoch is None else (0, {"epoch": epoch, "metadataHash": 7})
        self.add(11, {"groupId": group}, value)

    def share_member(
        self,
        group: str,
        member: str,
        topics: Sequence[str] | None,
        *,
        client: str = "app",
        rack: str | None = None,
    ) -> None:
        """A member's subscription in a share group; None for a tombstone."""
        value = {
            "rackId": rack,
            "clientId": client,
            "clientHost": "/10.0.0.7",
            "subscribedTopicNames": sorted(topics or ()),
        }
        self.add(10, {"groupId": group, "memberId": member}, None if topics is None else (0, value))

    def share_target_epoch(self, group: str, epoch: int) -> None:
        self.add(12, {"groupId": group}, (0, {"assignmentEpoch": epoch, "assignmentTimestamp": self.now}))

    def share_target(self, group: str, member: str, tps: Iterable[TopicPartition] | None) -> None:
        value = None if tps is None else (0, {"topicPartitions": by_topic(tps, "topicId")})
        self.add(13, {"groupId": group, "memberId": member}, value)

    def share_current(
        self, group: str, member: str, epoch: int | None, assigned: Iterable[TopicPartition] = ()
    ) -> None:
        value = {
            "memberEpoch": epoch,
            "previousMemberEpoch": 0,
            "state": 0,
            "assignedPartitions": by_topic(assigned, "topicId"),
        }
        self.add(14, {"groupId": group, "memberId": member}, None if epoch is None else (0, value))

    def shareable(
        self,
        group: str,
        names: Mapping[str, str],
        ready: Iterable[TopicPartition],
        initializing: Iterable[TopicPartition] = (),
    ) -> None:
        """The partitions with initialised state, by topic id; `names` are the names of the ids."""

        def rows(tps: Iterable[TopicPartition]) -> list[dict[str, Any]]:
            return [
                {"topicId": i, "topicName": names[i], "partitions": numbers}
                for i, numbers in numbers_by_topic(tps).items()
            ]

        value = {
            "initializingTopics": rows(initializing),
            "initializedTopics": rows(ready),
            "deletingTopics": [],
        }
        self.add(15, {"groupId": group}, (0, value))

    def streams_epoch(self, group: str, epoch: int | None, standbys: int | None = None) -> None:
        """The epoch of a Streams group; contains the number of standbys since Kafka 4.2."""
        value: dict[str, Any] = {"epoch": epoch, "metadataHash": 7}
        if standbys is not None:
            value |= {
                "validatedTopologyEpoch": 0,
                "lastAssignmentConfigs": [{"key": "num.standby.replicas", "value": str(standbys)}],
            }
        self.add(17, {"groupId": group}, None if epoch is None else (0, value))

    def streams_member(
        self,
        group: str,
        member: str,
        process: str | None,
        *,
        client: str = "app",
        topology: int = 0,
        instance: str | None = None,
    ) -> None:
        """A thread of a process; None for a tombstone."""
        value = {
            "instanceId": instance,
            "rackId": None,
            "clientId": client,
            "clientHost": "/10.0.0.7",
            "rebalanceTimeoutMs": 300000,
            "topologyEpoch": topology,
            "processId": process,
            "userEndpoint": None,
            "clientTags": [],
        }
        self.add(19, {"groupId": group, "memberId": member}, None if process is None else (0, value))

    def topology(
        self, group: str, subtopologies: Mapping[str, tuple[Sequence[str], bool]], epoch: int = 0
    ) -> None:
        """Subtopologies by id: their source topics, and whether they have state."""
        rows = [
            {
                "subtopologyId": i,
                "sourceTopics": list(topics),
                "sourceTopicRegex": [],
                "stateChangelogTopics": [stored(f"{group}-store-{i}-changelog")] if stateful else [],
                "repartitionSinkTopics": [],
                "repartitionSourceTopics": [],
                "copartitionGroups": [],
            }
            for i, (topics, stateful) in subtopologies.items()
        ]
        self.add(23, {"groupId": group}, (0, {"epoch": epoch, "subtopologies": rows}))

    def streams_target_epoch(self, group: str, epoch: int) -> None:
        self.add(20, {"groupId": group}, (0, {"assignmentEpoch": epoch, "assignmentTimestamp": self.now}))

    def streams_target(
        self,
        group: str,
        member: str,
        active: Iterable[TopicPartition] | None,
        standby: Iterable[TopicPartition] = (),
    ) -> None:
        """A thread's target tasks, as partitions of subtopologies; None for a tombstone."""
        value = None
        if active is not None:
            value = (
                0,
                {
                    "activeTasks": by_topic(active, "subtopologyId"),
                    "standbyTasks": by_topic(standby, "subtopologyId"),
                    "warmupTasks": [],
                },
            )
        self.add(21, {"groupId": group, "memberId": member}, value)

    def streams_current(
        self,
        group: str,
        member: str,
        epoch: int | None,
        active: Iterable[TopicPartition] = (),
        standby: Iterable[TopicPartition] = (),
        revoking: Iterable[TopicPartition] = (),
        state: int = 1,
    ) -> None:
        """A thread's current tasks; the state is 1 if stable, 2 while it revokes, 3 while it waits."""
        tasks = by_topic(active, "subtopologyId")
        for each in tasks:
            each["assignmentEpochs"] = [epoch] * len(each["partitions"])
        value = {
            "memberEpoch": epoch,
            "previousMemberEpoch": 0,
            "state": state,
            "activeTasks": tasks,
            "standbyTasks": by_topic(standby, "subtopologyId"),
            "warmupTasks": [],
            "activeTasksPendingRevocation": by_topic(revoking, "subtopologyId"),
            "standbyTasksPendingRevocation": [],
            "warmupTasksPendingRevocation": [],
        }
        self.add(22, {"groupId": group, "memberId": member}, None if epoch is None else (0, value))


def stored(topic: str) -> dict[str, Any]:
    """An internal topic in a topology."""
    return {"name": topic, "partitions": 0, "replicationFactor": 0, "topicConfigs": []}


def by_topic(tps: Iterable[TopicPartition], name: str) -> list[dict[str, Any]]:
    return [{name: topic, "partitions": numbers} for topic, numbers in numbers_by_topic(tps).items()]


def base64_or_none(raw: bytes | None) -> str | None:
    return None if raw is None else base64.b64encode(raw).decode()


def compact(document: Any) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def dump(records: Iterable[Written], partition: int = 12, start: int = 0, metadata: bool = True) -> str:
    """The output of `kafka-dump-log --offsets-decoder` for a segment with these records."""
    lines = [
        f"Dumping /var/lib/kafka/__consumer_offsets-{partition}/{start:020}.log",
        f"Log starting offset: {start}",
    ]
    batches: dict[int, list[Written]] = {}
    for record in records:
        batches.setdefault(record.batch, []).append(record)
    for batch in batches.values():
        first, last = batch[0], batch[-1]
        lines.append(
            f"baseOffset: {first.offset} lastOffset: {last.offset} count: {len(batch)} baseSequence: -1 "
            "lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 3 isTransactional: false "
            f"isControl: false deleteHorizonMs: OptionalLong.empty position: 0 CreateTime: {last.timestamp} "
            "size: 100 magic: 2 compresscodec: none crc: 3141592653 isvalid: true"
        )
        for record in batch:
            key = {"type": str(record.type), "data": record.key}
            payload = "<DELETE>"
            if record.value is not None:
                payload = compact({"version": str(record.value[0]), "data": record.of(True)})
            about = (
                f"offset: {record.offset} CreateTime: {record.timestamp} keySize: 20 valueSize: {len(payload)} "
                "sequence: -1 headerKeys: [] "
            )
            lines.append(f"| {about if metadata else ''}key: {compact(key)} payload: {payload}")
    return "\n".join(lines) + "\n"


def console(records: Iterable[Written]) -> str:
    """The output of the console consumer with `GroupMetadataMessageFormatter`."""
    parts = []
    for record in records:
        if record.type == 2:
            value = None if record.value is None else {"version": record.value[0], "data": record.of(False)}
            parts.append(compact({"key": {"type": 2, "data": record.key}, "value": value}))
    return "".join(parts)


def cleaned(records: Sequence[Written], upto: int, *, tombstones: bool = True) -> list[Written]:
    """The records after Kafka's log cleaner: below offset `upto` the last record of each key, then all.

    `tombstones` stay below it until they expire.
    """
    last = {record.identity: record.offset for record in records if record.offset < upto}
    return [
        record
        for record in records
        if record.offset >= upto
        or (last[record.identity] == record.offset and (tombstones or record.value is not None))
    ]


def numbered(records: Iterable[Written]) -> list[Written]:
    """The records with offsets in their order from 0."""
    return [replace(record, offset=offset) for offset, record in enumerate(records)]
