"""Linter of reassignment files: what Kafka refuses, and what is probably a mistake.

Errors are refused by Kafka's tool or controller, or lose redundancy; warnings are accepted but may be
regretted. Knowledge of the cluster adds checks: without topics, no partition is unknown.

Source: Kafka `ReassignPartitionsCommand` (parsePartitionReassignmentData, parseExecuteAssignmentArgs,
verifyBrokerIds), `ReplicationControlManager`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from kassay.engines.replicas.cluster import PlacedCluster, listed
from kassay.engines.replicas.judge import rack_breaks
from kassay.engines.replicas.unfinished import Change, hindrances
from kassay.model.cluster import TopicPartition
from kassay.reading.documents import suggestion
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.reassignment import ReassignedPartition, Reassignment, TopicsToMove

_NAMED: Final = 4
"""This many partitions of one kind of warning are named after the first."""


class LintSeverity(StrEnum):
    """Severity; an error makes the exit code 1."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class LintFinding:
    """A problem at one place of a file."""

    place: Place
    field: str
    severity: LintSeverity
    rule: str
    message: str
    subject: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.field}: {self.severity}: {self.message} [{self.rule}]"


@dataclass(frozen=True)
class LintContext:
    """Known parts of the cluster: topics with their rows, and brokers; None if not given."""

    cluster: PlacedCluster | None = None
    has_topics: bool = False
    has_brokers: bool = False


def lint(block: Reassignment | TopicsToMove, context: LintContext) -> tuple[LintFinding, ...]:
    """All problems of one object of a file, in file order."""
    findings = _of_topics(block, context) if isinstance(block, TopicsToMove) else _of_rows(block, context)
    in_order = sorted(findings, key=lambda each: (each.place, each.field, each.rule))
    return tuple(_one_a_kind(in_order))


def _one_a_kind(findings: Iterable[LintFinding]) -> Iterator[LintFinding]:
    """The findings, but of warnings of one rule only the first, which names the other partitions."""
    kinds: dict[str, list[LintFinding]] = {}
    kept: list[LintFinding] = []
    for each in findings:
        if each.severity is LintSeverity.ERROR or not kinds.get(each.rule):
            kept.append(each)
        if each.severity is LintSeverity.WARNING:
            kinds.setdefault(each.rule, []).append(each)
    for each in kept:
        others = [other.subject for other in kinds.get(each.rule, [])[1:]]
        if each.severity is LintSeverity.ERROR or not others:
            yield each
        else:
            more = ", ".join(others[:_NAMED]) + (
                f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            )
            yield replace(each, message=f"{each.message}; so do {len(others)} others: {more}")


def _error(place: Place, field: str, rule: str, message: str) -> LintFinding:
    return LintFinding(place, field, LintSeverity.ERROR, rule, message)


def _warning(row: ReassignedPartition, rule: str, message: str) -> LintFinding:
    field = f"{row.path}.replicas"
    return LintFinding(row.place, field, LintSeverity.WARNING, rule, message, str(row.partition))


def _version(block: Reassignment | TopicsToMove) -> Iterator[LintFinding]:
    if block.version != 1:
        yield _error(
            block.place, "version", "version", f"found {block.version}, expected 1, which Kafka knows"
        )


def _of_topics(block: TopicsToMove, context: LintContext) -> Iterator[LintFinding]:
    yield from _version(block)
    for topic, times in Counter(block.topics).items():
        if times > 1:
            yield _error(
                block.place, "topics", "duplicate-topic", f"{topic} stands {times} times, expected once"
            )
        yield from _known_topic(topic, block.place, "topics", context)


def _of_rows(block: Reassignment, context: LintContext) -> Iterator[LintFinding]:
    yield from _version(block)
    for place, field in block.twice:
        yield _error(
            place, field, "duplicate-key", "stands twice, of which Kafka takes the last without a word"
        )
    if not block.partitions:
        yield _error(block.place, "partitions", "empty", "no partition, expected at least one")
    first: dict[TopicPartition, ReassignedPartition] = {}
    for row in block.partitions:
        before = first.setdefault(row.partition, row)
        if before is not row:
            yield _error(
                row.place,
                row.path,
                "duplicate-partition",
                f"{row.partition} stands in line {before.place.line} too",
            )
        yield from _row(row)
        if context.has_topics:
            yield from _against_topics(row, context)
        if context.has_brokers:
            yield from _against_brokers(row, context)


def _row(row: ReassignedPartition) -> Iterator[LintFinding]:
    """Problems of an entry by itself."""
    field = f"{row.path}.replicas"
    if row.partition.partition < 0:
        yield _error(
            row.place,
            f"{row.path}.partition",
            "partition",
            f"found {row.partition.partition}, expected 0 or more",
        )
    if not row.replicas:
        yield _error(
            row.place, field, "empty-replicas", f"{row.partition} has no replica, expected at least one"
        )
    twice = sorted(broker for broker, times in Counter(row.replicas).items() if times > 1)
    if twice:
        yield _error(row.place, field, "duplicate-replica", f"{listed(twice)} twice, expected each once")
    if any(broker < 0 for broker in row.replicas):
        yield _error(row.place, field, "broker", f"found {min(row.replicas)}, expected ids from 0 on")
    if row.log_dirs is not None and len(row.log_dirs) != len(row.replicas):
        yield _error(
            row.place,
            f"{row.path}.log_dirs",
            "log-dirs-length",
            f"{len(row.log_dirs)} for {len(row.replicas)} replicas, expected one each (`any` for any)",
        )
    for log_dir in row.log_dirs or ():
        if log_dir != "any" and not log_dir.startswith("/"):
            yield _error(
                row.place,
                f"{row.path}.log_dirs",
                "log-dir",
                f"found {log_dir!r}, expected `any` or an absolute path",
            )


