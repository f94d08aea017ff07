"""The protocol between kassay and a client program: JSON lines, commands in, events out.

`docs/live.md` documents it for those who write a program of their own. Commands are documents with `do`;
events have `event` and `t`, nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from kassay.model.cluster import TopicPartition
from kassay.model.errors import MISSING, InputError
from kassay.reading.documents import Count, Name, Positive, parse_json, suggestion, wrong
from kassay.reading.values import read_as

Document: TypeAlias = Mapping[str, Any]
Protocol = Literal["classic", "consumer", "streams", "share"]
Phase = Literal["begin", "end"]
Callback = Literal["assigned", "revoked", "lost"]
CALLBACKS: Final[tuple[str, ...]] = get_args(Callback)
REPORTABLE: Final = (
    "assigned",
    "revoked",
    "lost",
    "revoked-on-close",
    "records",
    "committed",
    "acknowledged",
)
"""What a program may say it reports; what rests on anything else is unknown."""
LINE_MAX: Final = 1 << 20
"""The longest line of a program, in bytes."""


@dataclass(frozen=True)
class Timeouts:
    """A client's own timeouts, in milliseconds; every limit of a run comes from them.

    `poll_ms`: how long one poll waits, in programs that take it.
    """

    session_ms: int = 6000
    heartbeat_ms: int = 500
    max_poll_ms: int = 20_000
    metadata_ms: int = 1000
    poll_ms: int = 100

    @property
    def settle_ms(self) -> int:
        """The longest that a rebalance may take: a session, a rebalance that waits for a poll, and again."""
        return 2 * (self.session_ms + self.metadata_ms) + self.max_poll_ms


TIMEOUTS: Final = Timeouts()


@dataclass(frozen=True)
class ClientStart:
    """The configuration of a client: the first command of every program.

    `strategies` are names as the library spells them, of `consumer` groups at most one, the assignor of the
    broker; a Streams application of the classic protocol has `streams`. `instance` makes the member static.
    `rack` is where it says that it is, empty if it says nothing.
    """

    bootstrap: str
    group: str
    client: str
    topics: tuple[str, ...]
    strategies: tuple[str, ...]
    protocol: Protocol = "classic"
    instance: str | None = None
    timeouts: Timeouts = TIMEOUTS
    offset_reset: str = "earliest"
    rack: str = ""

    def document(self) -> Document:
        """The command."""
        fields = asdict(self)
        timeouts = fields.pop("timeouts")
        return {"do": "start", **fields, **timeouts}


def subscribe(topics: tuple[str, ...]) -> Document:
    """The command that replaces the subscription."""
    return {"do": "subscribe", "topics": list(topics)}


def pace(wait_ms: int) -> Document:
    """The command that sets the pause between two polls, in milliseconds."""
    return {"do": "pace", "wait_ms": wait_ms}


CLOSE: Final[Document] = {"do": "close"}
"""The command that leaves the group and ends the program."""


@dataclass(frozen=True)
class Event:
    """Something that a program reports; `t` is in nanoseconds of CLOCK_MONOTONIC."""

    t: Count


@dataclass(frozen=True)
class Ready(Event):
    """The client exists and has subscribed; `reports` are some of `REPORTABLE`."""

    library: Name
    version: str
    reports: tuple[str, ...] = REPORTABLE


@dataclass(frozen=True)
class Called(Event):
    """A callback of the client begins or ends; without callbacks, both are where the client learns of it."""

    kind: Callback
    phase: Phase
    partitions: frozenset[TopicPartition]


@dataclass(frozen=True)
class Span:
    """Records of one partition that a poll returned: the first and the last offset, and how many."""

    partition: TopicPartition
    first: int
    last: int
    count: int


@dataclass(frozen=True)
class RecordsRead(Event):
    """Records that a poll returned, before they count as processed.

    In a share group a span has no gaps, and the client cannot have acquired the records before `since`.
    """

    spans: tuple[Span, ...]
    since: Count | None = None


@dataclass(frozen=True)
class Acknowledged(Event):
    """Records of a share group whose acknowledgement was accepted; `began` is when it was sent."""

    began: Count
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Committed(Event):
    """Offsets that the coordinator accepted; `began` is when the commit was called."""

    began: Count
    offsets: Mapping[TopicPartition, int]


@dataclass(frozen=True)
class Failed(Event):
    """An exception or an error callback; after a `fatal` one the program ends."""

    fatal: bool
    text: str


@dataclass(frozen=True)
class Stall(Event):
    """The program's canary did not tick for so many milliseconds, up to `t`."""

    ms: Count


@dataclass(frozen=True)
class Closing(Event):
    """The client polls no more and is about to leave."""


@dataclass(frozen=True)
class Closed(Event):
    """The client has left, and the program ends."""


@dataclass(frozen=True)
class _Ready:
    t: Count
    library: Name
    version: str
    reports: list[str] | None = None


