"""Predict what another assignor, or future events, would do to a consumer group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kassay.cli import completing
from kassay.cli.clusters import (
    cluster_options,
    group_or_overview,
    loaded,
    observed_group,
    present_other,
    present_unstable,
    require_none,
    require_out,
    start_target,
    write_cluster_page,
)
from kassay.cli.options import FilePath, json_option, no_seed_option, present, write_json
from kassay.cli.targets import target_options
from kassay.model.errors import InputError

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
@click.option(
    "--capacity",
    "capacities",
    multiple=True,
    metavar="MEMBER=N",
    help="Set a member's capacity, relative to 1; repeatable.",
)
@click.option(
    "--client",
    "library",
    metavar="LIBRARY",
    shell_complete=completing.client,
    help="Print rollouts for members of this client library.",
)
@click.option(
    "--to-client",
    "next_library",
    metavar="LIBRARY",
    shell_complete=completing.client,
    help="Compare --client with this library; no FILE is needed.",
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
    kafka-topics --describe, or of kafka-broker-api-versions; its content identifies the format. Without
    --group, several groups are shown in a row each, the worst first. Exit codes: 0 done, 1 a candidate
    returned no assignment or a rollout never settles, 2 unreadable input or no active members, 3 the group is
    not stable, 4 not loaded.
    """
    from kassay.certify.clusters.capacities import capacities_of
    from kassay.certify.clusters.clients.rules import client_named
    from kassay.certify.clusters.events import parse_events
    from kassay.certify.clusters.other_groups import SharedOrStreams, what_if_other
    from kassay.certify.clusters.overview import GroupsOverview
    from kassay.certify.clusters.whatif import KAFKAS, what_if
    from kassay.report.screen.clusters import what_if_view
    from kassay.report.screen.console import bar
    from kassay.report.screen.overviews import overview_view

    require_out(chosen["out"], wanted=chosen["report"] is not None or chosen["out"] is not None)
    client = None if chosen["library"] is None else client_named(chosen["library"])
    if chosen["next_library"] is not None:
        return _to_client(chosen)
    asks = chosen["targets"] or chosen["events"] or chosen["report"]
    observed = observed_group(chosen) if asks else group_or_overview(chosen)
    if isinstance(observed, GroupsOverview):
        present(observed.to_json(), lambda: overview_view(observed), chosen["json_path"])
        return 0
    if isinstance(observed, SharedOrStreams):
        require_none(
            chosen,
            {
                "strategy": "--from",
                "targets": "--to",
                "library": "--client",
                "fetch_from": "--fetch-from",
                "report": "--report",
                "out": "--out",
            },
        )
        return present_other(what_if_other(observed, chosen["events"]), chosen)
    if not observed.stability.is_stable:
        return present_unstable(context, observed, chosen)
    capacities = capacities_of(chosen["capacities"], observed) if chosen["capacities"] else None
    changes = () if chosen["events"] is None else parse_events(chosen["events"], observed)
    targets = loaded(chosen["targets"] or KAFKAS, chosen)
    with bar("evaluating", len(targets)) as tell:
        answer = what_if(
            observed,
            targets,
            changes,
            start_target(observed, chosen),
            tell,
            chosen["fetch_from"],
            client,
            capacities,
        )
    path = _keep(answer.best.certificate, chosen["out"])
    if chosen["report"]:
        from kassay.report.pages.clusters import render_what_if

        write_cluster_page(
            context, lambda again: render_what_if(answer, again), chosen["out"], "what-if.html"
        )
    present(
        answer.to_json(),
        lambda: what_if_view(answer, path, in_full=bool(chosen["targets"]), verbose=chosen["verbose"]),
        chosen["json_path"],
    )
    return 1 if answer.failed or answer.never_settles else 0


def _to_client(chosen: dict[str, Any]) -> int:
    """Compare two client libraries, for the group if one is given; the exit code."""
    from kassay.certify.clusters.clients.change import ClientChange
    from kassay.certify.clusters.clients.rules import client_named
    from kassay.certify.clusters.other_groups import SharedOrStreams
    from kassay.report.screen.client_change import client_change_view

    if chosen["library"] is None:
        raise InputError("--to-client: expected --client with the library of today")
    has_group = chosen["files"] or chosen["groups"] or chosen["bootstrap"]
    group = observed_group(chosen) if has_group else None
    if isinstance(group, SharedOrStreams):
        raise InputError("--to-client: not for a share or Streams group, which Kafka assigns by its own rule")
    strategy = None if group is None else group.strategy
    change = ClientChange(
        client_named(chosen["library"]), client_named(chosen["next_library"]), chosen["strategy"] or strategy
    )
    present(change.to_json(), lambda: client_change_view(change), chosen["json_path"])
    return 0


def _keep(certificate: dict[str, Any], out: Path | None) -> str | None:
    """Write the certificate if requested; returns the path."""
    if out is None:
        return None
    path = out if out.suffix == ".json" else out / "optimum.json"
    write_json(certificate, str(path))
    return str(path)
