"""What clients intend, as values drawn from a seed; `resolve` makes requests of them.

An intention says "a heartbeat of slot 2, at its epoch - 1", not which id or epoch that is: it means something
in every state, so a history stays one when some of its intentions are left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from kassay.engines.genuine.coordinator import CONFIG, STREAMS_CONFIG

T = TypeVar("T")
SLOTS: Final = 4
"""Clients of a history."""
NUMBERS: Final = 16
"""How many decisions an intention can take; a decision of 0 is the first, the most ordinary option."""
_LENGTHS: Final = (12, 25, 40, 60)

JOIN, SYNC, HEARTBEAT, LEAVE = "join", "sync", "heartbeat", "leave"
CONSUMER, COMMIT, ALTER = "consumer_heartbeat", "commit", "alter"
ADVANCE, TOPICS, FAILOVER, DEFER, FLUSH = "advance", "metadata", "reload", "defer", "flush"
RESOLVE, RESOLVE_RUN = "resolve", "resolve_run"
STREAMS, GROUP_CONFIG = "streams_heartbeat", "group_config"


class Decisions:
    """The decisions of an intention, in order; after the last, each is the first option."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._left: Iterator[int] = iter(numbers)

    def of(self, *options: T) -> T:
        """One of the options."""
        return options[next(self._left, 0) % len(options)]

    def mostly(self, usual: T, *others: T) -> T:
        """In three of four cases the usual one."""
        return self.of(*(usual,) * (3 * len(others)), *others)


class Intention(NamedTuple):
    """One intention: what, of which slot, the decisions in order, and the error if its write is to fail."""

    act: str
    slot: int = 0
    numbers: tuple[int, ...] = ()
    write_fails: str = ""


@dataclass(frozen=True)
class Setup:
    """What a history starts with: its kind, the coordinator's configuration, topics, seed of member ids.

    `application` is the number of the topology of Streams threads.
    """

    kind: str
    config: Mapping[str, Any]
    topics: Mapping[str, int]
    seed: int
    application: int = 0


@dataclass(frozen=True)
class Intended:
    """A history."""

    setup: Setup
    intentions: tuple[Intention, ...]


_ENVIRONMENT: Final = {ADVANCE: 8, ALTER: 8, TOPICS: 2, FAILOVER: 2, DEFER: 1, FLUSH: 2}
_CLASSIC: Final = {JOIN: 22, SYNC: 14, HEARTBEAT: 6, LEAVE: 4, COMMIT: 4}
_MODERN: Final = {CONSUMER: 34, COMMIT: 4}
_STREAMS: Final = {STREAMS: 44, COMMIT: 4, GROUP_CONFIG: 2, JOIN: 4, CONSUMER: 3, HEARTBEAT: 1, LEAVE: 1}
_REGEX: Final = {RESOLVE: 6, RESOLVE_RUN: 3}
WEIGHTS: Final[Mapping[str, Mapping[str, int]]] = {
    "classic": _CLASSIC | _ENVIRONMENT,
    "consumer": _MODERN | _ENVIRONMENT,
    "migration": _CLASSIC | _MODERN | _ENVIRONMENT | {RESOLVE: 1},
    "regex": _MODERN | _REGEX | _ENVIRONMENT | {JOIN: 3},
    "streams": _STREAMS | _ENVIRONMENT | {TOPICS: 5},
}
"""How often each act is drawn, by kind of history."""
KINDS: Final = tuple(WEIGHTS)
STREAMS_KIND: Final = "streams"
STATE, THROUGH = "app-state-changelog", "app-through-repartition"
FIXED, FIXED_STATE = "app-fixed-repartition", "app-fixed-changelog"
"""The internal topics of the Streams applications."""
WRITE_ERRORS: Final = ("NOT_ENOUGH_REPLICAS", "NOT_LEADER_OR_FOLLOWER", "MESSAGE_TOO_LARGE")
NOT_DRIVEN: Final = (
    "batches of several requests that fail, and writes that time out",
    "the checks of GroupCoordinatorService on classic requests and OffsetCommit (group ids, timeouts)",
    "OffsetFetch, OffsetDelete, DeleteGroups, expiry of offsets, transactions",
    "share groups",
    "racks, and targets computed in the background (assignor offload)",
    "the assignors: each target is read from Kafka's answer",
)
"""What no history plays or compares; printed with every result."""
_CANNOT_FAIL: Final = (ALTER, TOPICS, FAILOVER, DEFER, FLUSH, RESOLVE_RUN, GROUP_CONFIG)
_FAILURES: Final = 0.06
_UNLIMITED: Final = 2_147_483_647


