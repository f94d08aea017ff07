"""Topics, brokers and log directories as the brokers describe them, as the values of Kafka's tools.

Leaders, replicas and in-sync replicas by Metadata, the replicas of running reassignments by
ListPartitionReassignments, eligible leaders by DescribeTopicPartitions (KIP-966), sizes by DescribeLogDirs.
The right to describe the cluster is only needed for reassignments and sizes; without it they are None.

Source: the messages of these names in Kafka's `clients/src/main/resources/common/message`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import shown
from kassay.reading.kafka.brokers import BrokerLogDirs, LogDir, LogDirReplica, LogDirs
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.topics import DescribedPartition, DescribedTopic
from kassay.reading.live.cluster import CLUSTER_RIGHT, TOPIC_RIGHT, LiveCluster, MissingRight, uuid_text
from kassay.reading.live.cluster import error_name as _name

_UNKNOWN_TOPIC: Final = 3
_LEADERLESS: Final = -1
_PAGE: Final = 2_000
_TOPIC: Final = 2
_WANTED: Final = (
    "min.insync.replicas",
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
)
_Config = tuple[tuple[str, str], ...]
_Moves = Mapping[TopicPartition, tuple[tuple[int, ...], tuple[int, ...]]]
_Elrs = Mapping[TopicPartition, tuple[tuple[int, ...], tuple[int, ...]]]


class DescribedTopics(NamedTuple):
    """The topics, and the names of those that do not exist; `moves_known` is false without the right."""

    topics: tuple[DescribedTopic, ...]
    absent: tuple[str, ...]
    moves_known: bool


def brokers_of(cluster: LiveCluster) -> tuple[Broker, ...]:
    """The brokers that answer, with their racks."""
    return tuple(Broker(each.broker_id, each.rack) for _, each in sorted(cluster.nodes.items()))


def describe_topics(cluster: LiveCluster, names: Iterable[str] | None = None) -> DescribedTopics:
    """The named topics, or all that we may describe.

    Raises `MissingRight` for the first named topic that we may not describe.
    """
    wanted = None if names is None else sorted(set(names))
    answers = cluster.metadata(wanted).topics
    for each in answers:
        if each.error_code == TOPIC_RIGHT:
            raise MissingRight(cluster.bootstrap, "Describe", "topic", each.name)
    moves = _moves(cluster)
    known = sorted((each for each in answers if not each.error_code), key=lambda each: str(each.name))
    elrs = _elrs(cluster, [str(each.name) for each in known])
    configs = _configs(cluster, [str(each.name) for each in known])
    topics = tuple(_topic(cluster, each, moves or {}, elrs, configs) for each in known)
    absent = tuple(sorted(each.name for each in answers if each.error_code == _UNKNOWN_TOPIC))
    return DescribedTopics(topics, absent, moves is not None)


def _topic(
    cluster: LiveCluster, topic: Any, moves: _Moves, elrs: _Elrs, configs: Mapping[str, _Config]
) -> DescribedTopic:
    """A topic with its partitions in order."""
    place = Place(cluster.bootstrap, 0)
    rows = []
    for each in sorted(topic.partitions, key=lambda row: int(row.partition_index)):
        tp = TopicPartition(topic.name, each.partition_index)
        adding, removing = moves.get(tp, ((), ()))
        elr, last_known = elrs.get(tp, (None, None))
        rows.append(
            DescribedPartition(
                tp,
                None if each.leader_id == _LEADERLESS else each.leader_id,
                tuple(each.replica_nodes),
                tuple(each.isr_nodes),
                place,
                adding,
                removing,
                elr,
                last_known,
                (),
                tuple(getattr(each, "offline_replicas", None) or ()),
            )
        )
    factor = len(rows[0].replicas) if rows else None
    topic_id = uuid_text(getattr(topic, "topic_id", None))
    config = configs.get(topic.name, ())
    return DescribedTopic(topic.name, len(rows), tuple(rows), place, topic_id, factor, config)


def _configs(cluster: LiveCluster, names: list[str]) -> dict[str, _Config]:
    """What placement needs of the topics' configurations; of a topic without the right to them nothing."""
    if cluster.offers("DescribeConfigs") < 0 or not names:
        return {}
    resource = cluster.message("DescribeConfigs").DescribeConfigsResource
    resources = [
        resource(resource_type=_TOPIC, resource_name=name, configuration_keys=list(_WANTED)) for name in names
    ]
    answer = cluster.ask("DescribeConfigs", {"resources": resources})
    return {
        each.resource_name: tuple((config.name, config.value) for config in each.configs if config.value)
        for each in answer.results
        if not each.error_code
    }