def _known_topic(topic: str, place: Place, field: str, context: LintContext) -> Iterator[LintFinding]:
    if context.cluster is None or not context.has_topics:
        return
    topics = {tp.topic for tp in context.cluster.rows}
    if topic not in topics:
        yield _error(place, field, "unknown-topic", f"no topic {topic!r}{suggestion(topic, topics)}")


def _against_topics(row: ReassignedPartition, context: LintContext) -> Iterator[LintFinding]:
    """Problems of an entry, given the present replicas of its partition."""
    cluster = context.cluster
    if cluster is None:
        return
    unknown = list(_known_topic(row.partition.topic, row.place, f"{row.path}.topic", context))
    yield from unknown
    now = cluster.rows.get(row.partition)
    if now is None:
        if not unknown:
            count = sum(tp.topic == row.partition.topic for tp in cluster.rows)
            yield _error(
                row.place,
                f"{row.path}.partition",
                "unknown-partition",
                f"found {row.partition.partition}, expected one below {count}, which are all of its topic",
            )
        return
    field = f"{row.path}.replicas"
    if row.partition in cluster.moving:
        yield _error(
            row.place, row.path, "moving", f"{row.partition} is being reassigned already: wait, or --cancel"
        )
    if row.replicas and len(row.replicas) < len(now):
        yield _error(
            row.place,
            field,
            "replication-factor",
            f"RF {len(row.replicas)}, {row.partition} has RF {len(now)} now",
        )
    elif len(row.replicas) > len(now):
        yield _warning(
            row, "replication-factor", f"{row.partition} gets RF {len(row.replicas)}, has RF {len(now)} now"
        )
    elif row.replicas == now:
        yield _warning(row, "no-change", f"{row.partition} keeps the replicas that it has already")
    yield from _racks(row, now, cluster)
    yield from _against_state(row, now, cluster)


def _against_state(
    row: ReassignedPartition, now: tuple[int, ...], cluster: PlacedCluster
) -> Iterator[LintFinding]:
    """Problems of an entry, given the leader and the replicas in sync of its partition."""
    field, tp = f"{row.path}.replicas", row.partition
    state = cluster.states.get(tp)
    change = Change(now, row.replicas)
    for reason in hindrances(change, state, cluster.silent):
        yield _error(row.place, field, "cannot-finish", f"{tp}: {reason}")
    if state is None:
        return
    if state.lagging:
        yield _warning(
            row, "under-replicated", f"{tp} has {len(state.isr)} of {len(state.replicas)} replicas in sync"
        )
    if state.is_under_min:
        yield _warning(
            row, "under-min-isr", f"{tp} has {len(state.isr)} in sync, min.insync.replicas is {state.min_isr}"
        )
    if state.observers and row.observers is None:
        yield _error(
            row.place,
            f"{row.path}.observers",
            "observers",
            f"missing: {listed(state.observers)} would turn into replicas in sync, expected `observers`",
        )


def _racks(row: ReassignedPartition, now: tuple[int, ...], cluster: PlacedCluster) -> Iterator[LintFinding]:
    """Whether the entry spreads a partition over fewer racks than before."""
    if (
        not cluster.has_racks
        or not cluster.ids.issuperset(row.replicas)
        or len(set(row.replicas)) < len(row.replicas)
    ):
        return
    tp = row.partition
    if rack_breaks(cluster, {tp: row.replicas}) and not rack_breaks(cluster, {tp: now}):
        racks = ", ".join(f"{broker} in {cluster.racks[broker]}" for broker in row.replicas)
        yield _error(
            row.place, f"{row.path}.replicas", "rack-spread", f"{tp} loses its spread over racks: {racks}"
        )


def _against_brokers(row: ReassignedPartition, context: LintContext) -> Iterator[LintFinding]:
    """Problems of an entry, given the existing brokers."""
    cluster = context.cluster
    if cluster is None:
        return
    field = f"{row.path}.replicas"
    unknown = sorted({broker for broker in row.replicas if broker >= 0} - cluster.ids)
    if unknown:
        yield _error(
            row.place, field, "unknown-broker", f"{listed(unknown)} not in the cluster: {listed(cluster.ids)}"
        )
    now = cluster.rows.get(row.partition, ()) if context.has_topics else ()
    new = sorted((cluster.cordoned & set(row.replicas)) - set(now)) if context.has_topics else []
    if new:
        yield _error(row.place, field, "cordoned", f"{listed(new)} cordoned, expected no new replica there")
    fenced = [
        b.broker_id for b in cluster.brokers if b.fenced and b.broker_id == next(iter(row.replicas), None)
    ]
    if fenced:
        yield _warning(
            row,
            "fenced-leader",
            f"{row.partition} gets {listed(fenced)} as preferred leader, which is fenced",
        )
