"""Results of an audit, and their JSON document.

Results of an audit: rebalances with causes, findings with positions, groups, the log.

The JSON document of an audit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from kassay.model.trace import Trace
from kassay.reading.kafka.lines import Place


class LogMoment(NamedTuple):
    """Position and time of a record: line, offset, and milliseconds; None if unknown."""

    place: Place
    offset: int | None
    timestamp: int | None


class CauseWord(StrEnum):
    """The cause of a rebalance, from the differences between its records."""

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
    """A cause, and the members or topics concerned."""

    word: CauseWord
    who: tuple[str, ...] = ()


class UnreadTime(NamedTuple):
    """Partitions that changed hands, and how long they had no reader.

    In milliseconds: of each partition at least `least`, of none more than `most`, which is None if a reader
    committed no offsets. `generation` and `moment` are of the record that gives them to other members.
    """

    least: int
    most: int | None
    partitions: int
    generation: int
    moment: LogMoment


class GroupProtocol(StrEnum):
    """The protocol between the members of a group and its coordinator."""

    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"
    STREAMS = "streams"


@dataclass(frozen=True)
class AuditFinding:
    """A claim that a recorded rebalance breaks; `trace` holds the step, None if no trace can."""

    claim: str
    message: str
    generation: int
    moment: LogMoment
    trace: Trace | None = None
    path: str | None = None


class RebalanceFigures(NamedTuple):
    """The cost of an assignment compared with the certified optimum.

    `spread`: the largest load minus the smallest. `moved`: partitions that left their owner; in a share group
    the copies revoked, in a Streams group the active tasks that left their thread. `moved` and `least` are
    None if the records do not contain the owners.
    """

    spread: int
    best_spread: int
    moved: int | None = None
    least: int | None = None

    @property
    def needless(self) -> int | None:
        """Partitions moved beyond the minimum for the best balance."""
        return None if self.moved is None or self.least is None else max(0, self.moved - self.least)


@dataclass(frozen=True)
class AuditedRebalance:
    """A generation or a target of a group, and its result.

    `generation`: the group epoch if the coordinator assigns. `turn`: the round within a rebalance, from 0.
    `judged`: the claims checked; empty, with `why_not`, if none applies. `gap`: what is missing before it.
    `unmeasured`: why the partitions that it moved are not known, None if they are. `unrest_ms`: how long the
    group took to become stable, if recorded.
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
    unmeasured: str | None = None
    unrest_ms: int | None = None

    @property
    def excess(self) -> int:
        """The spread beyond the possible one; 0 if not measured."""
        return max(0, self.measured.spread - self.measured.best_spread) if self.measured else 0


