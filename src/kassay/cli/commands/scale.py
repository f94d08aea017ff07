"""Show at which member counts a consumer group is balanced, for people and autoscalers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kassay.cli.clusters import cluster_options, given_cluster
from kassay.cli.common import from_option, json_option, out_option, time_option
from kassay.cli.options import FilePath, Whole, present
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.api.scale import Scaling
    from kassay.report.screen.console import View

PLACE = 310


@click.command("scale", epilog="Example: kassay scale groups.txt topics.txt --max-members 12 --lag")
@cluster_options
@from_option
@click.option(
    "--max-members",
    "most",
    type=Whole(1, 2000),
    metavar="N",
    help="Evaluate up to this many members.  [default: twice today's]",
)
@click.option("--lag", is_flag=True, help="Weigh partitions by their lag in the FILEs.")
@time_option("1s")
@out_option(None, FilePath())
@json_option
def command(**chosen: Any) -> int:
    """Show how balanced the group in the FILEs is at each number of members, and what moves.

    FILEs are those of `what-if`; for --lag also lines below the titles topic,partition,lag. A count is safe
    if no member is idle, loads are within one and few partitions move. Exit codes: 0 done, 1 the assignor
    returned no assignment, 2 unreadable input or no active members, 3 the group is not stable or a best lag
    is not proven, 4 not loaded.
    """
    from kassay.api.scale import scaled
    from kassay.api.what_if import OTHER_GROUP
    from kassay.cli.pages import write_result
    from kassay.engines.clusters.observed import ObservedGroup
    from kassay.engines.clusters.other_groups import OtherAnswer
    from kassay.report.screen.console import bar

    with bar("scaling", chosen["most"]) as tell:
        result = scaled(
            given_cluster(chosen),
            start=chosen["strategy"],
            most=chosen["most"],
            lag=chosen["lag"],
            seconds=chosen["seconds"],
            progress=lambda members, _="": tell(members, f"{members:g} members"),
        )
    answer = result.answer
    if isinstance(answer, OtherAnswer) and chosen["out"] is not None:
        raise InputError(f"--out: {OTHER_GROUP}")
    write_result(result, chosen["out"], "scale.html")
    present(result.to_json(), lambda: _view(result), chosen["json_path"])
    if isinstance(answer, ObservedGroup):
        return 3
    if answer.failed:
        return 1
    if isinstance(answer, OtherAnswer):
        return 0
    return 0 if all(each.lag is None or each.lag.is_exact for each in answer.counts) else 3


def _view(result: Scaling) -> View:
    """The answer on a terminal."""
    from kassay.engines.clusters.observed import ObservedGroup
    from kassay.engines.clusters.other_groups import OtherAnswer
    from kassay.report.screen.clusters import scale_view, unstable_view
    from kassay.report.screen.other_groups import other_view

    match result.answer:
        case ObservedGroup() as observed:
            return unstable_view(observed)
        case OtherAnswer() as other:
            return other_view(other)
        case answer:
            return scale_view(answer)
