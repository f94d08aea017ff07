"""An administrator's requests to the metadata, and the answers: a topic can grow but never shrink.

Source: KIP-195 (CreatePartitions); `ReplicationControlManager.createPartitions`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.protocols.values import errors
from kassay.model.protocols.values.requests import Image

INVALID_PARTITIONS: Final = "INVALID_PARTITIONS"
UNKNOWN_TOPIC: Final = "UNKNOWN_TOPIC_OR_PARTITION"


class MetadataReply(NamedTuple):
    """The answer, and the topics afterwards, which are unchanged if the request was refused."""

    error: str
    image: Image


def create_partitions(image: Image, name: str, count: int) -> MetadataReply:
    """Grow a topic to `count` partitions; refused with INVALID_PARTITIONS unless that is an increase.

    Kafka's exception is InvalidPartitionsException. A topic that does not exist is UNKNOWN_TOPIC.
    """
    topic = next((topic for topic in image if topic.name == name), None)
    if topic is None:
        return MetadataReply(UNKNOWN_TOPIC, image)
    if count <= topic.partitions:
        return MetadataReply(INVALID_PARTITIONS, image)
    return MetadataReply(errors.NONE, tuple(t._replace(partitions=count) if t == topic else t for t in image))