@dataclass
class GroupAudit:
    """The audited records of one group.

    `protocol`: the protocol that it speaks at the end; `former`: the ones before a migration, in order.
    `returns`: how often a member returned after leaving, by client and host (or instance id). `kept`: static
    members that returned without a rebalance. `abandoned`: rebalances that restarted before the leader
    answered. `lost`: rebalances of which the log has too little to be listed, each with the reason.
    `without_reader`: partitions that changed hands (Streams: tasks), and how long they had no reader.
    `notes`: what is to be said of the group at the end of the log.
    """

    name: str
    protocol: GroupProtocol
    former: list[GroupProtocol] = field(default_factory=list)
    rebalances: list[AuditedRebalance] = field(default_factory=list)
    findings: list[AuditFinding] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    returns: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    abandoned: int = 0
    lost: list[tuple[LogMoment, str]] = field(default_factory=list)
    without_reader: list[UnreadTime] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, rebalance: AuditedRebalance) -> None:
        """Add the rebalance, with its findings and its gap."""
        self.rebalances.append(rebalance)
        self.note(rebalance.findings)
        if rebalance.gap:
            self.gaps.append(rebalance.gap)

    def withdraw(self, moments: Container[LogMoment], why_not: str) -> None:
        """Withdraw the results at these moments, with the reason."""
        self.findings = [each for each in self.findings if each.moment not in moments]
        self.rebalances = [
            replace(each, judged=(), findings=(), measured=None, why_not=why_not, unmeasured=why_not)
            if each.moment in moments
            else each
            for each in self.rebalances
        ]

    def settle(self, unrest_ms: int) -> None:
        """Record how long the last rebalance took until the group was stable."""
        self.rebalances[-1] = replace(self.rebalances[-1], unrest_ms=unrest_ms)

    def note(self, findings: Iterable[AuditFinding]) -> None:
        """Add findings; the first finding of each claim keeps its trace."""
        for finding in findings:
            traced = any(each.claim == finding.claim and each.trace for each in self.findings)
            self.findings.append(replace(finding, trace=None) if traced else finding)

    @property
    def judged(self) -> int:
        """Rebalances with at least one claim checked."""
        return sum(bool(each.judged) for each in self.rebalances)

    def speaks(self, protocol: GroupProtocol) -> None:
        """The group continues in this protocol."""
        if protocol is not self.protocol:
            self.former.append(self.protocol)
            self.protocol = protocol

    def leave_open(self, why: str) -> None:
        """Record why the moves of the last rebalance are not known."""
        last = self.rebalances[-1]
        self.rebalances[-1] = replace(last, unmeasured=last.unmeasured or why)

    @property
    def unmeasured(self) -> Counter[str]:
        """Rebalances whose moves are not known, by reason."""
        reasons = Counter(why for _, why in self.lost)
        return reasons + Counter(each.unmeasured for each in self.rebalances if each.unmeasured)

    @property
    def moved(self) -> int | None:
        """Partitions moved in all rebalances; None if those of a rebalance, or of all, are not known."""
        return None if self.unmeasured or not self.rebalances else self.moved_at_least

    @property
    def needless(self) -> int | None:
        """Those of them that an optimal assignment would not have moved; None if not known."""
        return None if self.unmeasured or not self.rebalances else self.needless_at_least

    @property
    def moved_at_least(self) -> int:
        """Partitions moved in the rebalances whose moves are known."""
        return sum(each.measured.moved or 0 for each in self.rebalances if each.measured)

    @property
    def needless_at_least(self) -> int:
        """Those of them that an optimal assignment would not have moved."""
        return sum(each.measured.needless or 0 for each in self.rebalances if each.measured)

    @property
    def double_owners(self) -> int:
        """Findings of partitions with two owners."""
        return sum(each.claim == "single-owner" for each in self.findings)

    @property
    def worst_spread(self) -> RebalanceFigures | None:
        """The rebalance with the largest spread; of several the one that exceeds the possible one most."""
        measured = [each.measured for each in self.rebalances if each.measured]
        return max(measured, key=lambda each: (each.spread, -each.best_spread), default=None)

    @property
    def worst_excess(self) -> AuditedRebalance | None:
        """The first rebalance whose spread exceeds the possible one most; None if none exceeds it."""
        above = [each for each in self.rebalances if each.measured and each.excess]
        return max(above, key=lambda each: each.excess, default=None)

    @property
    def longest_unread(self) -> UnreadTime | None:
        """Where partitions had no reader for longest; None if no records contain it."""
        known = [each for each in self.without_reader if each.most is not None or each.least]
        return max(known, key=lambda each: (each.most or each.least, each.least), default=None)

    @property
    def unread_unknown(self) -> str | None:
        """Why the records do not say how long partitions had no reader at most; None if they do."""
        changes, unknown = len(self.without_reader), sum(each.most is None for each in self.without_reader)
        if self.protocol is GroupProtocol.SHARE:
            return "a share group commits no offsets to this log, so no record says when a member died"
        if not changes and self.rebalances and all(e.moment.timestamp is None for e in self.rebalances):
            return "the records have no times"
        if not changes:
            return "no record in the file takes a partition from one member and gives it to another"
        if unknown == changes:
            return "the file has no offsets that the group committed before partitions changed hands"
        return (
            f"no offsets were committed before {unknown} of {changes} changes of reader" if unknown else None
        )

    @property
    def unread_most(self) -> int | None:
        """The longest time without a reader that is known, at most; None if none is."""
        if all(each.most is None for each in self.without_reader):
            return None
        return max(max(each.least, each.most or 0) for each in self.without_reader)

    @property
    def longest_unrest_ms(self) -> int | None:
        """The longest time from the beginning of a rebalance until the group was stable, as far as recorded.

        A rebalance of a classic group begins in no record; of several rounds, the first record counts.
        """
        known = [each.unrest_ms for each in self.rebalances if each.unrest_ms is not None]
        return max(known, default=None)


class LoadFailure(NamedTuple):
    """The record at which every broker fails to load a partition of the log, and why."""

    group: str
    record: str
    why: str
    moment: LogMoment


