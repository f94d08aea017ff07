"""Records for partitioners, generated from a source of choices.

Keys have every length modulo 4 and bytes on both sides of every sign; some repeat. Records without a key, and
with an existing or a missing partition, come between. Partitions become unavailable and return.
"""

from __future__ import annotations

from typing import Final

from kassay.model.partitioners.partitioner import ProducerRecord, ProducerSends, TopicMetadata
from kassay.properties.sources import Source, many, subset

_EDGE_BYTES: Final = (0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF)
_COUNTS: Final = (1, 2, 3, 5, 7, 12, 50, 64, 1000)


_RECORDS_MAX: Final = 30
_KEY_BYTES_MAX: Final = 21
_TOPICS: Final = 2


def sending(source: Source) -> ProducerSends:
    """One sending; the source's choices decide everything in it."""
    keys: list[bytes] = []
    counts = [source.choice(_COUNTS) for _ in range(_TOPICS)]
    now = [metadata(source, count) for count in counts]

    def item(_: int) -> tuple[ProducerRecord, TopicMetadata]:
        topic = source.integer(0, _TOPICS - 1)
        if source.boolean(0.1):
            now[topic] = metadata(source, counts[topic])
        return _record(source, f"t{topic}", counts[topic], keys), now[topic]

    return ProducerSends(tuple(many(source, 1, _RECORDS_MAX, item, 0.93)))


def metadata(source: Source, count: int) -> TopicMetadata:
    """A topic of that many partitions, of which some or all may have no leader."""
    form = source.integer(0, 5)
    if form < 3:
        return TopicMetadata.of(count)
    if form == 5:
        return TopicMetadata.of(count, range(count))
    return TopicMetadata.of(count, subset(source, range(min(count, 16))))


def key(source: Source) -> bytes:
    """Key bytes: of any length, equal edge bytes, edge bytes at random, or any bytes."""
    length = source.integer(0, _KEY_BYTES_MAX)
    form = source.integer(0, 2)
    if form == 0:
        return bytes([source.choice(_EDGE_BYTES)]) * length
    if form == 1:
        return bytes(source.choice(_EDGE_BYTES) for _ in range(length))
    return bytes(source.integer(0, 255) for _ in range(length))


def _record(source: Source, topic: str, count: int, keys: list[bytes]) -> ProducerRecord:
    """A keyed, keyless or explicit record; a new key is added to `keys`."""
    value = bytes(source.integer(0, 64))
    form = source.integer(0, 9)
    if form < 3:
        return ProducerRecord(topic, None, value)
    if form < 5:
        return ProducerRecord(topic, None, value, _explicit(source, count))
    if form < 7 and keys:
        return ProducerRecord(topic, source.choice(keys), value)
    keys.append(key(source))
    return ProducerRecord(topic, keys[-1], value)


def _explicit(source: Source, count: int) -> int:
    """A partition for a record to name; one in three of them is missing."""
    if source.boolean(0.35):
        return source.choice((-1, count, count + source.integer(1, 9)))
    return source.integer(0, count - 1)