def _moves(cluster: LiveCluster) -> _Moves | None:
    """Added and removed replicas of each partition that moves; None without the right to know."""
    if cluster.offers("ListPartitionReassignments") < 0:
        return None
    answer = cluster.ask(
        "ListPartitionReassignments", {"topics": None, "timeout_ms": 15_000}, cluster.controller
    )
    if answer.error_code == CLUSTER_RIGHT:
        return None
    if answer.error_code:
        raise InputError(f"{cluster.bootstrap}: reassignments: the broker answers {_name(answer.error_code)}")
    return {
        TopicPartition(topic.name, each.partition_index): (
            tuple(each.adding_replicas),
            tuple(each.removing_replicas),
        )
        for topic in answer.topics
        for each in topic.partitions
    }


def _elrs(cluster: LiveCluster, names: list[str]) -> _Elrs:
    """The eligible leaders and the last known ones of partitions that have some."""
    eligible: dict[TopicPartition, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    if cluster.offers("DescribeTopicPartitions") < 0 or not names:
        return eligible
    message, cursor = cluster.message("DescribeTopicPartitions"), None
    while True:
        topics = [message.TopicRequest(name=name) for name in names]
        fields = {"topics": topics, "response_partition_limit": _PAGE, "cursor": cursor}
        answer = cluster.ask("DescribeTopicPartitions", fields)
        eligible.update(_eligible(answer))
        after = answer.next_cursor
        if after is None:
            return eligible
        names = [name for name in names if name >= after.topic_name]
        cursor = message.Cursor(topic_name=after.topic_name, partition_index=after.partition_index)


def _eligible(answer: Any) -> Iterator[tuple[TopicPartition, tuple[tuple[int, ...], tuple[int, ...]]]]:
    for topic in answer.topics:
        for each in topic.partitions:
            if each.eligible_leader_replicas is not None or each.last_known_elr is not None:
                elr, last = each.eligible_leader_replicas or (), each.last_known_elr or ()
                yield TopicPartition(topic.name, each.partition_index), (tuple(elr), tuple(last))


def describe_log_dirs(cluster: LiveCluster) -> LogDirs | None:
    """The log directories of all brokers with the sizes in them; None without the right to know."""
    brokers = []
    if cluster.offers("DescribeLogDirs") < 0:
        return None
    for node in sorted(cluster.nodes):
        answer = cluster.ask("DescribeLogDirs", {"topics": None}, node)
        if CLUSTER_RIGHT in (getattr(answer, "error_code", 0), *(each.error_code for each in answer.results)):
            return None
        if not answer.results:  # a broker before 3.2 answers so without the right
            return None
        brokers.append(BrokerLogDirs(node, tuple(map(_log_dir, answer.results))))
    return LogDirs(tuple(brokers))


def _log_dir(result: Any) -> LogDir:
    replicas = tuple(
        LogDirReplica(
            f"{topic.name}-{each.partition_index}", each.partition_size, each.offset_lag, each.is_future_key
        )
        for topic in result.topics
        for each in topic.partitions
    )
    error = _name(result.error_code) if result.error_code else None
    return LogDir(result.log_dir, replicas, error, bool(getattr(result, "is_cordoned", False)))


def require_topics(described: DescribedTopics, cluster: LiveCluster) -> None:
    """Raises `InputError` if there is no topic that we may describe."""
    if not described.topics:
        where = shown(cluster.bootstrap)
        raise InputError(
            f"{where}: no topic to be seen: none exists, or the right to DESCRIBE topics is missing: "
            f"kafka-acls.sh --bootstrap-server {cluster.bootstrap} --add --allow-principal User:NAME "
            "--operation Describe --topic '*'"
        )
