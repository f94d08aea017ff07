"""Replay a fleet's rebalances on Spark: generate, replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kassay.cli import completing
from kassay.cli.options import FilePath, json_option, present, seed_option, written_folder
from kassay.cli.spark import Subcommands, spark_options, started
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.reading.specs import listed

PLACE = 610


@click.group("fleet", cls=Subcommands, epilog="Example: kassay fleet replay snapshots/ --out results")
def command() -> None:
    """Replay a fleet's rebalances with other assignors and with the certified optimum."""


@command.command(
    "generate", epilog="Example: kassay fleet generate --groups 200 --snapshots 50 --out snapshots"
)
@click.option(
    "--groups", type=click.IntRange(min=1), default=200, show_default=True, help="Generate this many groups."
)
@click.option(
    "--snapshots",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Generate this many snapshots of each group.",
)
@click.option(
    "--out",
    required=True,
    callback=written_folder,
    help="Write to this new folder, or to hdfs://, s3a://, ...",
)
@spark_options()
@seed_option
def generate_command(groups: int, snapshots: int, out: str, seed: int, **chosen: Any) -> int:
    """Write synthetic snapshots in the formats of kafka-consumer-groups, with sizes from cited shapes."""
    from kassay.pipeline.fleet.generate import FleetSpec, texts
    from kassay.pipeline.spark import slots, translated_errors
    from kassay.reading.documents import is_folder, is_there
    from kassay.report.screen.console import console

    if "://" not in out and is_there(out) and not (is_folder(out) and not any(Path(out).iterdir())):
        raise InputError(f"{out}: not empty, expected a new folder")
    with started(chosen, "kassay fleet generate") as spark, translated_errors(out):
        snapshot_texts = texts(spark, FleetSpec(groups, snapshots, seed), 4 * slots(spark))
        snapshot_texts.coalesce(slots(spark)).write.partitionBy("at").text(_address(out))
    console(stderr=True).say(f"{groups} groups, {snapshots} snapshots each, seed {seed}: {out}")
    return 0


@command.command("replay", epilog="Example: kassay fleet replay snapshots/ --out results --assignors sticky")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--out",
    default=".kassay/fleet",
    show_default=True,
    callback=written_folder,
    help="Write the tables to this folder.",
)
@click.option(
    "--assignors",
    multiple=True,
    default=("range,sticky,cooperative-sticky,optimal-sticky",),
    shell_complete=completing.targets,
    show_default=True,
    help="Compare these assignors; repeatable. Put mixed:A,B last.",
)
@click.option("--subscriptions", type=FilePath(), help="Read members' subscriptions from JSON lines.")
@spark_options()
@json_option
def replay_command(
    paths: Sequence[str],
    out: str,
    assignors: Sequence[str],
    subscriptions: Path | None,
    json_path: str | None,
    **chosen: Any,
) -> int:
    """Read snapshots of consumer groups from PATHs: files and folders of text, JSON lines or Parquet.

    Exit codes: 0 every candidate was compared with the actual history of every group, 3 some are unknown.
    """
    from kassay.certify.targets.resolve import resolve
    from kassay.pipeline.fleet.fleet import exit_code, replay_fleet
    from kassay.pipeline.fleet.snapshots import must_exist, read_subscriptions
    from kassay.pipeline.spark import translated_errors
    from kassay.report.screen.campaign import fleet_terminal

    must_exist(paths)
    specs = [spec for text in assignors for spec in listed(text)]
    if not specs:
        raise InputError(f"--assignors {' '.join(assignors)!r}: expected at least one")
    targets = [resolve(spec) for spec in dict.fromkeys(specs)]
    for target in targets:
        if target.kind not in CONSUMER_GROUPS:
            raise InputError(f"{target.spec}: of kind {target.kind}, expected an assignor of consumer groups")
    known = read_subscriptions(subscriptions) if subscriptions else {}
    with started(chosen, "kassay fleet replay") as spark, translated_errors(out):
        summary = replay_fleet(spark, paths, _address(out), targets, known)
    _write_page(summary, out)
    present(summary, lambda: fleet_terminal(summary), json_path)
    return exit_code(summary, str(paths[0]) if len(paths) == 1 else f"{len(paths)} paths")


def _write_page(summary: Mapping[str, Any], out: str) -> None:
    """Write the page next to the tables, if they are in a local folder."""
    if "://" not in out:
        from kassay.cli.pages import write_page
        from kassay.report.pages.fleet import render

        write_page(render(summary), Path(out), "report.html")


def _address(place: str) -> str:
    return place if "://" in place else f"file://{Path(place).resolve()}"
