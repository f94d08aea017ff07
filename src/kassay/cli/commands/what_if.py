"""Predict what another assignor, or future events, would do to a consumer group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kassay.cli import completing
from kassay.cli.clusters import (
    cluster_options,
    loaded,
    observed_group,
    present_unstable,
    require_out,
    start_target,
    write_cluster_page,
)
from kassay.cli.options import FilePath, json_option, no_seed_option, present, write_json
from kassay.cli.targets import target_options

PLACE = 300


@click.command("what-if", epilog="Example: kassay what-if groups.txt topics.txt --events leave:2,join:3")
@cluster_options
@click.option(
    "--from",
    "strategy",
    metavar="TARGET",
    shell_complete=completing.target,
    help="Set the group's present assignor.  [default: from --state]",
)
@click.option(
    "--to",
    "targets",
    multiple=True,
    metavar="TARGET",
    shell_complete=completing.target,
    help="Evaluate this assignor; repeatable.  [default: all of Kafka's]",
)
@click.option(
    "--events", metavar="EVENTS", help="Apply events, e.g. leave:2,join:3,add-partitions:orders+12."
)
@click.option(
    "--fetch-from",
    type=click.Choice(["leader", "follower"]),
    help="Count reads within a rack from these replicas.  [default: both]",
)
@click.option("--report", type=click.Choice(["html"]), help="Also write a page.")
@click.option("--out", type=FilePath(), help="Write certificate and page to this folder.  [default: .kassay]")
@target_options
@no_seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, **chosen: Any) -> int:
    """Predict what other assignors, and future events, would do to the group in the FILEs.

    A FILE is the output of kafka-consumer-groups --describe, with --members --verbose or --state, of
    kafka-topics --describe, or of kafka-broker-api-versions; its content identifies the format. Exit codes: 0
    done, 1 a candidate returned no assignment or a rollout never settles, 2 unreadable input or no active
    members, 3 the group is not stable, 4 not loaded.
    """
    from kassay.certify.clusters.events import parse_events
    from kassay.certify.clusters.whatif import KAFKAS, what_if
    from kassay.report.screen.clusters import what_if_view
    from kassay.report.screen.console import bar

    require_out(chosen["out"], wanted=chosen["report"] is not None or chosen["out"] is not None)
    observed = observed_group(chosen)
    if not observed.stability.is_stable:
        return present_unstable(context, observed, chosen)
    changes = () if chosen["events"] is None else parse_events(chosen["events"], observed)
    targets = loaded(chosen["targets"] or KAFKAS, chosen)
    with bar("evaluating", len(targets)) as tell:
        answer = what_if(
            observed, targets, changes, start_target(observed, chosen), tell, chosen["fetch_from"]
        )
    path = _keep(answer.best.certificate, chosen["out"])
    if chosen["report"]:
        from kassay.report.pages.clusters import render_what_if

        write_cluster_page(
            context, lambda again: render_what_if(answer, again), chosen["out"], "what-if.html"
        )
    present(
        answer.to_json(),
        lambda: what_if_view(answer, path, in_full=bool(chosen["targets"])),
        chosen["json_path"],
    )
    return 1 if answer.failed or answer.never_settles else 0


def _keep(certificate: dict[str, Any], out: Path | None) -> str | None:
    """Write the certificate if requested; returns the path."""
    if out is None:
        return None
    path = out if out.suffix == ".json" else out / "optimum.json"
    write_json(certificate, str(path))
    return str(path)
