"""Predict what another assignor, or future events, would do to a consumer group."""

from __future__ import annotations

from typing import Any

import click

from kassay.cli.clusters import (
    cluster_options,
    group_or_overview,
    loaded,
    observed_group,
    present_other,
    present_unstable,
    require_none,
    start_target,
    write_cluster_page,
)
from kassay.cli.common import client_option, from_option, json_option, out_option, to_option
from kassay.cli.options import FilePath, commas, present, write_json
from kassay.model.errors import InputError

PLACE = 300


@click.command("what-if", epilog="Example: kassay what-if groups.txt topics.txt --events leave:2,join:3")
@cluster_options
@from_option
@to_option("all of Kafka's")
@click.option(
    "--events", metavar="EVENTS", help="Apply events, e.g. leave:2,join:3,add-partitions:orders+12."
)
@click.option(
    "--capacity",
    "capacities",
    multiple=True,
    metavar="MEMBER=N",
    help="Set a member's capacity, relative to 1; repeatable.",
)
@client_option
@out_option(None, FilePath())
@json_option
@click.pass_context
def command(context: click.Context, /, **chosen: Any) -> int:
    """Predict what other assignors, and future events, would do to the group in the FILEs.

    A FILE is the output of kafka-consumer-groups --describe, with --members --verbose or --state, of
    kafka-topics --describe or kafka-broker-api-versions, lines id,rack or below the titles consumer,rack or
    consumer,topics, or client.properties for --bootstrap-server; its content identifies the format. Without
    --group, several groups are shown in a row each, the worst first. --library A,B compares two libraries.
    Exit codes: 0 done, 1 a candidate returned no assignment or a rollout never settles, 2 unreadable input or
    no active members, 3 the group is not stable, 4 not loaded.
    """
    from kassay.engines.clusters.capacities import capacities_of
    from kassay.engines.clusters.clients.rules import client_named
    from kassay.engines.clusters.events import parse_events
    from kassay.engines.clusters.other_groups import SharedOrStreams, what_if_other
    from kassay.engines.clusters.overview import GroupsOverview
    from kassay.engines.clusters.whatif import KAFKAS, what_if
    from kassay.report.screen.clusters import what_if_view
    from kassay.report.screen.console import bar
    from kassay.report.screen.overviews import overview_view

    libraries = commas(chosen["library"], "--library") or ()
    if len(libraries) > 1:
        return _to_client(libraries, chosen)
    client = client_named(libraries[0]) if libraries else None
    asks = chosen["targets"] or chosen["events"] or chosen["out"]
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
                "library": "--library",
                "out": "--out",
            },
        )
        return present_other(what_if_other(observed, chosen["events"]), chosen)
    if not observed.stability.is_stable:
        return present_unstable(context, observed, chosen)
    capacities = capacities_of(chosen["capacities"], observed) if chosen["capacities"] else None
    changes = () if chosen["events"] is None else parse_events(chosen["events"], observed)
    targets = loaded(chosen["targets"] or KAFKAS)
    with bar("evaluating", len(targets)) as tell:
        answer = what_if(
            observed,
            targets,
            changes,
            start_target(observed, chosen),
            tell,
            None,
            client,
            capacities,
        )
    path = None
    if chosen["out"] is not None:
        from kassay.report.pages.clusters import render_what_if

        path = str(chosen["out"] / "optimum.json")
        write_json(answer.best.certificate, path)
        write_cluster_page(
            context, lambda again: render_what_if(answer, again), chosen["out"], "what-if.html"
        )
    present(
        answer.to_json(),
        lambda: what_if_view(answer, path, in_full=bool(chosen["targets"])),
        chosen["json_path"],
    )
    return 1 if answer.failed or answer.never_settles else 0


def _to_client(libraries: tuple[str, ...], chosen: dict[str, Any]) -> int:
    """Compare two client libraries, for the group if one is given; the exit code."""
    from kassay.engines.clusters.clients.change import ClientChange
    from kassay.engines.clusters.clients.rules import client_named
    from kassay.engines.clusters.other_groups import SharedOrStreams
    from kassay.report.screen.client_change import client_change_view

    if len(libraries) > 2:
        raise InputError(f"--library: found {len(libraries)} libraries, expected one or two")
    has_group = chosen["files"] or chosen["bootstrap"]
    group = observed_group(chosen) if has_group else None
    if isinstance(group, SharedOrStreams):
        raise InputError("--library A,B: not for a share or Streams group, which Kafka assigns itself")
    strategy = None if group is None else group.strategy
    old, new = map(client_named, libraries)
    change = ClientChange(old, new, chosen["strategy"] or strategy)
    present(change.to_json(), lambda: client_change_view(change), chosen["json_path"])
    return 0
