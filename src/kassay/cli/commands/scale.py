"""Show at which member counts a consumer group is balanced, for people and autoscalers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kassay.cli.clusters import (
    cluster_options,
    observed_group,
    present_other,
    present_unstable,
    require_none,
    require_out,
    start_target,
    write_cluster_page,
)
from kassay.cli.options import Duration, FilePath, json_option, no_seed_option, present
from kassay.cli.targets import target_options
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.certify.clusters.observed import ObservedGroup
    from kassay.certify.targets.resolve import Target
    from kassay.model.cluster import TopicPartition

PLACE = 310


@click.command("scale", epilog="Example: kassay scale groups.txt topics.txt --to 12 --lag groups.txt")
@cluster_options
@click.option(
    "--from", "strategy", metavar="TARGET", help="Set the group's assignor.  [default: from --state]"
)
@click.option(
    "--to",
    "most",
    type=click.IntRange(1, 2000),
    help="Evaluate up to this many members.  [default: twice today's]",
)
@click.option("--lag", metavar="FILE", help="Weigh by lag: offsets view, or lines topic,partition,lag.")
@click.option(
    "--extra-moves",
    type=click.IntRange(min=0),
    help="Allow this many moves above the fewest.  [default: partitions / 10]",
)
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default="1s",
    show_default=True,
    help="Limit the time of each search by lag.",
)
@click.option("--report", type=click.Choice(["html"]), help="Also write a page.")
@click.option(
    "--out", type=FilePath(), default=".kassay", show_default=True, help="Write the page to this folder."
)
@target_options
@no_seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, **chosen: Any) -> int:
    """Show how balanced the group in the FILEs is at each number of members, and what moves.

    A count is safe if no member is idle, loads are within one and few partitions move. Exit codes: 0 done, 1
    the assignor returned no assignment, 2 unreadable input or no active members, 3 the group is not stable or
    a best lag is not proven, 4 not loaded.
    """
    from kassay.certify.clusters.other_groups import SharedOrStreams, scale_other
    from kassay.certify.clusters.scale import scale, usual_most
    from kassay.report.screen.clusters import scale_view
    from kassay.report.screen.console import bar

    require_out(chosen["out"], wanted=chosen["report"] is not None)
    observed = observed_group(chosen)
    if isinstance(observed, SharedOrStreams):
        require_none(chosen, {"strategy": "--from", "lag": "--lag", "report": "--report"})
        most = chosen["most"] or usual_most(observed.observed)
        return present_other(scale_other(observed, most), chosen)
    if not observed.stability.is_stable:
        return present_unstable(context, observed, chosen)
    target = _target(observed, chosen)
    lags = None if chosen["lag"] is None else _lags(chosen["lag"], observed)
    most = chosen["most"] or usual_most(observed)
    with bar("scaling", most) as tell:
        answer = scale(
            observed,
            target,
            most,
            lags=lags,
            extra_moves=chosen["extra_moves"],
            seconds=chosen["seconds"],
            report=tell,
        )
    if chosen["report"]:
        from kassay.report.pages.scaling import render_scale

        write_cluster_page(context, lambda again: render_scale(answer, again), chosen["out"], "scale.html")
    present(answer.to_json(), lambda: scale_view(answer, verbose=chosen["verbose"]), chosen["json_path"])
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


def _lags(path: str, observed: ObservedGroup) -> dict[TopicPartition, int]:
    """The lags of the group in the file; raises `InputError`."""
    from kassay.certify.clusters.observed import lags_of
    from kassay.reading.documents import read_text

    return lags_of(read_text(path, "lags"), path, observed)