_READY: Final = {"foo": 2, "bar": 2, STATE: 2, THROUGH: 2, FIXED: 3, FIXED_STATE: 3}
STREAMS_TOPICS: Final[tuple[Mapping[str, int], ...]] = (
    _READY,
    {"foo": 2, "bar": 2},
    {**_READY, "foo": 3, STATE: 3, THROUGH: 3},
    {"foo": 2},
    {"bar": 2, STATE: 2},
    {**_READY, STATE: 5},
    {**_READY, "gone": 1},
    {},
)
"""Topics of a Streams application, among them its internal ones, which are missing or of a wrong size."""


def draw(seed: int, index: int, kinds: tuple[str, ...] = KINDS) -> Intended:
    """The history of this number; the kinds take turns."""
    source = random.Random(f"{seed}/{index}")
    kind = kinds[index % len(kinds)]
    setup = _setup(source, kind)
    acts, weights = zip(*WEIGHTS[kind].items())
    drawn = source.choices(acts, weights, k=source.choice(_LENGTHS))
    return Intended(setup, tuple(_intention(source, act) for act in drawn))


def _intention(source: random.Random, act: str) -> Intention:
    fails = act not in _CANNOT_FAIL and source.random() < _FAILURES
    numbers = tuple(source.randrange(1 << 16) for _ in range(NUMBERS))
    return Intention(act, source.randrange(SLOTS), numbers, source.choice(WRITE_ERRORS) if fails else "")


def _setup(source: random.Random, kind: str) -> Setup:
    policies = ("BIDIRECTIONAL", "UPGRADE", "DOWNGRADE", "DISABLED")
    config = dict(CONFIG) | {
        "classic_initial_rebalance_delay_ms": source.choice((0, 0, 3000)),
        "classic_new_member_join_timeout_ms": source.choice((60_000, 20_000)),
        "classic_max_size": source.choice((_UNLIMITED,) * 4 + (2,)),
        "consumer_max_size": source.choice((_UNLIMITED,) * 4 + (2,)),
        "consumer_session_timeout_ms": source.choice((45_000, 10_000)),
        "server_assignors": source.choice((["uniform", "range"], ["range", "uniform"])),
        "migration_policy": source.choice(policies) if kind == "migration" else policies[0],
        "consumer_assignment_interval_ms": source.choice((0, 0, 1000, 5000)),
        "consumer_regex_refresh_interval_ms": source.choice((600_000, 30_000)),
    }
    if kind == "streams":
        config |= {"streams": _streams_config(source)}
        topics = source.choice(STREAMS_TOPICS[:1] * 8 + STREAMS_TOPICS)
        return Setup(kind, config, topics, source.randrange(1 << 32), source.randrange(1 << 8))
    topics = source.choice(({"foo": 2, "bar": 1}, {"foo": 1}, {"foo": 3, "bar": 2, "fab": 1}, {}))
    return Setup(kind, config, topics, source.randrange(1 << 32))


def _streams_config(source: random.Random) -> dict[str, Any]:
    return dict(STREAMS_CONFIG) | {
        "group.streams.session.timeout.ms": source.choice((45_000, 10_000)),
        "group.streams.initial.rebalance.delay.ms": source.choice((0, 0, 3000)),
        "group.streams.assignment.interval.ms": source.choice((0, 0, 1000, 5000)),
        "group.streams.num.standby.replicas": source.choice((0, 1, 1, 2)),
        "group.streams.num.warmup.replicas": source.choice((2, 0)),
        "group.streams.max.size": source.choice((_UNLIMITED,) * 4 + (2,)),
    }
