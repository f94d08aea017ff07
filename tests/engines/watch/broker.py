"""A recorded broker with many groups of the classic protocol; the names of the requests that it got, in order."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from tests.engines.clusters.broker import (
    CONSUMER_GROUP_DESCRIBE,
    DESCRIBE_GROUPS,
    GROUP_ID_NOT_FOUND,
    LIST_GROUPS,
    NO_TAGS,
    RecordedBroker,
    _array,
    _bytes,
    _compact,
    _compact_array,
    _text,
    assignment,
    subscription,
)

GROUP_AUTHORIZATION_FAILED = 30


class ManyGroups(RecordedBroker):
    """Groups by name, each with what its members own; all read all topics. `types` are protocol types."""

    def __init__(
        self,
        groups: Mapping[str, Mapping[str, Mapping[str, Sequence[int]]]],
        topics: Mapping[str, int],
        types: Mapping[str, str] | None = None,
        state: str = "Stable",
    ) -> None:
        super().__init__("", {}, topics, state=state)
        self.groups, self.types = groups, types or {}
        self.requests: list[int] = []
        self.refused: set[str] = set()
        """Groups that the client may not describe."""

    def _body(self, key: int, version: int, rest: bytes) -> bytes | None:
        self.requests.append(key)
        if key == LIST_GROUPS:
            listed = [_text(name) + _text(self.types.get(name, "consumer")) for name in self.groups]
            return struct.pack(">h", 0) + _array(listed)
        if key == DESCRIBE_GROUPS:
            return struct.pack(">i", 0) + _array([self._classic(name) for name in _names(rest)])
        if key == CONSUMER_GROUP_DESCRIBE:
            groups = [_absent(name) for name in _compact_names(rest)]
            return NO_TAGS + struct.pack(">i", 0) + _compact_array(groups) + NO_TAGS
        return super()._body(key, version, rest)

    def _classic(self, name: str) -> bytes:
        if name in self.refused:
            none = (
                struct.pack(">h", GROUP_AUTHORIZATION_FAILED)
                + _text(name)
                + _text("")
                + _text("")
                + _text("")
            )
            return none + _array([]) + struct.pack(">i", -(2**31))
        members = [
            _text(member)
            + _text(None)
            + _text(f"c-{member}")
            + _text("/10.0.0.7")
            + _bytes(subscription([*self.topics], None))
            + _bytes(assignment(own))
            for member, own in self.groups[name].items()
        ]
        head = struct.pack(">h", 0) + _text(name) + _text(self.state) + _text("consumer") + _text("range")
        return head + _array(members) + struct.pack(">i", -(2**31))


def _after_client(rest: bytes) -> bytes:
    """The request without the client's id."""
    (length,) = struct.unpack(">h", rest[:2])
    return rest[2 + max(length, 0) :]


def _names(rest: bytes) -> list[str]:
    """The groups of DescribeGroups."""
    body = _after_client(rest)
    (count,) = struct.unpack(">i", body[:4])
    names, at = [], 4
    for _ in range(count):
        (length,) = struct.unpack(">h", body[at : at + 2])
        names.append(body[at + 2 : at + 2 + length].decode())
        at += 2 + length
    return names


def _compact_names(rest: bytes) -> list[str]:
    """The groups of ConsumerGroupDescribe, which are at most a hundred with names of at most 126 bytes."""
    body = _after_client(rest)[1:]
    names, at = [], 1
    for _ in range(body[0] - 1):
        length = body[at] - 1
        names.append(body[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return names


def _absent(name: str) -> bytes:
    error = struct.pack(">h", GROUP_ID_NOT_FOUND) + _compact(f"Group {name} is not a consumer group.")
    rest = _compact("") + struct.pack(">ii", 0, 0) + _compact("") + _compact_array([])
    return error + _compact(name) + rest + struct.pack(">i", -(2**31)) + NO_TAGS
