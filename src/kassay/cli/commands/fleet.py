"""Replay a fleet's rebalances with other assignors on Spark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from kassay.cli import completing
from kassay.cli.common import config_option, json_option, out_option, to_option
from kassay.cli.options import pairs, present
from kassay.cli.spark import resumable
from kassay.model.errors import InputError
from kassay.reading.specs import listed

PLACE = 610


@click.command("fleet", epilog="Example: kassay fleet snapshots/ --out results --to sticky")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", shell_complete=completing.file)
@to_option("all of Kafka's")
@out_option(".kassay/fleet")
@config_option
@json_option
def command(
    paths: Sequence[str], out: str, targets: Sequence[str], configs: tuple[str, ...], json_path: str | None
) -> int:
    """Replay the snapshots of consumer groups in PATHs: files and folders of text, JSON lines or Parquet.

    A PATH may also be JSON lines of subscriptions: group, member and topics. Without --to, range, sticky,
    cooperative-sticky and the certified optimum are compared; `mixed:A,B` comes last. A second run reads only
    new files. --config spark.master=M chooses where Spark works; --config every=60 follows a folder, with a
    look every minute, until Ctrl-C. Exit codes: 0 every candidate was compared with the actual
    history of every group, 3 some are unknown.
    """
    from kassay.api.fleet import ASSIGNORS, fleet
    from kassay.cli.pages import write_page, write_table
    from kassay.report.screen.campaign import fleet_terminal
    from kassay.report.screen.console import console

    screen = console(stderr=True)
    named = [spec for text in targets for spec in listed(text)]
    if targets and not named:
        raise InputError(f"--to {' '.join(targets)!r}: expected at least one")
    with resumable(out):
        result = fleet(
            *paths,
            to=named or ASSIGNORS,
            out=out,
            config=pairs(configs, "--config"),
            progress=lambda _, words="": screen.say(words),
        )
    if "://" not in out:
        write_page(result.page(), Path(out), "report.html")
        write_table(result, Path(out), "report")
    present(result.to_json(), lambda: fleet_terminal(result.document), json_path)
    return result.exit_code
