"""A broker on the loopback that answers what live reading asks, with recorded answers.

Versions: ApiVersions 0, Metadata 8, FindCoordinator 2, DescribeGroups 4, ListGroups 0, OffsetFetch 3 and ListOffsets 1, none of
them flexible, and ConsumerGroupDescribe 0, which is. What else is asked is noted in `asked` and not answered. A group that is of
another type is to each call what it is to a broker: not found by ConsumerGroupDescribe, Dead to DescribeGroups.
Source: Kafka's message schemas (`clients/src/main/resources/common/message`), `GroupCoordinatorService`.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence

API_VERSIONS, METADATA, FIND_COORDINATOR, DESCRIBE_GROUPS, LIST_GROUPS = 18, 3, 10, 15, 16
OFFSET_FETCH, LIST_OFFSETS = 9, 2
CONSUMER_GROUP_DESCRIBE = 69
OFFERED = {
    API_VERSIONS: (0, 0),
    METADATA: (0, 8),
    FIND_COORDINATOR: (0, 2),
    DESCRIBE_GROUPS: (0, 4),
    LIST_GROUPS: (0, 0),
    OFFSET_FETCH: (0, 3),
    LIST_OFFSETS: (0, 1),
    CONSUMER_GROUP_DESCRIBE: (0, 0),
}
UNSUPPORTED_VERSION, GROUP_ID_NOT_FOUND = 35, 69
NO_TAGS = b"\0"
COMMITTED, END = 7, 10
"""The committed offset and the end of every partition."""


def _text(text: str | None) -> bytes:
    if text is None:
        return struct.pack(">h", -1)
    raw = text.encode()
    return struct.pack(">h", len(raw)) + raw


def _bytes(raw: bytes) -> bytes:
    return struct.pack(">i", len(raw)) + raw


def _array(items: Sequence[bytes]) -> bytes:
    return struct.pack(">i", len(items)) + b"".join(items)


def _ints(numbers: Sequence[int]) -> bytes:
    return _array([struct.pack(">i", number) for number in numbers])


def _varint(number: int) -> bytes:
    raw = bytearray()
    while number > 0x7F:
        raw.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*raw, number])


def _compact(text: str | None) -> bytes:
    """A string of a flexible version."""
    if text is None:
        return _varint(0)
    raw = text.encode()
    return _varint(len(raw) + 1) + raw


def _compact_array(items: Sequence[bytes]) -> bytes:
    return _varint(len(items) + 1) + b"".join(items)


def _topic_partitions(owned: Mapping[str, Sequence[int]]) -> bytes:
    """An assignment of ConsumerGroupDescribe: an id, a name and the partitions of each topic."""
    topics = [
        bytes(15)
        + bytes([number])
        + _compact(topic)
        + _compact_array([struct.pack(">i", partition) for partition in partitions])
        + NO_TAGS
        for number, (topic, partitions) in enumerate(owned.items(), start=1)
    ]
    return _compact_array(topics) + NO_TAGS


def subscription(topics: Sequence[str], rack: str | None, *, version: int = 3) -> bytes:
    """What a member of a classic group joins with (ConsumerProtocolSubscription, version 3 or 0)."""
    head = struct.pack(">h", version) + _array([_text(topic) for topic in topics]) + _bytes(b"")
    return head + (_array([]) + struct.pack(">i", -1) + _text(rack) if version == 3 else b"")


def assignment(owned: Mapping[str, Sequence[int]]) -> bytes:
    """A member's assignment as the leader wrote it (ConsumerProtocolAssignment, version 0)."""
    return struct.pack(">h", 0) + _array([_text(t) + _ints(ps) for t, ps in owned.items()]) + _bytes(b"")


