"""Run millions of histories on Spark: run, findings."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import config_option, json_option, out_option
from kassay.cli.options import FilePath, present
from kassay.cli.spark import Subcommands, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from kassay.pipeline.campaign.findings import KeptFinding
    from kassay.pipeline.campaign.records import Campaign
    from kassay.pipeline.store import Store

PLACE = 600


@click.group(
    "campaign",
    cls=Subcommands,
    epilog="Example: kassay campaign run examples/campaign.toml --out results",
)
def command() -> None:
    """Run a campaign on Spark: every target, every shape, millions of histories, tables in Parquet."""


@command.command("run", epilog="Example: kassay campaign run examples/campaign.toml --out results")
@click.argument("spec", metavar="SPEC|FOLDER", shell_complete=completing.file)
@out_option(".kassay/campaign")
@config_option
@json_option
def run_command(spec: str, out: str, **chosen: Any) -> int:
    """Run the campaign of the TOML file SPEC, or resume the one in FOLDER, and print the results.

    Every history counts exactly once. SPEC resumes too if its --out folder has begun. Both FOLDER and --out
    may be hdfs://, s3a://, ...; --config spark.master=local[4] (or spark://HOST:PORT, yarn, k8s://URL)
    chooses where Spark works.
    """
    from kassay.pipeline.campaign.records import create, reopen
    from kassay.pipeline.campaign.spec import read_spec
    from kassay.reading.documents import is_folder

    if "://" in spec or is_folder(spec):
        _require_begun(spec)
        return _work(spec, chosen, reopen)
    campaign_spec = read_spec(FilePath().convert(spec, None, None))
    return _work(out, chosen, lambda store: create(campaign_spec, store))


@command.command("findings", epilog="Example: kassay campaign findings results single-owner --out traces")
@click.argument("folder")
@click.argument("names", nargs=-1, metavar="[CLAIM|TARGET...]", shell_complete=completing.explained)
@out_option(None, FilePath())
@config_option
@json_option
def findings_command(folder: str, names: tuple[str, ...], out: Path | None, **chosen: Any) -> int:
    """List the findings of the campaign in FOLDER, or those of these claims and targets.

    --out writes the trace of each for `kassay replay` and `explain`. A local folder is read without Spark.
    """
    from kassay.pipeline.campaign import findings
    from kassay.report.screen.campaign import findings_view

    every = _kept(folder, chosen)
    some = findings.chosen(every, names)
    paths = list(findings.save_traces(some, out)) if out else []
    saved: list[str | None] = [*paths] if out else [None] * len(some)
    rows = [{**one.to_json(), "saved": path} for one, path in zip(some, saved, strict=True)]
    document = {"schema": findings.KEPT_SCHEMA, "campaign": folder, "total": len(every), "findings": rows}
    present(document, lambda: findings_view(rows, len(every), paths), chosen["json_path"])
    return 0


def _kept(folder: str, chosen: Mapping[str, Any]) -> list[KeptFinding]:
    """The findings of the campaign in the folder; starts Spark only for locations that need it."""
    from kassay.pipeline.campaign.findings import read_findings
    from kassay.pipeline.spark import translated_errors
    from kassay.pipeline.store import Local, open_store

    if "://" not in folder:
        return read_findings(Local(Path(folder)))
    with started(chosen["configs"], "kassay campaign findings") as spark, translated_errors(folder):
        return read_findings(open_store(folder, spark), spark)


def _require_begun(folder: str) -> None:
    """Raises InputError for a local folder without a campaign, before a lock would create the folder."""
    from kassay.pipeline.campaign.records import header_of
    from kassay.pipeline.store import Local

    if "://" not in folder:
        header_of(Local(Path(folder)))


def _work(place: str, chosen: Mapping[str, Any], opening: Callable[[Store], Campaign]) -> int:
    """Open the campaign, verify its tables, play the rest, and print the results."""
    from kassay.cli.progress import ProgressLines
    from kassay.pipeline.campaign.runner import carry_on, verify
    from kassay.report.screen.console import console

    screen = console(stderr=True)
    with _opened(place, chosen, opening) as (spark, campaign):
        if bad := verify(spark, campaign):
            screen.say(f"damaged, to be played again: batch {', '.join(map(str, bad))}")
        lines = ProgressLines(screen)
        carry_on(spark, campaign, lines.progress, lines.tick)
        return _tell(spark, campaign, chosen["json_path"])


@contextmanager
def _opened(
    place: str, chosen: Mapping[str, Any], opening: Callable[[Store], Campaign]
) -> Iterator[tuple[SparkSession, Campaign]]:
    """A session and the campaign in the location, under an exclusive lock.

    A local location is checked before Spark starts, to report its errors without a delay of half a minute.
    """
    from kassay.pipeline.spark import CAMPAIGN_HEAP
    from kassay.pipeline.store import Local, open_store

    if "://" not in place:
        local = Local(Path(place))
        with local.locked():
            opening(local)
    with started(chosen["configs"], "kassay campaign", CAMPAIGN_HEAP) as spark:
        store = open_store(place, spark)
        with store.locked():
            yield spark, opening(store)


def _tell(spark: SparkSession, campaign: Campaign, json_path: str | None) -> int:
    """Print and write the results; returns the exit code."""
    from kassay.pipeline.campaign.study import finish
    from kassay.report.pages.campaign import render
    from kassay.report.screen.campaign import campaign_terminal
    from kassay.report.screen.console import console
    from kassay.writing.files import write_text

    outcome = finish(spark, campaign)
    document = outcome.to_json(campaign.spec)
    if "://" not in campaign.store.place:
        path = Path(campaign.store.place) / "report.html"
        traces = [row["trace"] for row in outcome.findings]
        write_text(render(document, traces, campaign.store.place), str(path))
        console(stderr=True).say(f"report: {path}")
    present(document, lambda: campaign_terminal(document), json_path)
    return outcome.exit_code
