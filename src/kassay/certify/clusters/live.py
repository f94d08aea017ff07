"""A group as the brokers tell of it now, through an AdminClient (confluent-kafka); nothing is ever changed.

The calls of `CALLS` are made, all of them read-only: the last only where a group is not found, to tell one
that is not there from one of another type. What they answer becomes the same values as the outputs of Kafka's
tools do. Passwords of a configuration are handed to the client and never told.
Source: `AdminClient` of confluent-kafka; a group of the consumer protocol by ConsumerGroupDescribe (KIP-848).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from kassay.certify.clusters.inputs import ClusterInputs
from kassay.model.cluster import Broker, Topic
from kassay.model.errors import InputError
from kassay.reading.documents import read_text
from kassay.reading.fields import shown
from kassay.reading.kafka.groups import GroupOutputs, MemberRow, StateRow
from kassay.reading.kafka.lines import Place

CALLS: Final = ("describe_consumer_groups", "describe_topics", "describe_cluster", "list_groups")
"""All that is ever asked of the cluster."""
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
    """The part of an AdminClient that is used: each call gives futures."""

    def describe_consumer_groups(self, group_ids: list[str], **more: Any) -> Mapping[str, Any]:
        """Futures of descriptions by group."""

    def describe_topics(self, topics: Any, **more: Any) -> Mapping[str, Any]:
        """Futures of descriptions by topic."""

    def describe_cluster(self, **more: Any) -> Any:
        """The future of a description."""

    def list_groups(self, group: str, timeout: float) -> Iterable[Any]:
        """Groups of any type by this name; raises `KafkaException`."""


def connect(bootstrap: str, config: Mapping[str, str]) -> Admin:
    """A client; raises `InputError` where confluent-kafka is not there or refuses the configuration."""
    try:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient
    except ImportError:
        raise InputError(
            "--bootstrap-server: needs confluent-kafka, which is not there: pip install 'kassay[live]'"
        ) from None
    settings = {**config, "bootstrap.servers": bootstrap, "log_level": 0}
    try:
        admin: Admin = AdminClient(settings)
    except KafkaException as error:
        raise InputError(f"--command-config: {error.args[0].str()}") from None
    return admin


def read_config(path: str) -> dict[str, str]:
    """The properties of a file, as librdkafka calls them; raises `InputError` with file and line.

    User and password come out of `sasl.jaas.config`, which only Java reads.
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
    """The group, the topics that it owns partitions of and those `also` named, and the brokers.

    Raises `InputError` for a group that does not exist or is no consumer group, and for what the brokers do
    not answer.
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
        inputs.topics = {name: _topic(_answer(future, bootstrap)) for name, future in futures.items()}
    return inputs


def _collection(names: list[str]) -> Any:
    """The names as the client takes them."""
    from confluent_kafka import TopicCollection

    return TopicCollection(names)


def _answer(future: Any, bootstrap: str) -> Any:
    """What the brokers answered; raises `InputError` in a line where they did not."""
    from confluent_kafka import KafkaException

    try:
        return future.result()
    except KafkaException as error:
        raise InputError(f"{bootstrap}: {error.args[0].str()}") from None


def _outputs(described: Any, bootstrap: str) -> GroupOutputs:
    """The members and the state of a described group."""
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
    """The state of a group of the consumer protocol of which librdkafka says only that it does not know it.

    Members are on their way to targets that they do not own yet, or the targets are still to be computed.
    """
    on_the_way = any(row.target is not None and set(row.target) != set(row.owned or ()) for row in members)
    return "Reconciling" if on_the_way else "Assigning"


def _why_dead(admin: Admin, group: str) -> str:
    """What a group is that no broker knows as a consumer group: to brokers it is Dead in either case."""
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
