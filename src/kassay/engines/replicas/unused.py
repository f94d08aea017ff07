"""What the files say that no answer of `place` rests on: named, so that nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kassay.reading.kafka.topics import DescribedTopic

_USED_CONFIGS = frozenset(
    {
        "min.insync.replicas",
        "leader.replication.throttled.replicas",
        "follower.replication.throttled.replicas",
        "confluent.placement.constraints",
    }
)


def not_used(topics: Iterable[DescribedTopic], *, has_hosts: bool) -> tuple[str, ...]:
    """The fields of the files that change nothing, with what they are part of."""
    return tuple(dict.fromkeys(_named(topics, has_hosts=has_hosts)))


def _named(topics: Iterable[DescribedTopic], *, has_hosts: bool) -> Iterator[str]:
    if has_hosts:
        yield "host, port and API versions of brokers"
    for topic in topics:
        if topic.topic_id is not None:
            yield "TopicId"
        yield from topic.unread
        yield from (f"Configs: {key}" for key, _ in topic.configs if key not in _USED_CONFIGS)
