"""A cluster's brokers over connections of our own; every request only reads.

`REQUESTS` are all that is ever sent besides the handshakes. What a broker refuses for want of a right is
reported as the operation and the resource that it takes, with the command that grants it. Source: Kafka's
protocol guide; `KafkaApis` and `AuthHelper` for the rights.
"""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.live.connection import Connection
from kassay.reading.live.failures import ConnectFailure
from kassay.reading.live.messages import messages
from kassay.reading.live.settings import ClientSettings

REQUESTS: Final = frozenset(
    {
        *("Metadata", "DescribeCluster", "FindCoordinator", "ListGroups", "DescribeGroups"),
        *("ConsumerGroupDescribe", "ShareGroupDescribe", "StreamsGroupDescribe", "OffsetFetch"),
        *("ListOffsets", "ListPartitionReassignments"),
        *("DescribeConfigs", "DescribeLogDirs", "DescribeTopicPartitions", "Fetch"),
    }
)
"""The only requests made to a cluster, next to ApiVersions, SaslHandshake and SaslAuthenticate."""
METADATA_KEY: Final = 3
_DEFAULT_PORT: Final = 9092
_PATIENCE_S: Final = 5.0
TOPIC_RIGHT, GROUP_RIGHT, CLUSTER_RIGHT = 29, 30, 31
LOADING: Final = frozenset({14, 15, 16})
"""A coordinator that loads, is not there yet, or moved: the request is sent again."""


class MissingRight(InputError):
    """The brokers refuse an answer that the client has no right to."""

    def __init__(self, bootstrap: str, operation: str, kind: str, name: str | None) -> None:
        """The operation, the kind of the resource (topic, group, cluster) and its name, None if not known."""
        which = f"{kind} {name}" if name is not None and kind != "cluster" else kind
        if name is None and kind == "topic":
            which = "a topic that the group subscribes to (the broker does not say which)"
        resource = "--cluster" if kind == "cluster" else f"--{kind} {name or 'NAME'}"
        super().__init__(
            f"{bootstrap}: no right to {operation.upper()} on {which}: kafka-acls.sh --bootstrap-server "
            f"{bootstrap} --add --allow-principal User:NAME --operation {operation} {resource}"
        )


class LiveNode(NamedTuple):
    """A broker as the cluster advertises it."""

    broker_id: int
    host: str
    port: int
    rack: str | None


def uuid_text(value: uuid.UUID | None) -> str | None:
    """A `Uuid` as Kafka writes it; None for the one that stands for none."""
    if value is None or not value.int:
        return None
    return base64.urlsafe_b64encode(value.bytes).decode().rstrip("=")


def error_name(code: int) -> str:
    """Kafka's name of an error code."""
    from kafka.errors import for_code

    return str(getattr(for_code(code), "message", code))


