"""The rebalances that a cluster's own `__consumer_offsets` still records."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from kassay.engines.audits.live import fetch_log
from kassay.engines.audits.run import audit_log
from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import LogAudit, audit_document, verdict
from kassay.engines.clusters.given import GivenCluster
from kassay.model.errors import InputError
from kassay.reading.documents import head_of, read_pasted
from kassay.reading.kafka.offsets.sources import in_order
from kassay.reading.kafka.topics import is_topics, read_topics
from kassay.report.result import Progress, Result, no_progress
from kassay.writing.text import counted

_MILLISECONDS: Final = re.compile(r"\d{12,14}")


@dataclass(frozen=True, repr=False)
class AuditedLog(Result):
    """The groups of a log and their findings; `files` are what was read, traces are in the folder `out`."""

    audit: LogAudit
    files: tuple[str, ...]
    out: str | None = None

    @property
    def verdict(self) -> str:
        """`clean`, `findings`, or `unknown` if nothing could be checked."""
        return verdict(self.audit)

    def summary(self) -> str:
        """How many findings there are in how many groups."""
        groups = counted(len(self.audit.groups), "group")
        judged = counted(self.audit.judged, "rebalance")
        return f"{counted(self.audit.findings, 'finding')}, {judged} judged in {groups}"

    def to_json(self) -> dict[str, Any]:
        """The document of `kassay audit --json`."""
        return audit_document(self.audit, self.files, self.out)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each group; figures are None where they are unknown."""
        return [
            {
                "group": group.name,
                "rebalances": len(group.rebalances),
                "judged": group.judged,
                "findings": len(group.findings),
                "double_owners": group.double_owners,
                "moved": group.moved,
                "needless": group.needless,
                "unread_most_ms": group.unread_most,
                "longest_unrest_ms": group.longest_unrest_ms,
            }
            for group in self.audit.groups
        ]

    def page(self, again: str = "") -> str:  # noqa: ARG002 (its findings have commands of their own)
        """The page `audit.html`."""
        from kassay.report.pages.audits import render

        return render(self.audit, self.files)


def audit(
    *files: str | Path,
    group: str | None = None,
    since: str | int | datetime | None = None,
    bootstrap: str | None = None,
    out: str | Path | None = None,
    progress: Progress = no_progress,
) -> AuditedLog:
    """Check the rebalances that `__consumer_offsets` still records for a cluster's groups, or one `group`.

    `files` are outputs of kafka-dump-log or the console consumer, and of kafka-topics, or
    `client.properties` for the brokers at `bootstrap`. `since` is a time such as "2026-11-22T08:00", a
    datetime (UTC without a zone), or milliseconds. Traces of findings are written below the folder `out`, if
    given. Raises `InputError`.

    >>> import kassay
    >>> kassay.audit("examples/cluster/offsets-12.txt", "examples/cluster/topics.txt")
    <AuditedLog: ... judged in ...>
    """
    given = GivenCluster(tuple(map(str, files)), bootstrap, group, warnings.warn)
    beginning = since.isoformat() if isinstance(since, datetime) else None if since is None else str(since)
    return audited(given, since=beginning, out=None if out is None else Path(out), progress=progress)


def audited(
    given: GivenCluster,
    *,
    since: str | None = None,
    out: Path | None = None,
    progress: Progress = no_progress,
) -> AuditedLog:
    """The answer of `audit`; `progress` gets 0 and how many records were read."""
    from kassay.report.files.formats import with_audit_traces

    beginning = None if since is None else _milliseconds(since)
    if given.bootstrap is None:
        files, known = _parted(given.files)
    else:
        given.require_no_outputs("records and topics")
    with ExitStack() as stack:
        if given.bootstrap is not None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="kassay-")))
            cluster = stack.enter_context(given.connect())
            files, known = fetch_log(
                cluster, folder, given.group, lambda n: progress(0, f"{n:,} records fetched")
            )
        log = audit_log(
            in_order(files),
            known,
            only=given.group,
            since=beginning,
            tell=lambda n: progress(0, f"{n:,} records"),
        )
    if given.bootstrap is not None:
        files = tuple(f"{given.bootstrap}:{Path(file).stem}" for file in files)
    if out is not None:
        log = with_audit_traces(log, out)
    return AuditedLog(log, files, None if out is None else str(out))


def _parted(files: Sequence[str]) -> tuple[tuple[str, ...], KnownTopics]:
    """The files of records, and the topics of those that describe topics; raises `InputError`."""
    if len(set(files)) < len(files):
        raise InputError(f"{next(f for f in files if files.count(f) > 1)}: given twice, expected once")
    described = [file for file in files if file != "-" and is_topics(head_of(file))]
    records = tuple(file for file in files if file not in described)
    if not records:
        raise InputError(
            "expected a FILE with the output of kafka-dump-log --offsets-decoder, or --bootstrap-server"
        )
    topics = [each for file in described for each in read_topics(read_pasted(file).text, file)]
    return records, KnownTopics.of(topic.to_topic() for topic in topics) if described else KnownTopics()


def _milliseconds(text: str) -> int:
    """The time in milliseconds since 1970; UTC if it has no zone. Raises `InputError`."""
    if _MILLISECONDS.fullmatch(text):
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise InputError(
            f"--since {text!r}: not a time; expected e.g. 2026-11-22T08:00 (UTC) or milliseconds since 1970"
        ) from None
