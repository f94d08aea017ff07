"""What can be sent to the genuine coordinator: requests, time, topics, faults.

Each value has the fields of its JSON form, which is that of the `protocol-*` vectors; None is what a client
leaves out. A request's `write_fails` is the error with which the append of its records fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

Numbers: TypeAlias = Mapping[str, Sequence[int]]
"""`{"topic": [partition, ...]}`."""


@dataclass(frozen=True)
class GenuineEvent:
    """An event of the coordinator; `kind` is its name in JSON."""

    kind: ClassVar[str] = ""

    def document(self) -> dict[str, Any]:
        """The event as JSON."""
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        if not shown.get("write_fails"):
            shown.pop("write_fails", None)
        return {"event": self.kind} | shown


@dataclass(frozen=True)
class JoinEvent(GenuineEvent):
    """JoinGroup; `protocols` are (name, metadata) pairs, times in milliseconds."""

    kind = "join"
    client: str
    member: str
    protocols: Sequence[tuple[str, Mapping[str, Any]]]
    instance: str | None = None
    protocol_type: str = "consumer"
    session_timeout: int = 45_000
    rebalance_timeout: int = 300_000
    api_version: int = 9
    write_fails: str = ""


@dataclass(frozen=True)
class SyncEvent(GenuineEvent):
    """SyncGroup; a leader sends `assignments`, by member id."""

    kind = "sync"
    member: str
    generation: int
    assignments: Mapping[str, Numbers | None]
    instance: str | None = None
    protocol_type: str | None = "consumer"
    protocol: str | None = None
    write_fails: str = ""


@dataclass(frozen=True)
class HeartbeatEvent(GenuineEvent):
    """Heartbeat of the classic protocol."""

    kind = "heartbeat"
    member: str
    generation: int
    instance: str | None = None
    write_fails: str = ""


@dataclass(frozen=True)
class LeaveEvent(GenuineEvent):
    """LeaveGroup; each member is `{"member": id, "instance": id or None}`."""

    kind = "leave"
    members: Sequence[Mapping[str, str | None]]
    write_fails: str = ""


@dataclass(frozen=True)
class CommitEvent(GenuineEvent):
    """OffsetCommit of (topic, partition, offset); `generation` is the epoch of a consumer's member."""

    kind = "commit"
    member: str
    generation: int
    offsets: Sequence[tuple[str, int, int]]
    instance: str | None = None
    api_version: int = 9
    write_fails: str = ""


@dataclass(frozen=True)
class ConsumerHeartbeatEvent(GenuineEvent):
    """ConsumerGroupHeartbeat; `owned` names topics by id label (`Topics`), as all of a trace does."""

    kind = "consumer_heartbeat"
    member: str
    epoch: int
    instance: str | None = None
    rebalance_timeout: int | None = None
    subscribed: Sequence[str] | None = None
    regex: str | None = None
    assignor: str | None = None
    owned: Numbers | None = None
    write_fails: str = ""


@dataclass(frozen=True)
class StreamsHeartbeatEvent(GenuineEvent):
    """StreamsGroupHeartbeat; tasks are `{"subtopology": [partition, ...]}`, offsets (subtopology, p, n)."""

    kind = "streams_heartbeat"
    member: str
    epoch: int
    endpoint_epoch: int = 0
    instance: str | None = None
    rack: str | None = None
    rebalance_timeout: int | None = None
    topology: Mapping[str, Any] | None = None
    active: Numbers | None = None
    standby: Numbers | None = None
    warmup: Numbers | None = None
    process: str | None = None
    endpoint: str | None = None
    tags: Mapping[str, str] | None = None
    task_offsets: Sequence[tuple[str, int, int]] | None = None
    task_end_offsets: Sequence[tuple[str, int, int]] | None = None
    shutdown: bool = False
    api_version: int = 1
    write_fails: str = ""


@dataclass(frozen=True)
class GroupConfigEvent(GenuineEvent):
    """The settings of the group itself, such as `streams.num.standby.replicas`; they replace the former."""

    kind = "group_config"
    configs: Mapping[str, str]


@dataclass(frozen=True)
class AdvanceEvent(GenuineEvent):
    """Time passes, at most to the first instant at which a timer is due; the timers due then fire."""

    kind = "advance"
    ms: int
    write_fails: str = ""


@dataclass(frozen=True)
class TopicsEvent(GenuineEvent):
    """A new metadata image, by topic and number of partitions."""

    kind = "metadata"
    topics: Mapping[str, int]


@dataclass(frozen=True)
class FailoverEvent(GenuineEvent):
    """Another broker becomes the coordinator and reads the acknowledged records."""

    kind = "reload"


@dataclass(frozen=True)
class DeferEvent(GenuineEvent):
    """From here on appended records are not acknowledged."""

    kind = "defer"


@dataclass(frozen=True)
class FlushEvent(GenuineEvent):
    """Every appended record is acknowledged."""

    kind = "flush"


@dataclass(frozen=True)
class ResolveRunEvent(GenuineEvent):
    """The background task that resolves regular expressions runs; its result waits."""

    kind = "resolve_run"


@dataclass(frozen=True)
class ResolveEvent(GenuineEvent):
    """The result of that task, which runs first if it has not, is written."""

    kind = "resolve"
    write_fails: str = ""
