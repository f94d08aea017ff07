"""The measured rules of client libraries: which settings a member starts with, and how they are written.

`measured.toml` says how and when they were measured. A library, a list or a pair of libraries that is not
there is not measured, and nothing is guessed about it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final, Literal, NamedTuple

from kassay.engines.clusters.rolling_scene import ClientSetting
from kassay.model.errors import InputError
from kassay.reading.documents import one_of
from kassay.reading.values import read_as

NOT_MEASURED: Final = "not measured"
COOPERATIVE: Final = frozenset({"cooperative-sticky"})
"""Kafka's assignors of the cooperative protocol, as each library names them."""
_JOINS: Final = "joins"


@dataclass(frozen=True)
class SentByDefault:
    """What a member sends in JoinGroup without any setting; `subscription` is the version of its metadata."""

    protocols: tuple[str, ...]
    session_ms: int
    rebalance_ms: int
    subscription: int


@dataclass(frozen=True)
class ReadInSource:
    """Defaults read in the library's source, not measured; `metadata_ms` 0: it never learns by itself."""

    heartbeat_ms: int
    metadata_ms: int
    reset: Literal["latest", "earliest"]


@dataclass(frozen=True)
class ConsumerRules:
    """The consumer protocol (KIP-848): how it is set, by remote assignor, and settings refused with it.

    Without a `setting` the library has no such protocol, for the reason of `refusal`. `no_roll`: why no
    rolling restart brings a classic group with this assignor over, `no_return`: back to it.
    """

    setting: str = ""
    joins: Mapping[str, str] = field(default_factory=dict)
    refuses: tuple[str, ...] = ()
    refusal: str = ""
    no_roll: Mapping[str, str] = field(default_factory=dict)
    no_return: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClientRules:
    """A library of one version.

    `joins`: assignors with which a member joined a classic group, each as it is written in the setting;
    `refused`: the library's words for others; `names`: names on the wire that are not Kafka's. `mixed`: what
    a list of eager and cooperative assignors does: "joins", the library's refusal, or "" if not measured.
    """

    version: str
    aliases: tuple[str, ...]
    setting: str
    between: str
    joins: Mapping[str, str]
    consumer: ConsumerRules
    sent: SentByDefault
    source: ReadInSource
    mixed: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def objection(self, setting: ClientSetting) -> str | None:
        """Why no member of the library starts with the setting, or `NOT_MEASURED`; None if one does."""
        if setting.is_consumer:
            if not self.consumer.setting:
                return self.consumer.refusal or NOT_MEASURED
            return None if setting.remote in self.consumer.joins else NOT_MEASURED
        for strategy in setting.strategies:
            if strategy not in self.joins:
                return self.refused.get(strategy, NOT_MEASURED)
        cooperative = {strategy in COOPERATIVE for strategy in setting.strategies}
        if len(cooperative) == 1 or self.mixed == _JOINS:
            return None
        return self.mixed.replace("{}", ",".join(setting.strategies)) or NOT_MEASURED

    def objection_to_roll(self, first: ClientSetting, last: ClientSetting) -> str | None:
        """Why no rolling restart leads from one protocol to the other; None if one may."""
        if first.is_consumer == last.is_consumer:
            return None
        known = self.consumer.no_return if first.is_consumer else self.consumer.no_roll
        classic = last if first.is_consumer else first
        return next((known[name] for name in classic.strategies if name in known), None)

    def written(self, setting: ClientSetting) -> str:
        """The setting as the library has it; the plain setting if the library has none."""
        if self.objection(setting) is not None:
            return str(setting)
        if setting.is_consumer:
            return self.consumer.setting.format(self.consumer.joins[setting.remote])
        return self.setting.format(self.between.join(self.joins[name] for name in setting.strategies))


class PairRun(NamedTuple):
    """One member of each of two libraries in one group of 10 partitions.

    `first`: what both own while `a` leads; `alone`: what `b` owns once `a` has left; `second`: what both own
    while `b` leads. `error`: what one of them reported, "" for nothing.
    """

    assignor: str
    a: str
    b: str
    first: tuple[int, int]
    alone: int
    second: tuple[int, int]
    error: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether both owned a part of all partitions whichever led."""
        parts = (self.first, self.second)
        return self.alone == PAIR_PARTITIONS and all(
            min(each) > 0 and sum(each) == PAIR_PARTITIONS for each in parts
        )


PAIR_PARTITIONS: Final = 10
_PairRow = tuple[str, str, int, int, int, int, int, str]


@dataclass(frozen=True)
class MeasuredClients:
    """The table: by library, and the broker and the date of the measurement.

    `pairs` has rows by assignor, `consumer` for the consumer protocol with uniform.
    """

    broker: str
    date: str
    library: Mapping[str, ClientRules]
    pairs: Mapping[str, tuple[_PairRow, ...]]

    def runs_of(self, a: str, b: str) -> tuple[PairRun, ...]:
        """What was measured of the two libraries in one group, `a` as the first."""
        runs = []
        for assignor, rows in self.pairs.items():
            for one, other, x, y, alone, u, v, error in rows:
                if (one, other) == (a, b):
                    runs.append(PairRun(assignor, a, b, (x, y), alone, (u, v), error))
                elif (one, other) == (b, a):
                    runs.append(PairRun(assignor, a, b, (y, x), alone, (v, u), error))
        return tuple(runs)


class ClientLibrary(NamedTuple):
    """A library by its name in the table, with its rules."""

    name: str
    rules: ClientRules

    @property
    def origin(self) -> str:
        """Which version was measured, when and with what."""
        table = measured_clients()
        return f"measured with {self.rules.version} on Kafka {table.broker}, {table.date}"

    def must_go(self, setting: ClientSetting) -> tuple[str, ...]:
        """Settings with which a member does not start under this one."""
        return self.rules.consumer.refuses if setting.is_consumer else ()


@cache
def measured_clients() -> MeasuredClients:
    """The table of the package."""
    text = files("kassay.engines.clusters.clients").joinpath("measured.toml").read_text("utf-8")
    return read_as(MeasuredClients, tomllib.loads(text), "measured.toml", closed=True)


def client_names() -> tuple[str, ...]:
    """The libraries that are measured."""
    return tuple(measured_clients().library)


def client_named(name: str) -> ClientLibrary:
    """The library of this name or alias; raises `InputError`."""
    for key, rules in measured_clients().library.items():
        if name == key or name in rules.aliases:
            return ClientLibrary(key, rules)
    raise InputError(f"--library: {name!r} is {NOT_MEASURED}, expected {one_of(client_names(), name)}")
