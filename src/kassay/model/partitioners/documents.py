"""Records on their way through a partitioner as JSON, for traces; bytes are in base64."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from kassay.model import codec
from kassay.model.calls import answer_to_json
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata
from kassay.model.partitioners.sends import ProducerSends, Sent

_RECORD = ("topic", "key", "value", "partition", "partitions", "unavailable")


def sends_to_json(sending: ProducerSends) -> dict[str, Any]:
    """The sending as a document."""
    return {
        "config": dict(sending.config),
        "records": [record_to_json(record, topic) for record, topic in sending.records],
    }


def record_to_json(record: ProducerRecord, topic: TopicMetadata) -> dict[str, Any]:
    """One record with what was known of its topic."""
    return {
        "topic": record.topic,
        "key": _text(record.key),
        "value": _text(record.value),
        "partition": record.partition,
        "partitions": topic.count,
        "unavailable": [info.partition for info in topic.partitions if not info.available],
    }


def sends_of(document: object, path: str = "case") -> ProducerSends:
    """The sending that a document holds; raises `InputError`."""
    found = codec.mapping(document, path, ("config", "records"))
    config = codec.mapping(found.get("config", {}), f"{path}.config")
    return ProducerSends(
        codec.items(codec.field(found, "records", path), f"{path}.records", _record_of),
        {key: codec.text(value, f"{path}.config.{key}") for key, value in config.items()},
    )


def _record_of(value: object, path: str) -> tuple[ProducerRecord, TopicMetadata]:
    entry = codec.mapping(value, path, _RECORD)
    asked = entry.get("partition")
    record = ProducerRecord(
        codec.text(codec.field(entry, "topic", path), f"{path}.topic"),
        _bytes(entry, "key", path),
        _bytes(entry, "value", path),
        None if asked is None else codec.whole(asked, f"{path}.partition"),
    )
    count = codec.whole(codec.field(entry, "partitions", path), f"{path}.partitions", 1)
    gone = codec.items(entry.get("unavailable", []), f"{path}.unavailable", codec.whole)
    return record, TopicMetadata.of(count, gone)


def sent_to_json(sent: Sent) -> dict[str, Any]:
    """One record and where it went, for the reader of a trace."""
    document = record_to_json(sent.record, sent.topic)
    return document | (
        {"answer": sent.answer} if isinstance(sent.answer, int) else answer_to_json(sent.answer)
    )


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _bytes(entry: Mapping[str, Any], name: str, path: str) -> bytes | None:
    told = codec.text_or_none(entry.get(name), f"{path}.{name}")
    try:
        return None if told is None else base64.b64decode(told, validate=True)
    except (binascii.Error, ValueError):
        raise codec.wrong(f"{path}.{name}", "base64", told) from None
