"""Replay a fleet's rebalances with other assignors on Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kassay.cli import completing
from kassay.cli.common import config_option, json_option, out_option, to_option
from kassay.cli.options import present
from kassay.cli.spark import started
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.reading.specs import listed

PLACE = 610
ASSIGNORS = ("range", "sticky", "cooperative-sticky", "optimal-sticky")


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
    cooperative-sticky and the certified optimum are compared; `mixed:A,B` comes last. --config
    spark.master=M chooses where Spark works. Exit codes: 0 every candidate was compared with the actual
    history of every group, 3 some are unknown.
    """
    from kassay.engines.targets.resolve import resolve
    from kassay.pipeline.fleet.fleet import exit_code, replay_fleet
    from kassay.pipeline.fleet.snapshots import are_subscriptions, must_exist, read_subscriptions
    from kassay.pipeline.spark import translated_errors
    from kassay.report.screen.campaign import fleet_terminal

    must_exist(paths)
    specs = [spec for text in targets for spec in listed(text)] or ASSIGNORS
    if targets and specs is ASSIGNORS:
        raise InputError(f"--to {' '.join(targets)!r}: expected at least one")
    resolved = [resolve(spec) for spec in dict.fromkeys(specs)]
    for target in resolved:
        if target.kind not in CONSUMER_GROUPS:
            raise InputError(f"{target.spec}: of kind {target.kind}, expected an assignor of consumer groups")
    subscriptions = [path for path in paths if are_subscriptions(path)]
    known = {key: topics for path in subscriptions for key, topics in read_subscriptions(Path(path)).items()}
    paths = [path for path in paths if path not in subscriptions]
    if not paths:
        raise InputError("PATH: only subscriptions; expected snapshots of consumer groups as well")
    with started(configs, "kassay fleet") as spark, translated_errors(out):
        summary = replay_fleet(spark, paths, _address(out), resolved, known)
    code = exit_code(summary, str(paths[0]) if len(paths) == 1 else f"{len(paths)} paths")
    _write_page(summary, out)
    present(summary, lambda: fleet_terminal(summary), json_path)
    return code


def _write_page(summary: Mapping[str, Any], out: str) -> None:
    """Write the page next to the tables, if they are in a local folder."""
    if "://" not in out:
        from kassay.cli.pages import write_page
        from kassay.report.pages.fleet import render

        write_page(render(summary), Path(out), "report.html")


def _address(place: str) -> str:
    return place if "://" in place else f"file://{Path(place).resolve()}"
