"""Shared parts of the server-side assignors (KIP-848): topics as the coordinator describes them, and errors.

The coordinator knows topics by id. Here a `TopicPartition` may carry any name for its topic; the id matters
for tie-breaks alone. Unlike a client's metadata, the coordinator knows a topic without partitions, and it
refuses a subscription to an unknown topic.
Source: `org.apache.kafka.coordinator.group.api.assignor`, `AssignorHelpers`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from typing import ClassVar, Final

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import KafkaError
from kassay.model.groups.group import Group
from kassay.model.java import uuid_halves, uuid_hash

_BASE64_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_ID_BYTES: Final = 16


class PartitionAssignorException(KafkaError):  # under Kafka's name a refusal is known as one
    """The server-side assignor refuses the input, or cannot assign every partition."""

    java_class: ClassVar[str] = "org.apache.kafka.coordinator.group.api.assignor.PartitionAssignorException"


def described_counts(cluster: Cluster, topics: Iterable[str]) -> dict[str, int]:
    """Partitions of each topic that the coordinator knows, including topics without partitions.

    Raises `PartitionAssignorException` for the first unknown one of `topics`, the subscribed ones.
    """
    counts = {topic.name: topic.partitions for topic in cluster.topics}
    for topic in topics:
        if topic not in counts:
            raise PartitionAssignorException(
                f"a member subscribes to topic {topic}, which the metadata does not have"
            )
    return counts


def assignable_of(cluster: Cluster, group: Group, topic: str) -> list[TopicPartition]:
    """The assignable partitions of a topic, by number."""
    tps = cluster.partitions.get(topic, ())
    return [tp for tp in tps if group.assignable is None or tp in group.assignable]


def partition_hashes(cluster: Cluster, tps: Iterable[TopicPartition]) -> Callable[[TopicPartition], int]:
    """A function from these partitions to Kafka's hash of their `TopicIdPartition`; topics may be missing."""
    known = {topic.name: topic for topic in cluster.topics}
    names = dict.fromkeys(topic for topic, _ in tps)
    of_topic = {name: uuid_hash(topic_id_key(known.get(name) or Topic(name, 0))) for name in names}
    return lambda tp: 31 * of_topic[tp[0]] + tp[1]


def topic_id_key(topic: Topic) -> tuple[int, int]:
    """The topic id as two signed 64-bit halves, which is how Kafka's `Uuid` compares.

    The id is `topic_id` if present, else the name if that is an id in base64url (22 characters, no padding),
    else 16 bytes of BLAKE2b over the name in UTF-8: these look random, as real ids do, and are the same in
    every process.

    >>> topic_id_key(Topic("gAAAAAAAAAAAAAAAAAAABQ", 1)) < topic_id_key(Topic("AAAAAAAAAAAAAAAAAAAABw", 1))
    True
    """
    text = topic.name if topic.topic_id is None else topic.topic_id
    if _BASE64_ID.fullmatch(text):
        return uuid_halves(base64.urlsafe_b64decode(text + "=="))
    name = text.encode("utf-8", "surrogatepass")
    return uuid_halves(hashlib.blake2b(name, digest_size=_ID_BYTES).digest())
