"""Show at which member counts a consumer group is balanced, for people and autoscalers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kassay.cli.clusters import (
    cluster_options,
    inputs_read,
    observed_group,
    present_other,
    present_unstable,
    require_none,
    start_target,
    write_cluster_page,
)
from kassay.cli.common import from_option, json_option, out_option, time_option
from kassay.cli.options import FilePath, Whole, present
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.engines.clusters.observed import ObservedGroup
    from kassay.engines.targets.resolve import Target
    from kassay.model.cluster import TopicPartition

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
@click.pass_context
def command(context: click.Context, /, **chosen: Any) -> int:
    """Show how balanced the group in the FILEs is at each number of members, and what moves.

    FILEs are those of `what-if`; for --lag also lines below the titles topic,partition,lag. A count is safe
    if no member is idle, loads are within one and few partitions move. Exit codes: 0 done, 1 the assignor
    returned no assignment, 2 unreadable input or no active members, 3 the group is not stable or a best lag
    is not proven, 4 not loaded.
    """
    from kassay.engines.clusters.other_groups import SharedOrStreams, scale_other
    from kassay.engines.clusters.scale import scale, usual_most
    from kassay.report.screen.clusters import scale_view
    from kassay.report.screen.console import bar

    observed = observed_group(chosen)
    if isinstance(observed, SharedOrStreams):
        require_none(chosen, {"strategy": "--from", "lag": "--lag", "out": "--out"})
        most = chosen["most"] or usual_most(observed.observed)
        return present_other(scale_other(observed, most), chosen)
    if not observed.stability.is_stable:
        return present_unstable(context, observed, chosen)
    target = _target(observed, chosen)
    lags = _lags(observed) if chosen["lag"] else None
    most = chosen["most"] or usual_most(observed)
    with bar("scaling", most) as tell:
        answer = scale(
            observed,
            target,
            most,
            lags=lags,
            seconds=chosen["seconds"],
            report=tell,
        )
    if chosen["out"] is not None:
        from kassay.report.pages.scaling import render_scale

        write_cluster_page(context, lambda again: render_scale(answer, again), chosen["out"], "scale.html")
    present(answer.to_json(), lambda: scale_view(answer), chosen["json_path"])
    if answer.failed:
        return 1
    return 0 if all(each.lag is None or each.lag.is_exact for each in answer.counts) else 3


def _target(observed: ObservedGroup, chosen: dict[str, Any]) -> Target:
    """The group's assignor; raises `InputError` if it is unknown."""
    start = start_target(observed, chosen)
    if start is None:
        if observed.strategy is not None:
            from kassay.report.screen.clusters import unknown_start

            raise InputError(unknown_start(observed.strategy))
        raise InputError(
            "--from: the group's assignor is unknown, expected a TARGET or the output of --state"
        )
    return start


def _lags(observed: ObservedGroup) -> dict[TopicPartition, int]:
    """The lags of the group in the files; raises `InputError`."""
    from kassay.engines.clusters.observed import lags_of

    return lags_of(inputs_read(), observed)
