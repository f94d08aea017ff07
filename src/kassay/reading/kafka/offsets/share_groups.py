"""The records of share groups (KIP-932) that differ from those of consumer groups.

Each reader takes the data of a value and its path, and raises `InputError` that names the field.
Source: Kafka `ShareGroup*Value.json` in `group-coordinator/src/main/resources/common/message`, 4.0 to 4.4.
"""

from __future__ import annotations

from kassay.reading.kafka.offsets.fields import (
    JsonObject,
    by_topic,
    each_of,
    int_of,
    object_of,
    optional_text,
    text_of,
    texts_of,
)
from kassay.reading.kafka.offsets.values import CurrentPartitions, MemberSubscription, ShareableTopics


def share_member(data: JsonObject, path: str) -> MemberSubscription:
    """A member's subscription."""
    return MemberSubscription(
        texts_of(data, "subscribedTopicNames", path),
        None,
        text_of(data, "clientId", path),
        text_of(data, "clientHost", path),
        None,
        optional_text(data, "rackId", path) or None,
    )


def share_current(data: JsonObject, path: str) -> CurrentPartitions:
    """A member's current partitions; it never waits for other members to give up theirs."""
    return CurrentPartitions(
        int_of(data, "memberEpoch", path),
        int_of(data, "previousMemberEpoch", path),
        int_of(data, "state", path),
        by_topic(data, "assignedPartitions", "topicId", path),
        (),
    )


def shareable_topics(data: JsonObject, path: str) -> ShareableTopics:
    """The assignable partitions: those whose state is initialised."""

    def named(item: object, at: str) -> tuple[str, str]:
        fields = object_of(item, at)
        return text_of(fields, "topicId", at), text_of(fields, "topicName", at)

    lists = ("initializingTopics", "initializedTopics")
    names = dict(pair for each in lists for pair in each_of(data, each, path, named))
    initializing, ready = (by_topic(data, each, "topicId", path) for each in lists)
    return ShareableTopics(names, ready, initializing)
