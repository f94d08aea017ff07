"""JSON of other tools about groups and topics, in the words of today's tools of Kafka, line by line.

*Groups*: `kcl group describe --format json`, `confluent kafka consumer group lag list -o json`, lags of
Kafka's REST API (v3), and what the pages of Redpanda Console, kafka-ui and AKHQ fetch. *Topics*: `kcl topic
describe --format json`, `kt topic`, `kafka_cluster_state` of Cruise Control, and topics of the same pages
and of Kafdrop. All have replicas in their order, so that the first is the preferred leader; tools that sort
them (kafkactl, rpk, kaf) are not read.

Source: kcl's `group/describe.go` and `topic/describe.go`; kt's `topic.go`; `PartitionState` and
`ClusterPartitionState` of Cruise Control; `ConsumerLagData` of kafka-rest; `consumer_group_overview.go` and
`topic_partitions.go` of Redpanda Console; `kafbat-ui-api.yaml`; `TopicPartitionVO` of Kafdrop; the models of
AKHQ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

STATE_TITLES: Final = "GROUP  COORDINATOR (ID)  ASSIGNMENT-STRATEGY  STATE  #MEMBERS"
OFFSET_TITLES: Final = (
    "GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID"
)
_HEAD: Final = 1 << 16
_ABSENT: Final = (None, "", -1)
_SYNONYMS: Final = (
    ("topic", "topic_name"),
    ("partition", "partition_id", "partitionId"),
    ("current_offset", "currentOffset", "groupOffset", "offset"),
    ("log_end_offset", "endOffset", "highWaterMark", "lastOffset"),
    ("lag", "consumerLag", "offsetLag"),
    ("member_id", "consumer_id", "consumer", "consumerId"),
    ("host", "clientHost"),
    ("client_id", "client", "clientId"),
)
"""What each column of the offsets view is called, CURRENT-OFFSET the third."""

Lines = Iterator[str]


def head_line(topic: str, partitions: int, factor: int) -> str:
    """A topic's line."""
    return f"Topic: {topic}\tPartitionCount: {partitions}\tReplicationFactor: {factor}\tConfigs: "


def partition_line(topic: str, number: object, leader: object, replicas: str, isr: str | None) -> str:
    """A partition's line; without `isr` it is not known which replicas are in sync."""
    led = "none" if str(leader) in ("-1", "None") else leader
    in_sync = "" if isr is None else f"\tIsr: {isr}"
    return f"\tTopic: {topic}\tPartition: {number}\tLeader: {led}\tReplicas: {replicas}{in_sync}"


def json_in_todays_words(text: str) -> tuple[str, str] | None:
    """The text as today's tools would print it, and the tool that printed it; None for any other text."""
    head = text[:_HEAD]
    if head.lstrip()[:1] not in ("{", "["):
        return None
    for tool, marks, of_document in _DIALECTS:
        if all(f'"{mark}"' in head for mark in marks):
            try:
                lines = list(of_document(_document(text)))
            except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
                continue
            if lines:
                return "\n".join(lines) + "\n", tool
    return None