@dataclass(frozen=True)
class LogAudit:
    """All files together: groups by name, and the number of records of each type.

    `unread`: the first records that could not be read, with their positions; `notes`: what limits the meaning
    of the result; `unloadable`: partitions of the log that no broker can load; `unused`: fields on which no
    answer rests, by what their records are of, each with the reason.
    """

    groups: tuple[GroupAudit, ...]
    records: Mapping[str, int]
    unread: tuple[str, ...]
    notes: tuple[str, ...]
    unloadable: tuple[LoadFailure, ...] = ()
    unused: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def findings(self) -> int:
        """Findings in all groups, and partitions of the log that do not load."""
        return sum(len(group.findings) for group in self.groups) + len(self.unloadable)

    @property
    def judged(self) -> int:
        """Rebalances with at least one claim checked."""
        return sum(group.judged for group in self.groups)


SCHEMA: Final = "kassay/audit/1"


def audit_document(audit: LogAudit, files: Sequence[str], out: str | None) -> dict[str, Any]:
    """The document of the audit of these files; `out` is the folder with traces, if any were written."""
    return {
        "schema": SCHEMA,
        "files": list(files),
        "records": dict(audit.records),
        "unread": list(audit.unread),
        "notes": list(audit.notes),
        "not_used": {kind: dict(fields) for kind, fields in audit.unused.items()},
        "verdict": verdict(audit),
        "out": out,
        "unloadable": [
            {"group": each.group, "record": each.record, "why": each.why, **_moment(each.moment)}
            for each in audit.unloadable
        ],
        "groups": [_group(group) for group in audit.groups],
    }


def verdict(audit: LogAudit) -> str:
    """`findings`, `clean`, or `unknown` if no rebalance could be checked."""
    if audit.findings:
        return "findings"
    return "clean" if audit.judged else "unknown"


def _group(group: GroupAudit) -> dict[str, Any]:
    worst, excess = group.worst_spread, group.worst_excess
    return {
        "group": group.name,
        "protocol": group.protocol.value,
        "former_protocols": [each.value for each in group.former],
        "rebalances": len(group.rebalances),
        "judged": group.judged,
        "moved": group.moved,
        "needless": group.needless,
        "moved_at_least": group.moved_at_least,
        "needless_at_least": group.needless_at_least,
        "unmeasured": dict(group.unmeasured.most_common()),
        "double_owners": group.double_owners,
        "longest_unrest_ms": group.longest_unrest_ms,
        "without_reader": [_unread(each) for each in group.without_reader],
        "without_reader_unknown": group.unread_unknown,
        "worst_spread": None if worst is None else {"is": worst.spread, "could_be": worst.best_spread},
        "worst_excess": None if excess is None else {"generation": excess.generation, "by": excess.excess},
        "returns": dict(group.returns.most_common()),
        "kept": group.kept,
        "abandoned": group.abandoned,
        "gaps": list(group.gaps),
        "notes": list(group.notes),
        "findings": [_finding(finding) for finding in group.findings],
        "history": [_rebalance(rebalance) for rebalance in group.rebalances],
    }


def _moment(moment: LogMoment) -> dict[str, Any]:
    return {"place": str(moment.place), "offset": moment.offset, "timestamp": moment.timestamp}


def _unread(unread: UnreadTime) -> dict[str, Any]:
    return {
        "generation": unread.generation,
        **_moment(unread.moment),
        "partitions": unread.partitions,
        "at_least_ms": unread.least,
        "at_most_ms": unread.most,
    }


def _finding(finding: AuditFinding) -> dict[str, Any]:
    return {
        "claim": finding.claim,
        "generation": finding.generation,
        **_moment(finding.moment),
        "message": finding.message,
        "trace": finding.path,
    }


def _rebalance(rebalance: AuditedRebalance) -> dict[str, Any]:
    return {
        "generation": rebalance.generation,
        **_moment(rebalance.moment),
        "assignor": rebalance.assignor,
        "members": rebalance.members,
        "partitions": rebalance.partitions,
        "round": rebalance.turn,
        "causes": [{"cause": cause.word.value, "who": list(cause.who)} for cause in rebalance.causes],
        "measured": None if rebalance.measured is None else _measured(rebalance.measured),
        "judged": list(rebalance.judged),
        "why_not": rebalance.why_not,
        "gap": rebalance.gap,
        "unmeasured": rebalance.unmeasured,
        "unrest_ms": rebalance.unrest_ms,
        "findings": len(rebalance.findings),
    }


def _measured(measured: RebalanceFigures) -> dict[str, Any]:
    return {
        "spread": measured.spread,
        "best_spread": measured.best_spread,
        "moved": measured.moved,
        "least": measured.least,
        "needless": measured.needless,
    }
