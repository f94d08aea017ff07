"""Audit the rebalances that a cluster's own `__consumer_offsets` still records."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from kassay.cli import completing
from kassay.cli.clusters import given_cluster
from kassay.cli.common import bootstrap_option, group_option, json_option, out_option
from kassay.cli.options import FilePath, present

PLACE = 330
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
    from kassay.api.audit import audited
    from kassay.cli.pages import write_result
    from kassay.report.screen.audits import audit_view
    from kassay.report.screen.console import bar

    cluster = given_cluster({"files": files, "bootstrap": bootstrap, "group": group})
    with bar("reading") as tell:
        result = audited(cluster, since=since, out=out, progress=tell)
    write_result(result, out, "audit.html")
    present(result.to_json(), lambda: audit_view(result.audit), json_path)
    return _CODES[result.verdict]
