"""A cluster as it is read: files that say by their content what they are, or the answers of an AdminClient.

Live answers come through confluent-kafka; nothing is ever changed. Only the calls of `CALLS` are made;
the last one only if a group is not found, to distinguish a missing group from one of another type.
Answers become the same values as the outputs of Kafka's tools. Passwords of a configuration go to the
client and are never printed. Source: `AdminClient` of confluent-kafka; a group of the consumer protocol
by ConsumerGroupDescribe (KIP-848).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from kassay.model.cluster import Broker, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import read_text, shown
from kassay.reading.kafka.brokers import is_broker_versions, read_brokers
from kassay.reading.kafka.groups import (
    LAGS,
    RACKS,
    SUBSCRIPTIONS,
    GroupOutputs,
    MemberRow,
    Said,
    StateRow,
    is_groups,
    read_groups,
    read_lags,
    read_said,
    titles_of,
)
from kassay.reading.kafka.lines import Place, failure_in
from kassay.reading.kafka.topics import is_topics, read_topics, whole_topics
from kassay.reading.others import group_of_others, what_is, without_quotes

KINDS: Final = (
    "kafka-consumer-groups.sh --describe, kafka-topics.sh --describe, kafka-broker-api-versions.sh, or a CSV "
    "file with the titles consumer,rack or consumer,topics or topic,partition,lag"
)


@dataclass
class ClusterInputs:
    """The parsed files; `topics` is None if no file describes topics, `files` lists the files read.

    `leaders` are the leaders of partitions, None for a partition without one; `lagging` the partitions with
    replicas that are not in sync.
    """

    groups: list[GroupOutputs] = field(default_factory=list)
    topics: dict[str, Topic] | None = None
    leaders: dict[TopicPartition, int | None] = field(default_factory=dict)
    lagging: set[TopicPartition] = field(default_factory=set)
    brokers: dict[int, Broker] = field(default_factory=dict)
    racks: tuple[Said, ...] = ()
    subscriptions: tuple[Said, ...] = ()
    lags: dict[TopicPartition, int] | None = None
    files: list[str] = field(default_factory=list)

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups that the files mention, by name."""
        return tuple(sorted({name for each in self.groups for name in each.groups}))

    def take(self, text: str, file: str) -> None:
        """Add the content of a file; raises `InputError` if its format is unknown."""
        text = without_quotes(text)
        titles = titles_of(text)
        if titles == LAGS:
            self.lags = {**(self.lags or {}), **read_lags(text, file)}
        elif titles == RACKS:
            self.racks += read_said(text, file, RACKS)
        elif titles == SUBSCRIPTIONS:
            self.subscriptions += read_said(text, file, SUBSCRIPTIONS)
        elif other := group_of_others(text):
            raise InputError(f"{file}: found {other}, expected {KINDS}")
        elif is_groups(text):
            self.groups.append(read_groups(text, file))
        elif is_topics(text):
            self._take_topics(text, file)
        elif is_broker_versions(text):
            self.take_brokers(read_brokers(text, file), file)
        elif (failure := failure_in(text)) is not None:
            raise InputError(f"{file}: the tool failed: {failure}")
        else:
            raise InputError(f"{file}: {_unknown(text)} expected {KINDS}")
        self.files.append(file)

    def take_brokers(self, brokers: Iterable[Broker], file: str) -> None:
        """Add brokers with their racks; raises `InputError` if a rack contradicts an earlier one."""
        for broker in brokers:
            known = self.brokers.setdefault(broker.broker_id, broker)
            if known.rack != broker.rack:
                raise InputError(
                    f"{file}: broker {broker.broker_id}: rack: found {broker.rack!r}, "
                    f"expected {known.rack!r} as in the file before"
                )

    def _take_topics(self, text: str, file: str) -> None:
        topics = self.topics if self.topics is not None else {}
        for described in whole_topics(read_topics(text, file)):
            if described.name in topics:
                raise InputError(
                    f"{described.place}: topic {described.name!r}: found twice, expected each topic once"
                )
            topics[described.name] = described.to_topic()
            self.leaders.update((row.partition, row.leader) for row in described.partitions)
            self.lagging.update(
                row.partition for row in described.partitions if set(row.replicas) - set(row.isr) and row.isr
            )
        self.topics = topics


