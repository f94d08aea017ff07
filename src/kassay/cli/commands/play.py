"""Play a script of requests on the coordinator: the model, Kafka's classes, a broker."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli.common import bootstrap_option, fetch_option, group_option, json_option, release_option
from kassay.cli.options import FilePath, present

PLACE = 565


@click.command("play", epilog="Example: kassay play coordinator examples/coordinator/a-vanish.toml")
@click.argument("what", metavar="coordinator", type=click.Choice(["coordinator"]))
@click.argument("script", type=FilePath())
@click.option("--genuine", is_flag=True, help="Play it on Kafka's own classes.")
@release_option()
@fetch_option
@bootstrap_option
@group_option
@click.option("--restart", metavar="COMMAND", help="Restart the broker with this command, for a failover.")
@json_option
def command(
    what: str,  # noqa: ARG001 - the coordinator is all there is
    script: Path,
    genuine: bool,
    release: str,
    fetch: bool,
    bootstrap: str | None,
    group: str | None,
    restart: str | None,
    json_path: str | None,
) -> int:
    """Play SCRIPT, a TOML file of requests and faults, and print answers, records and the state.

    Without an option kassay's model answers by the rules of the release (groups of Kafka Streams: of 4.4.0
    alone). With --bootstrap-server the requests go to a broker that is the coordinator of the group, by
    default kassay-play; time passes in real time, and only answers are known. See docs/play.md.
    """
    from kassay.api.play import play
    from kassay.report.screen.blocks import described_view

    result = play(
        script,
        genuine=genuine,
        release=release,
        fetch=fetch,
        bootstrap_server=bootstrap,
        group=group,
        restart=restart,
    )
    present(result.to_json(), lambda: described_view(result.described()), json_path)
    return 0
