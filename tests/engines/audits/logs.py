"""Audits of logs that are written in the test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from kassay.engines.audits.run import audit_log
from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import GroupAudit, LogAudit
from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.offsets.sources import in_order
from tests.offsets_log import Given, Log, Stored, Subscribed, Written, dump


def audited(text: str, known: KnownTopics | None = None, since: int | None = None) -> LogAudit:
    """The audit of a file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "dump.txt")
        path.write_text(text)
        return audit_log(in_order([str(path)]), known or KnownTopics(), since=since)


def of_records(records: Iterable[Written], known: KnownTopics | None = None) -> LogAudit:
    """The audit of what kafka-dump-log prints of the records."""
    return audited(dump(records), known)


def only(log: Log, known: KnownTopics | None = None) -> GroupAudit:
    """The audit of the one group in the log."""
    (group,) = of_records(log.records, known).groups
    return group


def found(audit: LogAudit) -> set[tuple[str, str, int]]:
    """Each finding by group, claim and generation."""
    return {(g.name, each.claim, each.generation) for g in audit.groups for each in g.findings}


def tps(topic: str, *numbers: int) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(topic, number) for number in numbers)


def member(
    name: str,
    given: tuple[TopicPartition, ...],
    *,
    topics: tuple[str, ...] = ("orders",),
    owned: tuple[TopicPartition, ...] = (),
    generation: int = -1,
    instance: str | None = None,
    host: str = "/10.0.0.7",
) -> Stored:
    """A member in a stored generation."""
    return Stored(name, Subscribed(topics, owned, generation), Given(given), instance, f"app-{name}", host)
