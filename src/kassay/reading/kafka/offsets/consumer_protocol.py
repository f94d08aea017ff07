"""The bytes of consumers in a classic group: a member's subscription and its assignment by the leader.

Both begin with an int16 version, and all integers are big-endian; a newer version is read as the newest known
one, since versions only add fields at the end.

    subscription   topics, user data; since 1 owned partitions, since 2 generation int32, since 3 rack
    assignment     topics with partitions, user data

An array has an int32 length, a text an int16 one, user data an int32 one; -1 is null.
Source: KIP-429, KIP-792, KIP-881; Kafka `ConsumerProtocolSubscription`, `ConsumerProtocolAssignment`, 0 to 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Final, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import NO_GENERATION
from kassay.model.shape.codec import MOST

NEWEST: Final = 3
_INT16: Final = Struct(">h")
_INT32: Final = Struct(">i")
_WITH_OWNED, _WITH_GENERATION, _WITH_RACK = 1, 2, 3
_T = TypeVar("_T")


@dataclass(frozen=True)
class ConsumerSubscription:
    """A member's message to its leader; `owned` is empty before version 1, `generation` -1 before 2."""

    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION
    rack: str | None = None
    user_data: bytes | None = None


@dataclass(frozen=True)
class ConsumerAssignment:
    """The leader's assignment for a member, in its order."""

    partitions: tuple[TopicPartition, ...] = ()
    user_data: bytes | None = None


class _Bytes:
    """A reader of consecutive fields; raises `InputError` for a missing one."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _take(self, size: int, what: str) -> bytes:
        left = len(self._data) - self._at
        if not 0 <= size <= left:
            raise InputError(
                f"byte {self._at}: {what}: found {size} bytes with {left} left, expected no more"
            )
        self._at += size
        return self._data[self._at - size : self._at]

    def _number(self, form: Struct, what: str) -> int:
        number: int = form.unpack(self._take(form.size, what))[0]
        return number

    def version(self) -> int:
        """The version; a newer one is read as the newest known one."""
        version = self._number(_INT16, "version")
        if version < 0:
            raise InputError(f"byte 0: version: found {version}, expected 0 or more")
        return min(version, NEWEST)

    def int32(self, what: str) -> int:
        """A 32-bit number."""
        return self._number(_INT32, what)

    def text(self, what: str) -> str | None:
        """A text, or null."""
        size = self._number(_INT16, what)
        if size == -1:
            return None
        try:
            return self._take(size, what).decode()
        except UnicodeDecodeError:
            raise InputError(f"byte {self._at - size}: {what}: not UTF-8") from None

    def name(self, what: str) -> str:
        """A text that is not null."""
        text = self.text(what)
        if text is None:
            raise InputError(f"byte {self._at}: {what}: found null, expected a name")
        return text

    def user_data(self) -> bytes | None:
        """Bytes, or null."""
        size = self.int32("user data")
        return None if size == -1 else self._take(size, "user data")

    def listed(self, read: Callable[[], _T], least: int, what: str) -> list[_T]:
        """As many values as the preceding length says, none of less than `least` bytes."""
        count = self.int32(what)
        left = len(self._data) - self._at
        if not 0 <= count * least <= left:
            raise InputError(f"byte {self._at}: {what}: found a length of {count} with {left} bytes left")
        return [read() for _ in range(count)]

    def partitions(self, what: str) -> tuple[TopicPartition, ...]:
        """Topics with their partitions."""

        def of_topic() -> list[TopicPartition]:
            topic = self.name(what)
            numbers = self.listed(lambda: self.int32(what), _INT32.size, what)
            if numbers and not 0 <= min(numbers) <= max(numbers) < MOST:
                raise InputError(
                    f"{what}: {topic!r}: expected numbers of partitions, from 0 and below {MOST}"
                )
            return [TopicPartition(topic, number) for number in numbers]

        by_topic = self.listed(of_topic, _INT16.size + _INT32.size, what)
        return tuple(tp for tps in by_topic for tp in tps)


def read_subscription(data: bytes) -> ConsumerSubscription:
    """The subscription in the bytes of a member; raises `InputError` with the byte where it ends."""
    fields = _Bytes(data)
    version = fields.version()
    topics = tuple(fields.listed(lambda: fields.name("topics"), _INT16.size, "topics"))
    user_data = fields.user_data()
    owned = fields.partitions("ownedPartitions") if version >= _WITH_OWNED else ()
    generation = fields.int32("generationId") if version >= _WITH_GENERATION else NO_GENERATION
    rack = fields.text("rackId") if version >= _WITH_RACK else None
    return ConsumerSubscription(topics, owned, generation, rack or None, user_data)


def read_assignment(data: bytes) -> ConsumerAssignment:
    """The assignment in the bytes for a member; no bytes are an empty assignment. Raises `InputError`."""
    if not data:
        return ConsumerAssignment()
    fields = _Bytes(data)
    fields.version()
    partitions = fields.partitions("assignedPartitions")
    return ConsumerAssignment(partitions, fields.user_data())
