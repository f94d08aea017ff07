"""Scripts: the members, the topics, and what is done to them, as values and as TOML.

A script says what happens and never what a client answers, so it plays with any clients. An action that
means nothing for its member (to stop one that is not running) does nothing, so any part can be left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Final, Literal, get_args

from kassay.engines.live.brokers import COUNTS, ONE, BrokerShape
from kassay.engines.live.program import TIMEOUTS, Protocol, Timeouts
from kassay.model.errors import InputError
from kassay.reading.documents import Bound, Count, Positive, Size, head_of, one_of, read_toml, within
from kassay.reading.values import read_as, unique
from kassay.writing.files import json_text

Do = Literal[
    "join",
    "leave",
    "crash",
    "return",
    "restart",
    "pause",
    "resume",
    "subscribe",
    "pace",
    "grow",
    "restart-broker",
    "failover",
    "upgrade-broker",
    "finalize",
]
DOES: Final[tuple[str, ...]] = get_args(Do)
ALL: Final = "*"
"""In the place of a member: all of them."""
OF_BROKERS: Final = ("restart-broker", "failover", "upgrade-broker", "finalize")
OF_A_MEMBER: Final = frozenset({*DOES} - {"grow", *OF_BROKERS})
_TOPIC: Final = re.compile(r"[A-Za-z0-9._-]{1,200}")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_RELEASE: Final = re.compile(r"\d+(?:\.\d+){2}")
_EXPECTED: Final = "letters, digits, - and _, at most 40"
PlainName = Annotated[str, Bound(_EXPECTED, lambda name: _PLAIN.fullmatch(name) is not None)]
MEMBERS_MAX: Final = 64


@dataclass(frozen=True)
class LiveSeat:
    """A member of a script: its library, with a release if that matters, how it joins, and its rack."""

    name: PlainName
    client: str
    strategies: tuple[str, ...]
    protocol: Protocol = "classic"
    instance: str | None = None
    rack: str = ""


@dataclass(frozen=True)
class LiveAction:
    """One thing that is done; then the group is awaited. Fields that an action does not use are empty.

    join, subscribe: `topics`. grow: `topic` to `partitions`. pace: `wait_ms` between polls. return: killed
    and started again at once, which a static member survives without a rebalance; restart: closed and started
    again at once. join, return and restart may give the member another `client`, `strategies` or `protocol`,
    which it keeps; join and leave may have the member `*`, which is all of them at once. restart-broker: the
    number of a `broker`. failover: the coordinator's broker is killed and comes back. upgrade-broker: a
    `broker` comes back with another `release`. finalize: the features of a `release` are set, after which no
    broker goes back.
    """

    do: Do
    member: str = ""
    topics: tuple[str, ...] = ()
    topic: str = ""
    partitions: int = 0
    wait_ms: int = 0
    broker: int = 0
    release: str = ""
    client: str = ""
    strategies: tuple[str, ...] = ()
    protocol: Protocol | Literal[""] = ""

    def seat(self, seat: LiveSeat) -> LiveSeat:
        """The member as it is after it has joined by this action."""
        strategies = self.strategies if self.strategies or self.protocol else seat.strategies
        return replace(
            seat,
            client=self.client or seat.client,
            strategies=strategies,
            protocol=self.protocol or seat.protocol,
        )

    @property
    def words(self) -> str:
        """The action in a few words."""
        match self.do:
            case "grow":
                return f"grow {self.topic} to {self.partitions} partitions"
            case "pace":
                return f"pace {self.member}: {self.wait_ms} ms between polls"
            case "subscribe" | "join" if self.topics:
                return f"{self.do} {self.member} ({', '.join(self.topics)})"
            case "join" | "return" | "restart" if self.strategies or self.protocol or self.client:
                how = "/".join(filter(None, (self.protocol, "+".join(self.strategies))))
                return f"{self.do} {self.member} as {':'.join(filter(None, (self.client, how)))}"
            case "restart-broker" if self.broker:
                return f"restart-broker {self.broker}"
            case "upgrade-broker":
                return f"upgrade-broker {self.broker} to {self.release}"
            case "finalize":
                return f"finalize {self.release}"
        return f"{self.do} {self.member}".strip()


@dataclass(frozen=True)
class LiveScript:
    """A whole script; every member reads all topics unless an action says otherwise."""

    topics: Mapping[str, int]
    seats: tuple[LiveSeat, ...]
    actions: tuple[LiveAction, ...]
    timeouts: Timeouts = TIMEOUTS
    title: str = ""
    cluster: BrokerShape = ONE
    by_name: Mapping[str, LiveSeat] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {seat.name: seat for seat in self.seats})

    def without(self, index: int) -> LiveScript:
        """The script without one of its actions."""
        return replace(self, actions=self.actions[:index] + self.actions[index + 1 :])


@dataclass(frozen=True)
class _Member:
    name: PlainName
    client: str
    strategies: list[str] = field(default_factory=list)
    protocol: Protocol = "classic"
    instance: str | None = None
    rack: str = ""


@dataclass(frozen=True)
class _Action:
    do: str
    member: str = ""
    topics: list[str] = field(default_factory=list)
    topic: str = ""
    partitions: Size = 0
    wait_ms: Count = 0
    broker: Count = 0
    release: str = ""
    client: str = ""
    strategies: list[str] = field(default_factory=list)
    protocol: Protocol | None = None


@dataclass(frozen=True)
class _Cluster:
    count: Positive = 1
    racks: list[str] = field(default_factory=list)
    replicas: Count = 0
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Timeouts:
    session_ms: Positive = 6000
    heartbeat_ms: Positive = 500
    max_poll_ms: Positive = 20_000
    metadata_ms: Positive = 1000
    poll_ms: Positive = 100


@dataclass(frozen=True)
class _Script:
    topics: Mapping[str, Positive]
    member: list[_Member]
    action: list[_Action]
    title: str = ""
    timeouts: _Timeouts = _Timeouts()
    brokers: _Cluster = _Cluster()


def is_script(path: str) -> bool:
    """Whether the file is a script, by its tables; a missing one is by its name."""
    return path.endswith(".toml") or re.search(r"^\[\[(member|action)\]\]", head_of(path), re.M) is not None


def read_script(path: str) -> LiveScript:
    """The script of a TOML file; raises `InputError` that names file and field."""
    return script_of(read_toml(path, "a script: [topics], [[member]], [[action]]"), path)


def script_of(document: Any, where: str) -> LiveScript:
    """The script of a document; raises `InputError`."""
    raw = read_as(_Script, document, where, closed=True)
    if not raw.topics or not raw.member or len(raw.member) > MEMBERS_MAX:
        raise InputError(f"{where}: expected a topic, and from 1 to {MEMBERS_MAX} members")
    for topic in raw.topics:
        if not _TOPIC.fullmatch(topic):
            raise InputError(f"{where}: topics.{topic}: expected letters, digits, . - and _, at most 200")
    within(raw.topics.values(), f"{where}: topics")
    unique(((f"{where}: member[{i}].name", each.name) for i, each in enumerate(raw.member)), "the member")
    seats = tuple(
        LiveSeat(m.name, m.client, tuple(m.strategies), m.protocol, m.instance, m.rack) for m in raw.member
    )
    for i, seat in enumerate(seats):
        if seat.protocol == "classic" and not seat.strategies:
            raise InputError(f"{where}: member[{i}].strategies: expected at least one, such as range")
    names = [seat.name for seat in seats]
    cluster = shape_of(raw.brokers, f"{where}: brokers")
    actions = [
        _action(each, f"{where}: action[{i}]", names, [*raw.topics], cluster)
        for i, each in enumerate(raw.action)
    ]
    timeouts = Timeouts(**asdict(raw.timeouts))
    return LiveScript(dict(raw.topics), seats, tuple(actions), timeouts, raw.title, cluster)


def shape_of(raw: _Cluster, where: str) -> BrokerShape:
    """The brokers of a script; raises `InputError`."""
    if raw.count not in COUNTS:
        raise InputError(f"{where}.count: found {raw.count}, expected 1 or 3")
    if raw.replicas > raw.count:
        raise InputError(f"{where}.replicas: found {raw.replicas}, expected at most {raw.count}")
    return BrokerShape(raw.count, tuple(raw.racks), raw.replicas, dict(raw.settings))


def _action(
    raw: _Action, where: str, members: list[str], topics: list[str], cluster: BrokerShape
) -> LiveAction:
    """The action, whose names are known; raises `InputError`."""
    if raw.do not in DOES:
        raise InputError(f"{where}.do: found {raw.do!r}, expected {one_of(DOES, raw.do)}")
    if raw.do in ("join", "leave") and raw.member == ALL:
        members = [*members, ALL]
    if raw.do in OF_A_MEMBER and raw.member not in members:
        raise InputError(f"{where}.member: found {raw.member!r}, expected {one_of(members, raw.member)}")
    used = [*raw.topics, *([raw.topic] if raw.do == "grow" else [])]
    for topic in used:
        if topic not in topics:
            raise InputError(f"{where}: topic {topic!r}, expected {one_of(topics, topic)}")
    if raw.do == "subscribe" and not raw.topics:
        raise InputError(f"{where}.topics: expected at least one topic")
    if raw.broker > cluster.count or (raw.do == "upgrade-broker" and not raw.broker):
        raise InputError(f"{where}.broker: found {raw.broker}, expected 1 to {cluster.count}")
    if raw.do in ("upgrade-broker", "finalize"):
        require_release(raw.release, f"{where}.release")
    return LiveAction(
        raw.do,  # type: ignore[arg-type]  # one of DOES
        raw.member,
        tuple(raw.topics),
        raw.topic,
        raw.partitions,
        raw.wait_ms,
        raw.broker,
        raw.release,
        raw.client,
        tuple(raw.strategies),
        raw.protocol or "",
    )


def require_release(release: str, where: str) -> None:
    """Raise `InputError` if the text is no release of Kafka."""
    if not _RELEASE.fullmatch(release):
        raise InputError(f"{where}: found {release!r}, expected a release such as 4.4.0")


def script_toml(script: LiveScript) -> str:
    """The script as TOML, which `read_script` reads back as an equal one."""
    lines = [f"title = {_value(script.title)}", "", "[timeouts]", *_lines(asdict(script.timeouts))]
    shape = asdict(script.cluster)
    settings = shape.pop("settings")
    if script.cluster != ONE:
        lines += ["", "[brokers]", *_lines(shape)]
        if settings:
            lines += [
                "",
                "[brokers.settings]",
                *(f"{_value(key)} = {_value(settings[key])}" for key in settings),
            ]
    lines += ["", "[topics]", *(f"{_value(name)} = {count}" for name, count in script.topics.items())]
    for seat in script.seats:
        lines += ["", "[[member]]", *_lines(asdict(seat))]
    for action in script.actions:
        lines += ["", "[[action]]", *_lines(asdict(action))]
    return "\n".join(lines) + "\n"


def _lines(fields: Mapping[str, Any]) -> list[str]:
    """The fields that have a value; the reader's defaults are the others."""
    return [f"{key} = {_value(value)}" for key, value in fields.items() if value not in (None, "", (), 0)]


def _value(value: object) -> str:
    """The value as TOML: texts, whole numbers and lists of texts are written as in JSON."""
    return json_text(list(value) if isinstance(value, tuple) else value).replace("\x7f", "\\u007f")
