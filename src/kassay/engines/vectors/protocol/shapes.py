"""The parts of a genuine trace that a check reads; parts that are only compared stay documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from kassay.model.protocols.values.requests import NO_GENERATION
from kassay.reading.documents import Bound, Count
from kassay.reading.values import read_as

Document = Mapping[str, Any]
PARTITIONS_MAX: Final = 100_000
Topics = Mapping[
    str, Annotated[int, Bound(f"partitions, up to {PARTITIONS_MAX}", range(PARTITIONS_MAX + 1).__contains__)]
]
Numbers = Mapping[str, tuple[int, ...]]
"""`{"topic": [partition, ...]}`."""


@dataclass(frozen=True)
class ConfigShape:
    """The coordinator's configuration; times in milliseconds.

    `unload_ends_writes`: a broker that is no longer the coordinator answers what waits for acknowledgement,
    as Kafka's runtime does; without it these requests get no answer, as from a broker that is gone.
    """

    classic_initial_rebalance_delay_ms: Count
    classic_new_member_join_timeout_ms: Count
    classic_max_size: Count
    consumer_session_timeout_ms: Count
    consumer_heartbeat_interval_ms: Count
    consumer_max_size: Count
    server_assignors: tuple[str, ...]
    migration_policy: Literal["DISABLED", "UPGRADE", "DOWNGRADE", "BIDIRECTIONAL"]
    streams: Document = field(default_factory=dict)
    consumer_assignment_interval_ms: Count | None = None
    consumer_regex_refresh_interval_ms: Count | None = None
    unload_ends_writes: bool = False


@dataclass(frozen=True)
class MetadataShape:
    """A member's metadata for one protocol, or invalid bytes."""

    raw: str | None = None
    topics: tuple[str, ...] = ()
    owned: Numbers = field(default_factory=dict)
    generation: int = NO_GENERATION
    version: int = 0


@dataclass(frozen=True)
class LeaverShape:
    """A member named in a LeaveGroup."""

    member: str
    instance: str | None = None


@dataclass(frozen=True)
class MemberShape:
    """A member in a state or a record."""

    id: str
    assigned: Numbers | None = None


@dataclass(frozen=True)
class StateShape:
    """The parts of the state after a step that the choices look up."""

    state: str | None = None
    protocol: str | None = None
    leader: str | None = None
    members: tuple[MemberShape, ...] = ()
    pending_join: tuple[str, ...] = ()
    timers: tuple[tuple[str, str | None, int], ...] = ()
    target: Mapping[str, Numbers] = field(default_factory=dict)


@dataclass(frozen=True)
class RecordShape:
    """The parts of a step's records that the choices look up."""

    type: str
    member: str | None = None
    tombstone: bool = False
    partitions: Numbers = field(default_factory=dict)
    members: tuple[MemberShape, ...] = ()


@dataclass(frozen=True)
class ResponseShape:
    """The parts of a step's replies that the choices look up."""

    member: str | None = None


@dataclass(frozen=True)
class EventShape:
    """The common fields of events; the rest depends on the kind."""

    event: str
    member: str | None = None
    write_fails: str | None = None
    ms: Count = 0
    topics: Topics = field(default_factory=dict)


@dataclass(frozen=True)
class StepShape:
    """One step: the event, and Kafka's reaction; `t` is in milliseconds since the first step.

    `more` holds the additional data in traces of later releases, None if the trace's release has none. `lost`
    has the records whose write failed, which only show the choices that were made: a trace may lack them.
    """

    i: int
    t: int
    event: Document
    fired: tuple[tuple[str, str | None], ...]
    responses: tuple[Document, ...]
    records: tuple[Document, ...]
    durable: int
    state: Document
    more: Document | None = None
    lost: tuple[Document, ...] = ()


@dataclass(frozen=True)
class TraceShape:
    """One vector of a `protocol-*` file."""

    config: ConfigShape
    topics: Topics
    steps: tuple[StepShape, ...]


@dataclass(frozen=True)
class SeenShape:
    """The parts of a step that are looked up."""

    event: EventShape
    state: StateShape
    records: tuple[RecordShape, ...]
    responses: tuple[ResponseShape, ...]
    lost: tuple[RecordShape, ...]


class TracedStep:
    """A step of a trace: the document `shape` and its looked-up parts; raises `InputError`."""

    def __init__(self, shape: StepShape) -> None:
        # Tasks are not partitions: the choices for a Streams group read the state themselves.
        streams = shape.state.get("type") == "streams"
        state = {"timers": shape.state["timers"]} if streams else shape.state
        parts = {"event": shape.event, "state": state}
        lists = {name: list(getattr(shape, name)) for name in ("records", "responses", "lost")}
        seen = read_as(SeenShape, {**parts, **lists}, f"step {shape.i}")
        self.shape = shape
        self.event, self.state = seen.event, seen.state
        self.records, self.responses, self.lost = seen.records, seen.responses, seen.lost


BEFORE_THE_FIRST: Final = TracedStep(StepShape(-1, 0, {"event": ""}, (), (), (), 0, {}))
"""Before the first event."""