def _unknown(text: str) -> str:
    """What is known of a text of no kind."""
    known = what_is(text)
    return f"found {known}," if known else "format not recognised,"


def read_cluster(paths: Iterable[str], labels: Mapping[str, str] | None = None) -> ClusterInputs:
    """Read the files; `labels` gives some of them another name in errors. Raises `InputError`."""
    inputs = ClusterInputs()
    for path in dict.fromkeys(paths):
        name = "standard input" if path == "-" else path
        inputs.take(read_text(path, "outputs of Kafka's tools"), (labels or {}).get(path, name))
    return inputs


CALLS: Final = ("describe_consumer_groups", "describe_topics", "describe_cluster", "list_groups")
"""The only calls made to the cluster."""
TIMEOUT_S: Final = 15.0
_JAAS: Final = re.compile(r"(username|password)\s*=\s*\"((?:[^\"\\]|\\.)*)\"")
_STATES: Final = {
    "STABLE": "Stable",
    "EMPTY": "Empty",
    "DEAD": "Dead",
    "PREPARING_REBALANCING": "PreparingRebalance",
    "COMPLETING_REBALANCING": "CompletingRebalance",
}


class Admin(Protocol):
    """The calls of AdminClient that kassay uses; each returns futures."""

    def describe_consumer_groups(self, group_ids: list[str], **more: Any) -> Mapping[str, Any]:
        """Futures of descriptions by group."""

    def describe_topics(self, topics: Any, **more: Any) -> Mapping[str, Any]:
        """Futures of descriptions by topic."""

    def describe_cluster(self, **more: Any) -> Any:
        """The future of a description."""

    def list_groups(self, group: str, timeout: float) -> Iterable[Any]:
        """Groups of any type by this name; raises `KafkaException`."""


def connect(bootstrap: str, config: Mapping[str, str]) -> Admin:
    """A client; raises `InputError` if confluent-kafka is missing or refuses the configuration."""
    try:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient
    except ImportError:
        raise InputError(
            "--bootstrap-server: needs confluent-kafka, which is not installed: pip install 'kassay[live]'"
        ) from None
    settings = {**config, "bootstrap.servers": bootstrap, "log_level": 0}
    try:
        admin: Admin = AdminClient(settings)
    except KafkaException as error:
        raise InputError(f"--command-config: {error.args[0].str()}") from None
    return admin


def read_config(path: str) -> dict[str, str]:
    """Properties of a file, named as in librdkafka; raises `InputError` with file and line.

    User and password are extracted from `sasl.jaas.config`, which only Java clients read.
    """
    config: dict[str, str] = {}
    for number, line in enumerate(read_text(path, "properties").splitlines(), start=1):
        text = line.strip()
        if not text or text[0] in "#!":
            continue
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key:
            raise InputError(f"{path}:{number}: expected key=value")
        if key == "sasl.jaas.config":
            config.update({f"sasl.{name}": word for name, word in _JAAS.findall(value)})
        else:
            config[key] = value
    return config


