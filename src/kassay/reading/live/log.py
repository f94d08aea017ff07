"""`__consumer_offsets` read from its brokers, as lines such as kafka-dump-log prints.

Each partition is read from its first record to the end that it has when the reading begins, so the reading is
bounded; nothing is committed and no group is joined. It takes the right to Read the topic. Source: Kafka's
`Fetch` (its versions with topics by name), `DumpLogSegments`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.live.cluster import TOPIC_RIGHT, LiveCluster, MissingRight, error_name
from kassay.reading.live.offsets import START, ends
from kassay.reading.live.records import record_json
from kassay.reading.live.topics import describe_topics

OFFSETS_TOPIC: Final = "__consumer_offsets"
_BY_NAME: Final = 12
_AT_ONCE: Final = 8 << 20
_TOMBSTONE: Final = "<DELETE>"


def offset_partitions(cluster: LiveCluster) -> dict[TopicPartition, int]:
    """The partitions of the topic with their leaders; raises `InputError` for one without a leader."""
    try:
        described = describe_topics(cluster, [OFFSETS_TOPIC]).topics
    except MissingRight:
        raise MissingRight(cluster.bootstrap, "Read", "topic", OFFSETS_TOPIC) from None
    if not described:
        raise InputError(f"{cluster.bootstrap}: no topic {OFFSETS_TOPIC}: no group has ever joined")
    leaders = {}
    for row in described[0].partitions:
        if row.leader is None:
            raise InputError(f"{cluster.bootstrap}: {row.partition} has no leader: it cannot be read")
        leaders[row.partition] = row.leader
    return leaders


def dump_lines(
    cluster: LiveCluster, tp: TopicPartition, leader: int, tell: Callable[[int], object]
) -> Iterator[str]:
    """The lines of the partition's log; `tell` gets how many records are read. Raises `InputError`."""
    end = ends(cluster, {tp: leader}, [tp]).get(tp, 0)
    at = ends(cluster, {tp: leader}, [tp], START).get(tp, 0)
    yield f"Dumping {tp}/{at:020}.log"
    yield f"Log starting offset: {at}"
    count = 0
    while at < end:
        batches = list(_batches(_fetched(cluster, tp, leader, at)))
        if not batches:
            return
        for batch in batches:
            records = [record for record in batch if record.offset >= at]
            if records:
                yield _head(batch, records)
                yield from (_line(record, is_control=batch.is_control_batch) for record in records)
            count += len(records)
            at = max(at, batch.last_offset + 1)
        tell(count)


def _fetched(cluster: LiveCluster, tp: TopicPartition, leader: int, at: int) -> bytes:
    """The records from an offset on, as the broker sends them."""
    message = cluster.message("Fetch")
    partition = message.FetchTopic.FetchPartition(
        partition=tp.partition, fetch_offset=at, partition_max_bytes=_AT_ONCE
    )
    fields: dict[str, Any] = {
        "replica_id": -1,
        "max_wait_ms": 500,
        "min_bytes": 1,
        "max_bytes": _AT_ONCE,
        "isolation_level": 0,
        "session_id": 0,
        "session_epoch": -1,
        "topics": [message.FetchTopic(topic=tp.topic, partitions=[partition])],
        "forgotten_topics_data": [],
        "rack_id": "",
    }
    answer = cluster.ask("Fetch", fields, leader, _BY_NAME)
    (topic,) = answer.responses
    (read,) = topic.partitions
    if read.error_code == TOPIC_RIGHT:
        raise cluster.refused(TOPIC_RIGHT, "topic", tp.topic, "Read")
    if read.error_code:
        raise InputError(f"{cluster.bootstrap}: {tp}: the broker answers {error_name(read.error_code)}")
    return bytes(read.records or b"")


def _batches(content: bytes) -> Iterator[Any]:
    """The record batches in the bytes, the last one left out where it is cut off."""
    from kafka.record import MemoryRecords

    records = MemoryRecords(content)
    while records.has_next():
        batch = records.next_batch()
        if batch is None:
            return
        yield batch


def _head(batch: Any, records: list[Any]) -> str:
    """The line of a batch."""
    return (
        f"baseOffset: {batch.base_offset} lastOffset: {batch.last_offset} count: {len(records)} "
        f"isControl: {str(batch.is_control_batch).lower()}"
    )


def _line(record: Any, *, is_control: bool) -> str:
    """The line of a record."""
    begin = f"| offset: {record.offset} CreateTime: {record.timestamp}"
    if is_control or record.key is None:
        return f"{begin} endTxnMarker: COMMIT"
    try:
        key, value = record_json(bytes(record.key), None if record.value is None else bytes(record.value))
    except InputError as error:
        return f"{begin} key: unreadable ({error})"
    payload = _TOMBSTONE if value is None else _compact(value)
    return f"{begin} key: {_compact(key)} payload: {payload}"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