@dataclass(frozen=True)
class _Called:
    t: Count
    phase: Phase
    partitions: list[tuple[str, Count]]


@dataclass(frozen=True)
class _Read:
    t: Count
    records: list[tuple[str, Count, Count, Count, Positive]]
    since: Count | None = None


@dataclass(frozen=True)
class _Acknowledged:
    t: Count
    began: Count
    records: list[tuple[str, Count, Count, Count, Positive]]


@dataclass(frozen=True)
class _Committed:
    t: Count
    began: Count
    offsets: list[tuple[str, Count, Count]]


@dataclass(frozen=True)
class _Failed:
    t: Count
    text: str


@dataclass(frozen=True)
class _Stall:
    t: Count
    ms: Count


@dataclass(frozen=True)
class _Bare:
    t: Count


KINDS: Final = (
    "ready",
    *CALLBACKS,
    "records",
    "committed",
    "acknowledged",
    "error",
    "fatal",
    "stall",
    "closing",
    "closed",
)
"""The events by name."""


def read_event(line: str, program: str, number: int) -> Event:
    """The event of a line; raises `InputError` that names program, line and field."""
    where = f"{program}:{number}"
    if len(line) > LINE_MAX:
        raise InputError(f"{where}: a line of {len(line):,} characters, expected at most {LINE_MAX:,}")
    document = parse_json(line, program, number)
    if not isinstance(document, dict):
        raise wrong(where, document, "an object with `event` and `t`")
    kind = document.pop("event", MISSING)
    if kind not in KINDS:
        near = suggestion(kind, KINDS) if isinstance(kind, str) else ""
        raise wrong(f"{where}: event", kind, f"one of {', '.join(KINDS)}{near}")
    return _event(kind, document, where)


def _event(kind: str, document: Document, where: str) -> Event:
    """The event of this kind."""
    if kind == "ready":
        ready = read_as(_Ready, document, where, closed=True)
        reports = REPORTABLE if ready.reports is None else tuple(ready.reports)
        for name in reports:
            if name not in REPORTABLE:
                raise wrong(f"{where}: reports", name, f"one of {', '.join(REPORTABLE)}")
        return Ready(ready.t, ready.library, ready.version, reports)
    if kind in CALLBACKS:
        called = read_as(_Called, document, where, closed=True)
        partitions = frozenset(TopicPartition(topic, number) for topic, number in called.partitions)
        return Called(called.t, kind, called.phase, partitions)  # type: ignore[arg-type]  # one of CALLBACKS
    if kind == "records":
        read = read_as(_Read, document, where, closed=True)
        return RecordsRead(read.t, _spans(read.records), read.since)
    if kind == "acknowledged":
        accepted = read_as(_Acknowledged, document, where, closed=True)
        return Acknowledged(accepted.t, accepted.began, _spans(accepted.records))
    if kind == "committed":
        done = read_as(_Committed, document, where, closed=True)
        return Committed(done.t, done.began, {TopicPartition(t, p): offset for t, p, offset in done.offsets})
    if kind in ("error", "fatal"):
        failed = read_as(_Failed, document, where, closed=True)
        return Failed(failed.t, kind == "fatal", failed.text)
    if kind == "stall":
        stall = read_as(_Stall, document, where, closed=True)
        return Stall(stall.t, stall.ms)
    bare = read_as(_Bare, document, where, closed=True)
    return Closing(bare.t) if kind == "closing" else Closed(bare.t)


def _spans(records: list[tuple[str, int, int, int, int]]) -> tuple[Span, ...]:
    return tuple(Span(TopicPartition(topic, number), *more) for topic, number, *more in records)


def _rows(spans: tuple[Span, ...]) -> list[list[str | int]]:
    return [[*each.partition, each.first, each.last, each.count] for each in spans]


def event_document(event: Event) -> Document:
    """The event as the document that it was read from."""
    match event:
        case Ready(t, library, version, reports):
            return {
                "event": "ready",
                "t": t,
                "library": library,
                "version": version,
                "reports": list(reports),
            }
        case Called(t, kind, phase, partitions):
            return {"event": kind, "t": t, "phase": phase, "partitions": sorted(map(list, partitions))}
        case RecordsRead(t, spans, since):
            acquired = {} if since is None else {"since": since}
            return {"event": "records", "t": t, "records": _rows(spans), **acquired}
        case Acknowledged(t, began, spans):
            return {"event": "acknowledged", "t": t, "began": began, "records": _rows(spans)}
        case Committed(t, began, offsets):
            done = [[*partition, offset] for partition, offset in offsets.items()]
            return {"event": "committed", "t": t, "began": began, "offsets": done}
        case Failed(t, fatal, text):
            return {"event": "fatal" if fatal else "error", "t": t, "text": text}
        case Stall(t, ms):
            return {"event": "stall", "t": t, "ms": ms}
    return {"event": "closing" if isinstance(event, Closing) else "closed", "t": event.t}