def read_live(admin: Admin, group: str, bootstrap: str, also: Iterable[str] = ()) -> ClusterInputs:
    """The group, the topics of its partitions, the topics of `also`, and the brokers.

    Raises `InputError` if the group does not exist or is not a consumer group, or if the brokers do not
    answer.
    """
    inputs = ClusterInputs(files=[bootstrap])
    described = _answer(admin.describe_consumer_groups([group], request_timeout=TIMEOUT_S)[group], bootstrap)
    if described.state.name == "DEAD":
        raise InputError(f"{bootstrap}: group {shown(group)}: {_why_dead(admin, group)}")
    outputs = _outputs(described, bootstrap)
    inputs.groups.append(outputs)
    owned = {topic for row in outputs.members for topic, _ in (*(row.owned or ()), *(row.target or ()))}
    cluster = _answer(admin.describe_cluster(request_timeout=TIMEOUT_S), bootstrap)
    inputs.take_brokers([Broker(node.id, node.rack or None) for node in cluster.nodes], bootstrap)
    names = sorted(owned.union(also))
    if names:
        futures = admin.describe_topics(_collection(names), request_timeout=TIMEOUT_S)
        answers = {name: _answer(future, bootstrap) for name, future in futures.items()}
        inputs.topics = {name: _topic(answer) for name, answer in answers.items()}
        inputs.leaders = {tp: leader for answer in answers.values() for tp, leader in _leaders(answer)}
    return inputs


def _collection(names: list[str]) -> Any:
    """The names in the collection type that the client expects."""
    from confluent_kafka import TopicCollection

    return TopicCollection(names)


def _answer(future: Any, bootstrap: str) -> Any:
    """The brokers' answer; raises `InputError` with a one-line message if the call failed."""
    from confluent_kafka import KafkaException

    try:
        return future.result()
    except KafkaException as error:
        raise InputError(f"{bootstrap}: {error.args[0].str()}") from None


def _outputs(described: Any, bootstrap: str) -> GroupOutputs:
    """Members and state of a described group."""
    is_consumer = described.type.name == "CONSUMER"
    members = tuple(
        MemberRow(
            Place(bootstrap, number),
            described.group_id,
            member.member_id,
            member.group_instance_id or None,
            member.client_id or None,
            member.host or None,
            len(member.assignment.topic_partitions),
            _partitions(member.assignment),
            lost=False,
            target=None if member.target_assignment is None else _partitions(member.target_assignment),
            epoch=None,
            target_epoch=None,
            is_consumer=is_consumer,
        )
        for number, member in enumerate(described.members, start=1)
    )
    row = StateRow(
        Place(bootstrap, 0),
        described.group_id,
        described.partition_assignor or None,
        _STATES.get(described.state.name) or _state_of_consumer_group(members),
        None,
        len(members),
    )
    return GroupOutputs(members=members, states=(row,))


def _state_of_consumer_group(members: Iterable[MemberRow]) -> str:
    """The state of a consumer-protocol group that librdkafka reports as unknown.

    Either members still move to their target assignments, or the targets are not computed yet.
    """
    on_the_way = any(row.target is not None and set(row.target) != set(row.owned or ()) for row in members)
    return "Reconciling" if on_the_way else "Assigning"


def _why_dead(admin: Admin, group: str) -> str:
    """Why brokers report the group as Dead: it does not exist, or it has another type."""
    from confluent_kafka import KafkaException

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            listed = any(True for _ in admin.list_groups(group, timeout=TIMEOUT_S))
        except KafkaException:
            return "there is no consumer group of this name"
    if listed:
        return "it is no consumer group but a share or Streams group, which what-if and scale do not read"
    return "does not exist"


def _partitions(assignment: Any) -> tuple[tuple[str, int], ...]:
    return tuple((tp.topic, tp.partition) for tp in assignment.topic_partitions)


def _topic(described: Any) -> Topic:
    """The topic with its replicas."""
    rows = sorted(described.partitions, key=lambda partition: partition.id)
    replicas = tuple(tuple(node.id for node in partition.replicas) for partition in rows)
    return Topic(described.name, len(rows), replicas)


def _leaders(described: Any) -> Iterable[tuple[TopicPartition, int | None]]:
    """The leader of each partition of the topic."""
    for row in described.partitions:
        leader = getattr(row, "leader", None)
        led = None if leader is None or leader.id < 0 else int(leader.id)
        yield TopicPartition(described.name, row.id), led
