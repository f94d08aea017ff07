"""Records sent through a partitioner as JSON, for traces; bytes are in base64."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from kassay.model.calls import NO_ANSWER, Refusal, ReportedFailure, answer_to_json
from kassay.model.partitioners.partitioner import ProducerRecord, ProducerSends, Sent, TopicMetadata
from kassay.model.shape import codec
from kassay.model.shape.codec import (
    COUNT,
    TEXT,
    WHOLE,
    Field,
    Shape,
    at_least,
    listed,
    mapped,
    optional,
    record,
    reference,
)
from kassay.model.shape.legal import TOPIC_NAMES
from kassay.model.shape.nodes import LeafKind, LeafNode


def _bytes_of(value: object, path: str) -> bytes:
    text = TEXT.read(value, path)
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise codec.wrong(path, "base64", text) from None


_BYTES: Final = optional(
    Shape(_bytes_of, lambda data: base64.b64encode(data).decode("ascii"), LeafNode(LeafKind.BYTES, plain=""))
)


def _record(
    partitions: int, unavailable: tuple[int, ...], **fields: Any
) -> tuple[ProducerRecord, TopicMetadata]:
    return ProducerRecord(**fields), _metadata(partitions, unavailable)


@lru_cache(maxsize=8)
def _metadata(partitions: int, unavailable: tuple[int, ...]) -> TopicMetadata:
    """The metadata, which consecutive records share."""
    return TopicMetadata.of(partitions, unavailable)


RECORD: Final = record(
    _record,
    topic=Field(reference("topic", TEXT, legal=TOPIC_NAMES), get=lambda sent: sent[0].topic),
    key=Field(_BYTES, None, lambda sent: sent[0].key),
    value=Field(_BYTES, None, lambda sent: sent[0].value),
    partition=Field(optional(WHOLE), None, lambda sent: sent[0].partition),
    partitions=Field(codec.size(1), get=lambda sent: sent[1].count),
    unavailable=Field(
        listed(COUNT), (), lambda sent: sent[1].unavailable, noun="partitions without a leader"
    ),
)
"""One record and the metadata of its topic."""


def _records(value: object, path: str) -> tuple[Any, ...]:
    """The records; checks the total size of their topics before it creates any of them."""
    sizes = (
        (entry.get("partitions") for entry in value if isinstance(entry, dict))
        if isinstance(value, list)
        else ()
    )
    codec.within((size for size in sizes if type(size) is int), path)
    return listed(RECORD).read(value, path)


SENDS: Final = record(
    ProducerSends, config=Field(mapped(TEXT), {}), records=at_least(1, replace(listed(RECORD), read=_records))
)


class ReportedRecord(NamedTuple):
    """A record and the partition that it goes to, as a trace keeps them; `answer` is None without one."""

    topic: str
    key: bytes | None
    value: bytes | None
    partition: int | None
    partitions: int
    unavailable: tuple[int, ...]
    answer: int | None = None
    failure: ReportedFailure | None = None
    refused: Refusal | None = None


SENT: Final = codec.record(
    ReportedRecord,
    topic=TEXT,
    key=_BYTES,
    value=_BYTES,
    partition=optional(WHOLE),
    partitions=codec.size(1),
    unavailable=listed(WHOLE),
    answer=Field(WHOLE, None, sparse=True),
    **NO_ANSWER,
)
"""The form of `sent_to_json`."""


def sent_to_json(sent: Sent) -> dict[str, Any]:
    """One record and its partition, for a trace."""
    answer = {"answer": sent.answer} if isinstance(sent.answer, int) else answer_to_json(sent.answer)
    return {**RECORD.write((sent.record, sent.topic)), **answer}
