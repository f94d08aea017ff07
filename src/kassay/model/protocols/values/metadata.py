"""What an administrator asks of the metadata, and what is answered: a topic grows and never shrinks.

Source: KIP-195 (CreatePartitions); `ReplicationControlManager.createPartitions`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.protocols.values import errors
from kassay.model.protocols.values.requests import Image

INVALID_PARTITIONS: Final = "INVALID_PARTITIONS"
UNKNOWN_TOPIC: Final = "UNKNOWN_TOPIC_OR_PARTITION"


class MetadataReply(NamedTuple):
    """The answer, and the topics as they are afterwards: the same ones where the request was refused."""

    error: str
    image: Image


def create_partitions(image: Image, name: str, count: int) -> MetadataReply:
    """A topic is to have `count` partitions: refused with INVALID_PARTITIONS unless that is more than now.

    Kafka's exception is InvalidPartitionsException. A topic that does not exist is UNKNOWN_TOPIC.
    """
    topic = next((topic for topic in image if topic.name == name), None)
    if topic is None:
        return MetadataReply(UNKNOWN_TOPIC, image)
    if count <= topic.partitions:
        return MetadataReply(INVALID_PARTITIONS, image)
    return MetadataReply(errors.NONE, tuple(t._replace(partitions=count) if t == topic else t for t in image))