def _document(text: str) -> Any:
    """The value in the text, or the list of those that have a line each."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def _listed(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _cell(row: Mapping[str, Any], names: Iterable[str]) -> str:
    value = next((row[name] for name in names if row.get(name) not in _ABSENT), "-")
    return str(value)


def _offset_row(group: str, row: Mapping[str, Any]) -> str:
    return "  ".join([group, *(_cell(row, names) for names in _SYNONYMS)])


def _state_of(group: Mapping[str, Any], name: str, members: int) -> str:
    """The group's line in the state view; enumerations of Java become Kafka's words."""
    state = str(group.get("state") or "Unknown")
    if state.isupper():
        state = "".join(part.capitalize() for part in state.split("_"))
    rule = next((group[key] for key in ("balancer", "protocol", "partitionAssignor") if group.get(key)), "-")
    return f"{name}  -:0 (0)  {rule}  {state}  {members}"


def _group(group: Mapping[str, Any], name: str, members: int, rows: Iterable[Mapping[str, Any]]) -> Lines:
    yield STATE_TITLES
    yield _state_of(group, name, members)
    yield OFFSET_TITLES
    yield from (_offset_row(name, row) for row in rows)


def _of_kcl(document: Any) -> Lines:
    for group in document["groups"]:
        idle = [each for each in group["members"] if not _has_rows(each["member_id"], group["lag"])]
        yield from _group(group, group["group"], len(group["members"]), [*group["lag"], *idle])


def _has_rows(member: str, rows: Iterable[Mapping[str, Any]]) -> bool:
    return any(row["member_id"] == member for row in rows)


def _of_lags(document: Any) -> Lines:
    """Rows without a state: of the Confluent CLI and of the REST API."""
    yield OFFSET_TITLES
    for row in document["data"] if isinstance(document, dict) else document:
        yield _offset_row(row.get("consumer_group") or row["consumer_group_id"], row)


def _of_console(document: Any) -> Lines:
    for group in document.get("consumerGroups") or [document["consumerGroup"]]:
        owners = {
            (topic["topicName"], number): member
            for member in group["members"]
            for topic in member["assignments"]
            for number in topic["partitionIds"]
        }
        offsets = {
            (topic["topic"], row["partitionId"]): row
            for topic in group["topicOffsets"] or ()
            for row in topic["partitionOffsets"]
        }
        yield from _group(group, group["groupId"], len(group["members"]), _owned(owners, offsets, group))


def _of_akhq(group: Any) -> Lines:
    owners = {
        (each["topic"], each["partition"]): member
        for member in group["members"]
        for each in member["assignments"]
    }
    offsets = {(row["topic"], row["partition"]): row for row in group["offsets"]}
    yield from _group(group, group["id"], len(group["members"]), _owned(owners, offsets, group))


def _owned(
    owners: Mapping[tuple[str, int], Mapping[str, Any]],
    offsets: Mapping[tuple[str, int], Mapping[str, Any]],
    group: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """A row for each partition, with its owner; then those of members that own none."""
    for topic, number in sorted({*owners, *offsets}):
        member = owners.get((topic, number), {})
        offset = offsets.get((topic, number), {})
        lag = offset.get("lag", offset.get("offsetLag"))
        known = offset if offset.get("groupOffset", offset.get("offset")) is not None else {}
        yield {
            **member, **offset, "topic": topic, "partition": number, "member_id": member.get("id"),
            "lag": lag if known else None,
        }  # fmt: skip
    busy = {member["id"] for member in owners.values()}
    yield from (
        {**member, "member_id": member["id"]} for member in group["members"] if member["id"] not in busy
    )


def _of_kafka_ui(group: Any) -> Lines:
    yield from _group(group, group["groupId"], group["members"], group["partitions"])


def _ids(replicas: Iterable[Any], *, in_sync: bool = False) -> str:
    """Brokers, of numbers or objects; `in_sync`: only of those that are."""
    ids = []
    for each in replicas:
        if isinstance(each, int):
            ids.append(each)
        elif not in_sync or each.get("inSync", each.get("inSyncReplicas", each.get("is_in_sync"))):
            ids.append(next(each[key] for key in ("id", "broker_id", "broker") if key in each))
    return ",".join(map(str, ids))


def _topic(name: str, rows: Iterable[Mapping[str, Any]]) -> Lines:
    rows = list(rows)
    replicas = [row.get("replicas", row.get("nodes")) or [] for row in rows]
    if any(len({str(each) for each in of_one}) != len(of_one) for of_one in replicas):
        raise ValueError("a broker twice")
    yield head_line(name, len(rows), max(map(len, replicas), default=1) or 1)
    for row, of_one in zip(rows, replicas, strict=True):
        listed = next((row[key] for key in ("isr", "isrs", "in-sync", "inSyncReplicas") if key in row), None)
        isr = _ids(of_one, in_sync=True) if listed is None else _ids(listed)
        leader = row.get("leader")
        if leader is None:
            led = [each["broker_id"] for each in of_one if isinstance(each, dict) and each.get("is_leader")]
            leader = led[0] if led else -1
        if isinstance(leader, dict):
            leader = leader.get("id", -1)
        if not isinstance(leader, int):
            leader = -1 if not isr else isr.split(",")[0]
        number = row.get("partition", row.get("id"))
        yield partition_line(name, number, leader, _ids(of_one), isr)


def _of_kcl_topics(document: Any) -> Lines:
    for topic in document["topics"]:
        yield from _topic(topic["topic"], topic["partitions"])


def _of_named_topics(document: Any) -> Lines:
    for topic in _listed(document):
        yield from _topic(topic.get("name") or topic["topicName"], topic["partitions"])


def _of_cruise_control(document: Any) -> Lines:
    state = document["KafkaPartitionState"]
    rows = {(row["topic"], row["partition"]): row for rows in state.values() for row in rows}
    if "other" not in state:
        raise ValueError("not all partitions: verbose=true is missing")
    yield from _by_topic(rows)


def _of_replicas(document: Any) -> Lines:
    """Replicas of the REST API, an object each, in the order in which a partition has them."""
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for each in document["data"]:
        key = (each["topic_name"], each["partition_id"])
        rows.setdefault(key, {"partition": key[1], "replicas": []})["replicas"].append(each)
    yield from _by_topic(rows)


def _by_topic(rows: Mapping[tuple[str, int], Mapping[str, Any]]) -> Lines:
    for topic in sorted({name for name, _ in rows}):
        yield from _topic(topic, [rows[key] for key in sorted(rows) if key[0] == topic])


_DIALECTS: Final[tuple[tuple[str, tuple[str, ...], Callable[[Any], Lines]], ...]] = (
    ("kcl group describe", ("_command", "groups", "balancer", "lag"), _of_kcl),
    ("kcl topic describe", ("_command", "topics", "isr"), _of_kcl_topics),
    ("confluent kafka consumer group lag list", ("consumer_group", "log_end_offset"), _of_lags),
    ("the REST API's lags of a group", ("KafkaConsumerLagList", "consumer_group_id"), _of_lags),
    ("the REST API's replicas", ("KafkaReplicaList", "is_in_sync"), _of_replicas),
    ("Redpanda Console", ("topicOffsets", "coordinatorId", "members"), _of_console),
    ("Redpanda Console", ("topicName", "inSyncReplicas", "partitionLogDirs"), _of_named_topics),
    ("kafka-ui", ("groupId", "partitionAssignor", "partitions", "consumerId"), _of_kafka_ui),
    ("kafka-ui", ("name", "partitions", "offsetMax", "inSync"), _of_named_topics),
    ("AKHQ", ("coordinator", "members", "assignments", "offsets"), _of_akhq),
    ("AKHQ", ("name", "nodes", "inSyncReplicas", "firstOffset"), _of_named_topics),
    ("kt topic", ("name", "oldest", "newest", "isrs"), _of_named_topics),
    ("Kafdrop", ("name", "preferredLeader", "inSyncReplicas"), _of_named_topics),
    ("Cruise Control's state of the cluster", ("KafkaPartitionState",), _of_cruise_control),
)
"""The tool, fields that its JSON has, and its reader."""
