"""Predict what another assignor, or future events, would do to a consumer group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kassay.cli.clusters import cluster_options, given_cluster
from kassay.cli.common import client_option, from_option, json_option, out_option, to_option
from kassay.cli.options import FilePath, commas, present, write_json
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.api.what_if import Prediction
    from kassay.report.screen.console import View

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
def command(**chosen: Any) -> int:
    """Predict what other assignors, and future events, would do to the group in the FILEs.

    A FILE is the output of kafka-consumer-groups --describe, with --members --verbose or --state, of
    kafka-topics --describe or kafka-broker-api-versions, lines id,rack or below the titles consumer,rack or
    consumer,topics, or client.properties for --bootstrap-server; its content identifies the format. Without
    --group, several groups are shown in a row each, the worst first. --library A,B compares two libraries.
    Exit codes: 0 done, 1 a candidate returned no assignment or a rollout never settles, 2 unreadable input or
    no active members, 3 the group is not stable, 4 not loaded.
    """
    from kassay.api.what_if import OTHER_GROUP, predicted
    from kassay.cli.pages import write_result
    from kassay.engines.clusters.observed import ObservedGroup
    from kassay.engines.clusters.other_groups import OtherAnswer
    from kassay.engines.clusters.whatif import WhatIf
    from kassay.report.screen.console import bar

    with bar("reading, evaluating") as tell:
        result = predicted(
            given_cluster(chosen),
            to=chosen["targets"],
            start=chosen["strategy"],
            events=chosen["events"],
            capacities=chosen["capacities"],
            libraries=commas(chosen["library"], "--library") or (),
            one_group=chosen["out"] is not None,
            progress=tell,
        )
    answer, out, path = result.answer, chosen["out"], None
    if out is not None and isinstance(answer, OtherAnswer):
        raise InputError(f"--out: {OTHER_GROUP}")
    if out is not None and isinstance(answer, WhatIf):
        path = str(out / "optimum.json")
        write_json(answer.best.certificate, path)
    if isinstance(answer, WhatIf | ObservedGroup):
        write_result(result, out, "what-if.html")
    in_full = bool(chosen["targets"])
    present(result.to_json(), lambda: _view(result, path, in_full=in_full), chosen["json_path"])
    if isinstance(answer, ObservedGroup):
        return 3
    is_failed = isinstance(answer, WhatIf | OtherAnswer) and answer.failed
    return 1 if is_failed or (isinstance(answer, WhatIf) and answer.never_settles) else 0


def _view(result: Prediction, path: str | None, *, in_full: bool) -> View:
    """The answer on a terminal; `path` has the certificate of the optimum."""
    from kassay.engines.clusters.clients.change import ClientChange
    from kassay.engines.clusters.observed import ObservedGroup
    from kassay.engines.clusters.other_groups import OtherAnswer
    from kassay.engines.clusters.overview import GroupsOverview
    from kassay.report.screen.client_change import client_change_view
    from kassay.report.screen.clusters import unstable_view, what_if_view
    from kassay.report.screen.other_groups import other_view
    from kassay.report.screen.overviews import overview_view

    match result.answer:
        case ObservedGroup() as observed:
            return unstable_view(observed)
        case OtherAnswer() as other:
            return other_view(other)
        case GroupsOverview() as overview:
            return overview_view(overview)
        case ClientChange() as change:
            return client_change_view(change)
        case answer:
            return what_if_view(answer, path, in_full=in_full)
