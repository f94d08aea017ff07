"""Audit the rebalances that a cluster's own `__consumer_offsets` still records."""

from __future__ import annotations

import re
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from kassay.cli import completing
from kassay.cli.clusters import live_cluster, require_no_outputs
from kassay.cli.common import bootstrap_option, group_option, json_option, out_option
from kassay.cli.options import FilePath, present
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.engines.audits.topics import KnownTopics

PLACE = 330
_MILLISECONDS: Final = re.compile(r"\d{12,14}")
_CODES: Final = {"findings": 1, "clean": 0, "unknown": 3}


@click.command("audit", epilog="Example: kassay audit offsets-12.txt topics.txt")
@click.argument("files", nargs=-1, metavar="[FILE...]", shell_complete=completing.file)
@bootstrap_option
@group_option
@click.option("--since", metavar="TIME", help="Start at 2026-11-22, 2026-11-22T08:00, or milliseconds.")
@out_option(None, FilePath())
@json_option
def command(
    files: tuple[str, ...],
    bootstrap: str | None,
    group: str | None,
    since: str | None,
    out: Path | None,
    json_path: str | None,
) -> int:
    """Audit the rebalances that __consumer_offsets still records for a cluster's groups.

    A FILE is the output of kafka-dump-log --offsets-decoder, or of the console consumer with
    GroupMetadataMessageFormatter (classic groups only), or of kafka-topics --describe, which says what topics
    are called and how large they are; its content identifies the format. With
    --bootstrap-server the records are read from the brokers, which takes the right to Read the topic; of a
    --group only its partition. Exit codes: 0 clean, 1 findings, 2 unreadable input, 3 nothing could be
    checked.
    """
    from kassay.cli.pages import write_page
    from kassay.engines.audits.live import fetch_log
    from kassay.engines.audits.run import audit_log
    from kassay.engines.audits.topics import KnownTopics
    from kassay.engines.audits.values import audit_document, verdict
    from kassay.reading.kafka.offsets.sources import in_order
    from kassay.report.files.formats import with_audit_traces
    from kassay.report.pages.audits import render
    from kassay.report.screen.audits import audit_view
    from kassay.report.screen.console import bar

    beginning = None if since is None else _milliseconds(since)
    chosen = {"files": files, "bootstrap": bootstrap}
    known = KnownTopics()
    if bootstrap is None:
        files, known = _parted(files)
    else:
        require_no_outputs(chosen, "records and topics")
    with ExitStack() as stack:
        tell = stack.enter_context(bar("reading"))
        if bootstrap is not None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="kassay-")))
            cluster = stack.enter_context(live_cluster(chosen))
            files, known = fetch_log(cluster, folder, group, lambda n: tell(0, f"{n:,} records fetched"))
        audit = audit_log(
            in_order(files), known, only=group, since=beginning, tell=lambda n: tell(0, f"{n:,} records")
        )
    if bootstrap is not None:
        files = tuple(f"{bootstrap}:{Path(file).stem}" for file in files)
    if out is not None:
        audit = with_audit_traces(audit, out)
        write_page(render(audit, files), out, "audit.html")
    document = audit_document(audit, files, None if out is None else str(out))
    present(document, lambda: audit_view(audit), json_path)
    return _CODES[verdict(audit)]


def _parted(files: tuple[str, ...]) -> tuple[tuple[str, ...], KnownTopics]:
    """The files of records, and the topics of those that describe topics; raises `InputError`."""
    from kassay.engines.audits.topics import KnownTopics
    from kassay.reading.documents import head_of, read_pasted
    from kassay.reading.kafka.topics import is_topics, read_topics

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