class RecordedBroker:
    """One broker that is coordinator and controller; a context manager. `asked` are the keys of requests."""

    def __init__(
        self,
        group: str,
        members: Mapping[str, Mapping[str, Sequence[int]]],
        topics: Mapping[str, int],
        *,
        strategy: str = "range",
        state: str = "Stable",
        protocol_type: str = "consumer",
        targets: Mapping[str, Mapping[str, Sequence[int]]] | None = None,
        subscribed: Mapping[str, bytes] | None = None,
    ) -> None:
        """`targets` are those of a group of the consumer protocol; `subscribed` the bytes of others' members."""
        self.subscribed = subscribed or {}
        self.group, self.members, self.topics, self.strategy, self.state = (
            group,
            members,
            topics,
            strategy,
            state,
        )
        self.protocol_type, self.targets = protocol_type, targets
        self.asked: set[int] = set()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.host, self.port = self._socket.getsockname()[:2]
        self._open: list[socket.socket] = []

    @property
    def bootstrap(self) -> str:
        return f"{self.host}:{self.port}"

    def __enter__(self) -> RecordedBroker:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._socket, *self._open):
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while len(size := stream.read(4)) == 4:
                    request = stream.read(*struct.unpack(">i", size))
                    key, version, correlation = struct.unpack(">hhi", request[:8])
                    self.asked.add(key)
                    body = self._body(key, version, request[8:])
                    if body is not None:
                        connection.sendall(_bytes(struct.pack(">i", correlation) + body))
        except OSError:
            return

    def _body(self, key: int, version: int, rest: bytes) -> bytes | None:
        if key == API_VERSIONS:
            offered = [struct.pack(">hhh", k, low, high) for k, (low, high) in OFFERED.items()]
            return struct.pack(">h", UNSUPPORTED_VERSION if version else 0) + _array(offered)
        if key == METADATA and version == 8:
            return self._metadata()
        if key == FIND_COORDINATOR and version == 2:
            return struct.pack(">ih", 0, 0) + _text(None) + self._node()
        if key == DESCRIBE_GROUPS and version == 4:
            return struct.pack(">i", 0) + _array([self._described()])
        if key == OFFSET_FETCH and version == 3:
            return (
                struct.pack(">i", 0)
                + self._offsets(lambda number: struct.pack(">iq", number, COMMITTED) + _text("") + b"\0\0")
                + b"\0\0"
            )
        if key == LIST_OFFSETS and version == 1:
            return self._offsets(lambda number: struct.pack(">ihqq", number, 0, -1, END))
        if key == LIST_GROUPS and version == 0:
            listed = [] if self.state == "Dead" else [_text(self.group) + _text(self.protocol_type)]
            return struct.pack(">h", 0) + _array(listed)
        if key == CONSUMER_GROUP_DESCRIBE and version == 0:
            return NO_TAGS + struct.pack(">i", 0) + _compact_array([self._consumer_group()]) + NO_TAGS
        return None

    def _offsets(self, of_partition: Callable[[int], bytes]) -> bytes:
        return _array(
            [
                _text(name) + _array([of_partition(n) for n in range(count)])
                for name, count in self.topics.items()
            ]
        )

    def _node(self) -> bytes:
        return struct.pack(">i", 1) + _text(self.host) + struct.pack(">i", self.port)

    def _metadata(self) -> bytes:
        topics = []
        for name, count in self.topics.items():
            partitions = [
                struct.pack(">hiii", 0, number, 1, 0) + _ints([1]) + _ints([1]) + _ints([])
                for number in range(count)
            ]
            topics.append(
                struct.pack(">h", 0) + _text(name) + b"\0" + _array(partitions) + struct.pack(">i", -(2**31))
            )
        brokers = _array([self._node() + _text("az-a")])
        head = struct.pack(">i", 0) + brokers + _text("cluster") + struct.pack(">i", 1)
        return head + _array(topics) + struct.pack(">i", -(2**31))

    def _consumer_group(self) -> bytes:
        if self.targets is None:
            error = struct.pack(">h", GROUP_ID_NOT_FOUND) + _compact(
                f"Group {self.group} is not a consumer group."
            )
            rest = _compact("") + struct.pack(">ii", 0, 0) + _compact("") + _compact_array([])
            return error + _compact(self.group) + rest + struct.pack(">i", -(2**31)) + NO_TAGS
        members = [
            _compact(member)
            + _compact(None)
            + _compact("az-a")
            + struct.pack(">i", 7)
            + _compact(f"c-{member}")
            + _compact("/10.0.0.7")
            + _compact_array([_compact(topic) for topic in self.topics])
            + _compact(None)
            + _topic_partitions(own)
            + _topic_partitions(self.targets.get(member, own))
            + NO_TAGS
            for member, own in self.members.items()
        ]
        head = struct.pack(">h", 0) + _compact(None) + _compact(self.group) + _compact(self.state)
        head += struct.pack(">ii", 8, 8) + _compact(self.strategy)
        return head + _compact_array(members) + struct.pack(">i", -(2**31)) + NO_TAGS

    def _dead(self) -> bytes:
        return struct.pack(">h", 0) + _text(self.group) + _text("Dead") + _text("") + _text("") + _array([])

    def _described(self) -> bytes:
        if self.protocol_type in {"share", "streams"} or self.targets is not None:
            return self._dead() + struct.pack(">i", -(2**31))
        members = [
            _text(member)
            + _text(None)
            + _text(f"c-{member}")
            + _text("/10.0.0.7")
            + _bytes(self.subscribed.get(member, b""))
            + _bytes(assignment(own))
            for member, own in self.members.items()
        ]
        head = (
            struct.pack(">h", 0)
            + _text(self.group)
            + _text(self.state)
            + _text(self.protocol_type)
            + _text(self.strategy)
        )
        return head + _array(members) + struct.pack(">i", -(2**31))
