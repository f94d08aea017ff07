"""What an audit says: rebalances with who caused them, findings with where they stand, groups, the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Final, NamedTuple

from kassay.model.trace import Trace
from kassay.reading.kafka.lines import Place

QUIET_MS: Final = 60_000
"""Rebalances of a classic group that follow each other within this time are one unrest."""


class LogMoment(NamedTuple):
    """Where and when a record was: its line, its offset and its time in milliseconds, None where unknown."""

    place: Place
    offset: int | None
    timestamp: int | None


class CauseWord(StrEnum):
    """Why a group rebalanced, from the differences between its records."""

    BEGAN = "first members"
    JOINED = "joined"
    LEFT = "left"
    RESTARTED = "restarted"
    RESUBSCRIBED = "subscribed anew"
    TOPICS = "topics changed"
    PROTOCOL = "assignor changed"
    LEADER = "leader changed"
    FOLLOW_UP = "revoked partitions are given on"
    MIGRATED = "changed its protocol"
    UNSEEN = "nothing that the records show"


class RebalanceCause(NamedTuple):
    """A cause, and the members or topics that it is about."""

    word: CauseWord
    who: tuple[str, ...] = ()


class GroupProtocol(StrEnum):
    """How the members of a group speak with its coordinator."""

    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"
    STREAMS = "streams"


@dataclass(frozen=True)
class AuditFinding:
    """A claim that a recorded rebalance breaks; `trace` holds the step, None where no trace can."""

    claim: str
    message: str
    generation: int
    moment: LogMoment
    trace: Trace | None = None
    path: str | None = None


class RebalanceFigures(NamedTuple):
    """What an assignment costs beside the certified optimum.

    `spread` is the largest load less the smallest, `moved` the partitions that left their owner: in a share
    group the copies that were taken back, in a Streams group the active tasks that left their thread. `moved`
    and `least` are None where the records do not say who owned what.
    """

    spread: int
    best_spread: int
    moved: int | None = None
    least: int | None = None

    @property
    def needless(self) -> int | None:
        """Partitions that moved beyond the least that the best balance takes."""
        return None if self.moved is None or self.least is None else max(0, self.moved - self.least)


@dataclass(frozen=True)
class AuditedRebalance:
    """A generation or a target of a group, and what was found of it.

    `generation` is the group epoch of a group that its coordinator assigns. `turn` counts the rounds of one
    rebalance from 0. `judged` are the claims that were asked, empty with `why_not` where none could be. `gap`
    says what is missing before it. `unrest_ms` is how long the group took to come to rest, where records say.
    """

    generation: int
    moment: LogMoment
    assignor: str | None
    members: int
    partitions: int
    turn: int = 0
    causes: tuple[RebalanceCause, ...] = ()
    measured: RebalanceFigures | None = None
    judged: tuple[str, ...] = ()
    why_not: str | None = None
    gap: str | None = None
    findings: tuple[AuditFinding, ...] = ()
    unrest_ms: int | None = None


@dataclass
class GroupAudit:
    """What the records of one group hold.

    `returns` counts, by client and host (or instance id), how often a member was there again after it had
    left; `kept` counts static members that were back without a rebalance; `abandoned` rebalances that began
    anew before the leader had answered.
    """

    name: str
    protocol: GroupProtocol
    rebalances: list[AuditedRebalance] = field(default_factory=list)
    findings: list[AuditFinding] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    returns: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    abandoned: int = 0
    unread: int = 0

    def add(self, rebalance: AuditedRebalance) -> None:
        """Take the rebalance in, with its findings and its gap."""
        self.rebalances.append(rebalance)
        self.note(rebalance.findings)
        if rebalance.gap:
            self.gaps.append(rebalance.gap)

    def withdraw(self, moments: Container[LogMoment], why_not: str) -> None:
        """Take back what was judged at these moments, and say why."""
        self.findings = [each for each in self.findings if each.moment not in moments]
        self.rebalances = [
            replace(each, judged=(), findings=(), measured=None, why_not=why_not)
            if each.moment in moments
            else each
            for each in self.rebalances
        ]

    def settle(self, unrest_ms: int) -> None:
        """Say of the last rebalance how long it took until the group was at rest."""
        self.rebalances[-1] = replace(self.rebalances[-1], unrest_ms=unrest_ms)

    def note(self, findings: Iterable[AuditFinding]) -> None:
        """Take findings in; of those of one claim the first keeps its trace."""
        for finding in findings:
            traced = any(each.claim == finding.claim and each.trace for each in self.findings)
            self.findings.append(replace(finding, trace=None) if traced else finding)

    @property
    def judged(self) -> int:
        """Rebalances of which some claim could be asked."""
        return sum(bool(each.judged) for each in self.rebalances)

    @property
    def moved(self) -> int:
        """Partitions that moved in all rebalances of which that is known."""
        return sum(each.measured.moved or 0 for each in self.rebalances if each.measured)

    @property
    def needless(self) -> int:
        """Those of them that need not have."""
        return sum(each.measured.needless or 0 for each in self.rebalances if each.measured)

    @property
    def double_owners(self) -> int:
        """Findings of a partition with two owners."""
        return sum(each.claim == "single-owner" for each in self.findings)

    @property
    def worst_spread(self) -> RebalanceFigures | None:
        """The rebalance whose loads are farthest apart beyond what could be."""
        measured = [each.measured for each in self.rebalances if each.measured]
        return max(measured, key=lambda each: each.spread - each.best_spread, default=None)

    @property
    def longest_unrest_ms(self) -> int | None:
        """The longest time for which the group was not at rest, None where the records do not say."""
        known = [each.unrest_ms for each in self.rebalances if each.unrest_ms is not None]
        return max((*known, *self._bursts()), default=None)

    def _bursts(self) -> list[int]:
        """Of a classic group, the lengths of rows of rebalances with little time between them."""
        times = [each.moment.timestamp for each in self.rebalances if each.moment.timestamp is not None]
        if self.protocol is not GroupProtocol.CLASSIC or not times:
            return []
        bursts: list[int] = []
        begin = times[0]
        for before, after in pairwise(times):
            if after - before > QUIET_MS:
                begin = after
            bursts.append(after - begin)
        return [each for each in bursts if each]


@dataclass(frozen=True)
class LogAudit:
    """What all files hold: groups by name, and how many records of each sort were read.

    `unread` are the first records that could not be read, with their places; `notes` what could make the
    result mean less.
    """

    groups: tuple[GroupAudit, ...]
    records: Mapping[str, int]
    unread: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def findings(self) -> int:
        """Findings in all groups."""
        return sum(len(group.findings) for group in self.groups)

    @property
    def judged(self) -> int:
        """Rebalances of which some claim could be asked."""
        return sum(group.judged for group in self.groups)