class LiveCluster:
    """The cluster behind some bootstrap servers; a context manager.

    `requests` counts what was asked, without the handshakes.
    """

    def __init__(self, bootstrap: str, settings: ClientSettings) -> None:
        """Connect to the first bootstrap server that answers; raises `InputError` with the cause."""
        self.bootstrap, self._settings = bootstrap, settings
        self.requests = 0
        self._known = messages()
        self._context = None if settings.tls is None else settings.tls.context()
        self._by_node: dict[int, Connection] = {}
        self._first = self._reached(bootstrap)
        try:
            answer = self.metadata([])
        except BaseException:
            self.close()
            raise
        self.nodes: Mapping[int, LiveNode] = {
            each.node_id: LiveNode(each.node_id, each.host, each.port, each.rack or None)
            for each in answer.brokers
        }
        self.controller = answer.controller_id if answer.controller_id in self.nodes else None

    def __enter__(self) -> LiveCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all connections."""
        for each in (self._first, *self._by_node.values()):
            each.close()

    def ask(self, request: str, fields: Mapping[str, Any], node: int | None = None, most: int = 99) -> Any:
        """The answer of a broker, of any one if `node` is None; `most` limits the version of the request.

        Raises `ConnectFailure`.
        """
        if request not in REQUESTS:
            raise AssertionError(request)
        connection = self._first if node is None else self._of(node)
        self.requests += 1
        return connection.ask(self.message(request)(**fields), most)

    def message(self, request: str) -> Any:
        """The class of a request."""
        return getattr(self._known, f"{request}Request")

    def offers(self, request: str, node: int | None = None) -> int:
        """The newest version of the request that the broker and we know; -1 without any."""
        connection = self._first if node is None else self._of(node)
        return connection.version(self.message(request))

    def metadata(self, topics: Iterable[str] | None) -> Any:
        """Brokers and the named topics, all topics for None; no topic comes into being by it."""
        named = None
        if topics is not None:
            entry = self.message("Metadata").MetadataRequestTopic
            named = [entry(topic_id=uuid.UUID(int=0), name=name) for name in topics]
        return self.ask("Metadata", {"topics": named, "allow_auto_topic_creation": False})

    def coordinators(self, groups: Iterable[str]) -> dict[int, list[str]]:
        """The groups by the broker that coordinates them; raises `InputError`."""
        by_node: dict[int, list[str]] = {}
        for group in groups:
            by_node.setdefault(self._coordinator(group), []).append(group)
        return by_node

    def _coordinator(self, group: str) -> int:
        batched = self.offers("FindCoordinator") >= 4
        fields = {"key_type": 0, **({"coordinator_keys": [group]} if batched else {"key": group})}

        def ask() -> tuple[int, Any]:
            answer = self.ask("FindCoordinator", fields)
            described = answer.coordinators[0] if batched else answer
            return described.error_code, described.node_id

        return int(self.settled(ask, "group", group))

    def settled(self, ask: Callable[[], tuple[int, Any]], kind: str, name: str) -> Any:
        """What `ask` returns with code 0, repeated while a coordinator loads; raises `InputError`."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            code, answer = ask()
            if code == 0:
                return answer
            if code not in LOADING or time.monotonic() > end:
                raise self.refused(code, kind, name)
            time.sleep(0.2)

    def refused(self, code: int, kind: str, name: str | None, operation: str = "Describe") -> InputError:
        """The error for a code with which a broker answers about a resource."""
        rights = {TOPIC_RIGHT: "topic", GROUP_RIGHT: "group", CLUSTER_RIGHT: "cluster"}
        if code in rights:
            named = name if rights[code] == kind else None
            return MissingRight(self.bootstrap, operation, rights[code], named)
        return InputError(f"{self.bootstrap}: {kind} {name or ''}: the broker answers {error_name(code)}")

    def _reached(self, bootstrap: str) -> Connection:
        """A connection to the first server that lets us in; raises the failure of the first one."""
        failures = []
        for address in bootstrap.split(","):
            try:
                connection = Connection(*_address(address.strip()), self._settings, self._context)
            except ConnectFailure as failure:
                failures.append(failure)
                continue
            if connection.version(self.message("Metadata")) >= 0:
                return connection
            connection.close()
            failures.append(ConnectFailure(f"{address}: the port of a controller, expected one of a broker"))
        raise failures[0]

    def _of(self, node_id: int) -> Connection:
        """The connection to a broker; raises `ConnectFailure`."""
        if node_id not in self._by_node:
            node = self.nodes.get(node_id)
            if node is None:
                raise ConnectFailure(f"{self.bootstrap}: broker {node_id} does not answer")
            try:
                connection = Connection(node.host, node.port, self._settings, self._context)
            except ConnectFailure as failure:
                raise ConnectFailure(f"broker {node_id}, which the cluster advertises as {failure}") from None
            self._by_node[node_id] = connection
        return self._by_node[node_id]


def _address(text: str) -> tuple[str, int]:
    """Host and port; raises `InputError`."""
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host and not host.startswith("[")):
        host, port = text, str(_DEFAULT_PORT)
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise InputError(f"--bootstrap-server {text!r}: expected HOST:PORT, several with commas between")
    return host.strip("[]"), int(port)
