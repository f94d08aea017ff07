"""The group requests of Kafka's protocol as bytes, in one flexible version each, and their answers.

Only the fields that a script has, the rest with Kafka's defaults. Source: the message schemas of Kafka 4.4
(`clients/src/main/resources/common/message`); KIP-482 for the encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple


class Api(NamedTuple):
    """An API: its key, the version that is spoken, and the fields of an answer in order."""

    key: int
    version: int
    answer: tuple[tuple[str, Any], ...]


def framed(api: Api, number: int, body: bytes) -> bytes:
    """A request with its length and its header of version 2."""
    header = struct.pack(">hhi", api.key, api.version, number) + _legacy("kassay-play") + b"\0"
    return struct.pack(">i", len(header) + len(body)) + header + body


def _legacy(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _string(text: str | None) -> bytes:
    if text is None:
        return _varint(0)
    return _bytes(text.encode())


def _bytes(data: bytes) -> bytes:
    return _varint(len(data) + 1) + data


def _array(items: Sequence[bytes] | None) -> bytes:
    return _varint(0) if items is None else _varint(len(items) + 1) + b"".join(items)


def _i16(number: int) -> bytes:
    return struct.pack(">h", number)


def _i32(number: int) -> bytes:
    return struct.pack(">i", number)


def _i64(number: int) -> bytes:
    return struct.pack(">q", number)


_TAGS: Final = b"\0"
"""No tagged fields."""


def subscription(metadata: Mapping[str, Any]) -> bytes:
    """`ConsumerProtocolSubscription`, or the raw bytes of another protocol."""
    if "raw" in metadata:
        return str(metadata["raw"]).encode()
    version = metadata.get("version", 0)
    out = _i16(version) + _topics_of(metadata.get("topics", ())) + _i32(-1)
    if version >= 1:
        out += _assigned(metadata.get("owned") or {})
    if version >= 2:
        out += _i32(metadata.get("generation", -1))
    if version >= 3:
        out += _i16(-1)
    return out


def _topics_of(topics: Sequence[str]) -> bytes:
    return _i32(len(topics)) + b"".join(_legacy(topic) for topic in topics)


def _assigned(numbers: Mapping[str, Sequence[int]]) -> bytes:
    parts = [
        _legacy(topic) + _i32(len(each)) + b"".join(_i32(number) for number in each)
        for topic, each in numbers.items()
    ]
    return _i32(len(parts)) + b"".join(parts)


def assignment(numbers: Mapping[str, Sequence[int]]) -> bytes:
    """`ConsumerProtocolAssignment`, version 1."""
    return _i16(1) + _assigned(numbers) + _i32(-1)


def assignment_of(data: bytes) -> dict[str, list[int]] | None:
    """The partitions in an assignment; None for zero bytes."""
    if not data:
        return None
    reader = WireReader(data[2:])
    return {reader.legacy(): [reader.i32() for _ in range(reader.i32())] for _ in range(reader.i32())}


@dataclass
class WireReader:
    """Reads the fields of an answer, one after the other."""

    data: bytes
    place: int = 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        self.place += count
        return self.data[self.place - count : self.place]

    def number(self, form: str) -> Any:
        """A fixed number."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def i16(self) -> int:
        """An int16."""
        return int(self.number(">h"))

    def i32(self) -> int:
        """An int32."""
        return int(self.number(">i"))

    def legacy(self) -> str:
        """A string with an int16 length."""
        return self.take(self.i16()).decode()

    def varint(self) -> int:
        """An unsigned varint."""
        shift = value = 0
        while True:
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def compact(self) -> bytes | None:
        """Compact bytes, None for null."""
        length = self.varint()
        return self.take(length - 1) if length else None

    def text(self) -> str | None:
        """A compact string."""
        data = self.compact()
        return None if data is None else data.decode()

    def tags(self) -> None:
        """Skip tagged fields."""
        for _ in range(self.varint()):
            self.varint()
            self.take(self.varint())

    def read(self, form: Any) -> Any:
        """A value of this form: a letter, a list of fields (an array), or a tuple of them (nullable)."""
        if form == "s":
            return self.text()
        if form == "b":
            return self.compact()
        if form in ("h", "i", "q", "?"):
            return self.number(">" + form)
        if form == "u":
            return self.take(16)
        if isinstance(form, tuple):
            return None if self.number(">b") < 0 else self.fields(form[0])
        length = self.varint()
        if not length:
            return None
        return [
            self.fields(form) if isinstance(form[0], tuple) else self.read(form[0]) for _ in range(length - 1)
        ]

    def fields(self, forms: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        """The fields of a structure."""
        values = {name: self.read(form) for name, form in forms}
        self.tags()
        return values


def read_answer(api: Api, data: bytes) -> Mapping[str, Any]:
    """The fields of an answer that are listed, with its header of version 1; the rest is not read."""
    reader = WireReader(data)
    reader.i32()
    reader.tags()
    return {name: reader.read(form) for name, form in api.answer}


_THROTTLE: Final = ("throttle", "i")
_ERROR: Final = ("code", "h")
_MEMBER: Final = (("member", "s"), ("instance", "s"), ("metadata", "b"))
_NUMBERS: Final = [("topic", "u"), ("partitions", ["i"])]
_BY_NAME: Final = [("topic", "s"), ("partitions", [("partition", "i"), ("code", "h")])]
JOIN: Final = Api(
    11,
    9,
    (
        _THROTTLE,
        _ERROR,
        ("generation", "i"),
        ("protocol_type", "s"),
        ("protocol", "s"),
        ("leader", "s"),
        ("skip_assignment", "?"),
        ("member", "s"),
        ("members", list(_MEMBER)),
    ),
)
SYNC: Final = Api(14, 5, (_THROTTLE, _ERROR, ("protocol_type", "s"), ("protocol", "s"), ("assignment", "b")))
HEARTBEAT: Final = Api(12, 4, (_THROTTLE, _ERROR))
LEAVE: Final = Api(13, 5, (_THROTTLE, _ERROR))
COMMIT: Final = Api(8, 9, (_THROTTLE, ("topics", _BY_NAME)))
CONSUMER: Final = Api(
    68,
    1,
    (
        _THROTTLE,
        _ERROR,
        ("message", "s"),
        ("member", "s"),
        ("epoch", "i"),
        ("interval", "i"),
        ("assignment", ((("topics", _NUMBERS),),)),
    ),
)
STREAMS: Final = Api(88, 0, (_THROTTLE, _ERROR, ("message", "s"), ("member", "s"), ("epoch", "i")))
FIND_COORDINATOR: Final = Api(10, 4, (_THROTTLE,))
_PARTITION: Final = [
    ("code", "h"),
    ("partition", "i"),
    ("leader", "i"),
    ("epoch", "i"),
    ("replicas", ["i"]),
    ("isr", ["i"]),
    ("offline", ["i"]),
]
METADATA: Final = Api(
    3,
    12,
    (
        _THROTTLE,
        ("brokers", [("id", "i"), ("host", "s"), ("port", "i"), ("rack", "s")]),
        ("cluster", "s"),
        ("controller", "i"),
        (
            "topics",
            [
                ("code", "h"),
                ("name", "s"),
                ("id", "u"),
                ("internal", "?"),
                ("partitions", _PARTITION),
                ("operations", "i"),
            ],
        ),
    ),
)
CREATE_TOPICS: Final = Api(19, 7, (_THROTTLE,))


def find_coordinator(group: str) -> bytes:
    """FindCoordinator of a group."""
    return b"\0" + _array([_string(group)]) + _TAGS


def metadata() -> bytes:
    """Metadata of all topics."""
    return _array(None) + b"\0\0" + _TAGS


def topic_ids(answer: Mapping[str, Any]) -> dict[str, bytes]:
    """The ids of the topics."""
    return {topic["name"]: topic["id"] for topic in answer["topics"] or ()}


def create_topics(topics: Mapping[str, int]) -> bytes:
    """CreateTopics, with one replica each; one that exists stays as it is."""
    created = [
        _string(name) + _i32(count) + _i16(1) + _array([]) + _array([]) + _TAGS
        for name, count in topics.items()
    ]
    return _array(created) + _i32(10_000) + b"\0" + _TAGS


Ids = Mapping[str, bytes]
Body = tuple[Api, bytes]


def _join(group: str, event: Mapping[str, Any], _: Ids) -> Body:
    protocols = [_string(name) + _bytes(subscription(about)) + _TAGS for name, about in event["protocols"]]
    body = _string(group) + _i32(event["session_timeout"]) + _i32(event["rebalance_timeout"])
    body += _string(event["member"]) + _string(event["instance"]) + _string(event["protocol_type"])
    return JOIN, body + _array(protocols) + _string(None) + _TAGS


def _sync(group: str, event: Mapping[str, Any], _: Ids) -> Body:
    given = [
        _string(member) + _bytes(b"" if numbers is None else assignment(numbers)) + _TAGS
        for member, numbers in event["assignments"].items()
    ]
    body = _string(group) + _i32(event["generation"]) + _string(event["member"]) + _string(event["instance"])
    body += _string(event["protocol_type"]) + _string(event["protocol"])
    return SYNC, body + _array(given) + _TAGS


def _heartbeat(group: str, event: Mapping[str, Any], _: Ids) -> Body:
    body = _string(group) + _i32(event["generation"]) + _string(event["member"]) + _string(event["instance"])
    return HEARTBEAT, body + _TAGS


def _leave(group: str, event: Mapping[str, Any], _: Ids) -> Body:
    gone = [
        _string(each["member"]) + _string(each.get("instance")) + _string(None) + _TAGS
        for each in event["members"]
    ]
    return LEAVE, _string(group) + _array(gone) + _TAGS


def _commit(group: str, event: Mapping[str, Any], _: Ids) -> Body:
    topics = [
        _string(topic) + _array([_i32(partition) + _i64(offset) + _i32(-1) + _string("") + _TAGS]) + _TAGS
        for topic, partition, offset in event["offsets"]
    ]
    body = _string(group) + _i32(event["generation"]) + _string(event["member"]) + _string(event["instance"])
    return COMMIT, body + _array(topics) + _TAGS


def _consumer(group: str, event: Mapping[str, Any], ids: Ids) -> Body:
    timeout, subscribed, owned = event["rebalance_timeout"], event["subscribed"], event["owned"]
    tps = None
    if owned is not None:
        tps = [
            ids.get(topic, bytes(16)) + _array([_i32(number) for number in numbers]) + _TAGS
            for topic, numbers in owned.items()
        ]
    body = _string(group) + _string(event["member"]) + _i32(event["epoch"]) + _string(event["instance"])
    body += _string(None) + _i32(-1 if timeout is None else timeout)
    body += _array(None if subscribed is None else [_string(name) for name in subscribed])
    return CONSUMER, body + _string(event["regex"]) + _string(event["assignor"]) + _array(tps) + _TAGS


def _streams(group: str, event: Mapping[str, Any], _: Ids) -> Body:
    topology = event.get("topology")
    body = (
        _string(group)
        + _string(event["member"])
        + _i32(event["epoch"])
        + _i32(event.get("endpoint_epoch", 0))
    )
    timeout = event.get("rebalance_timeout")
    body += _string(event.get("instance")) + _string(None) + _i32(-1 if timeout is None else timeout)
    if topology is None:
        body += b"\xff"
    else:
        parts = [
            _string(part["id"]) + _array([_string(name) for name in part["sources"]]) + _array([]) * 5 + _TAGS
            for part in topology["subtopologies"]
        ]
        body += b"\1" + _i32(topology["epoch"]) + _array(parts) + _TAGS
    joins = event["epoch"] == 0
    body += _array([] if joins else None) * 3
    body += _string(event.get("process")) + b"\xff" + _array(None) * 3 + b"\0" + _TAGS
    return STREAMS, body


REQUESTS: Final[Mapping[str, Callable[[str, Mapping[str, Any], Ids], Body]]] = {
    "join": _join,
    "sync": _sync,
    "heartbeat": _heartbeat,
    "leave": _leave,
    "commit": _commit,
    "consumer_heartbeat": _consumer,
    "streams_heartbeat": _streams,
}
"""By kind of event: the API and the body of its request."""
ERRORS: Final[Mapping[int, str]] = {
    -1: "UNKNOWN_SERVER_ERROR",
    0: "NONE",
    3: "UNKNOWN_TOPIC_OR_PARTITION",
    14: "COORDINATOR_LOAD_IN_PROGRESS",
    15: "COORDINATOR_NOT_AVAILABLE",
    16: "NOT_COORDINATOR",
    22: "ILLEGAL_GENERATION",
    23: "INCONSISTENT_GROUP_PROTOCOL",
    24: "INVALID_GROUP_ID",
    25: "UNKNOWN_MEMBER_ID",
    26: "INVALID_SESSION_TIMEOUT",
    27: "REBALANCE_IN_PROGRESS",
    35: "UNSUPPORTED_VERSION",
    42: "INVALID_REQUEST",
    69: "GROUP_ID_NOT_FOUND",
    79: "MEMBER_ID_REQUIRED",
    81: "GROUP_MAX_SIZE_REACHED",
    82: "FENCED_INSTANCE_ID",
    110: "FENCED_MEMBER_EPOCH",
    111: "UNRELEASED_INSTANCE_ID",
    112: "UNSUPPORTED_ASSIGNOR",
    113: "STALE_MEMBER_EPOCH",
}
"""The errors of group requests by code."""


def shown(kind: str, answer: Mapping[str, Any], ids: Ids) -> dict[str, Any]:
    """An answer in the form of the traces."""
    if "error" in answer:
        return dict(answer)
    code = answer.get("code", 0)
    if kind == "commit":
        code = max((each["code"] for topic in answer["topics"] for each in topic["partitions"]), default=0)
    out: dict[str, Any] = {"error": ERRORS.get(code, f"error {code}")}
    out |= {
        name: answer[name]
        for name in ("member", "epoch", "generation", "protocol", "leader")
        if name in answer
    }
    if code == 0 and kind == "sync":
        out["assignment"] = assignment_of(answer["assignment"] or b"")
    if code == 0 and kind == "consumer_heartbeat" and answer["assignment"] is not None:
        names = {number: name for name, number in ids.items()}
        out["assignment"] = {
            names.get(each["topic"], each["topic"].hex()): each["partitions"]
            for each in answer["assignment"]["topics"]
        }
    return out
