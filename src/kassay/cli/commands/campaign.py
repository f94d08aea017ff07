"""Run millions of histories on Spark: run, findings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import config_option, json_option, out_option
from kassay.cli.options import FilePath, pairs, present
from kassay.cli.spark import Subcommands, resumable, started

if TYPE_CHECKING:
    from kassay.pipeline.campaign.findings import KeptFinding

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
@click.option("--format", type=click.Choice(["parquet", "delta"]), help="Write the tables in this format.")
@config_option
@json_option
def run_command(spec: str, out: str, **chosen: Any) -> int:
    """Run the campaign of the TOML file SPEC, or resume the one in FOLDER, and print the results.

    Every history counts exactly once. SPEC resumes too if its --out folder has begun. Both FOLDER and --out
    may be hdfs://, s3a://, ...; --config spark.master=local[4] (or spark://HOST:PORT, yarn, k8s://URL)
    chooses where Spark works. --format delta needs Delta Lake; a new campaign writes Parquet without it.
    """
    from kassay.api.campaign import campaign
    from kassay.cli.pages import write_page, write_table
    from kassay.reading.documents import is_folder
    from kassay.report.screen.campaign import campaign_terminal
    from kassay.report.screen.console import console

    is_begun = "://" in spec or is_folder(spec)
    screen = console(stderr=True)
    with resumable(spec if is_begun else out):
        result = campaign(
            spec if is_begun else FilePath().convert(spec, None, None),
            out=out,
            format=chosen["format"],
            config=pairs(chosen["configs"], "--config"),
            progress=lambda _, words="": screen.say(words),
        )
    if "://" not in result.place:
        write_page(result.page(), Path(result.place), "report.html")
        write_table(result, Path(result.place), "report")
    document = result.to_json()
    present(document, lambda: campaign_terminal(document), chosen["json_path"])
    return result.exit_code


@command.command("findings", epilog="Example: kassay campaign findings results single-owner --out traces")
@click.argument("folder")
@click.argument("names", nargs=-1, metavar="[CLAIM|TARGET...]", shell_complete=completing.explained)
@out_option(None, FilePath())
@json_option
def findings_command(folder: str, names: tuple[str, ...], out: Path | None, **chosen: Any) -> int:
    """List the findings of the campaign in FOLDER, or those of these claims and targets.

    --out writes the trace of each for `kassay replay` and `explain`. A local folder is read without Spark,
    any other with the settings of spark-defaults.conf.
    """
    from kassay.pipeline.campaign import findings
    from kassay.report.screen.campaign import findings_view

    every = _kept(folder)
    some = findings.chosen(every, names)
    paths = list(findings.save_traces(some, out)) if out else []
    saved: list[str | None] = [*paths] if out else [None] * len(some)
    rows = [{**one.to_json(), "saved": path} for one, path in zip(some, saved, strict=True)]
    document = {"schema": findings.KEPT_SCHEMA, "campaign": folder, "total": len(every), "findings": rows}
    present(document, lambda: findings_view(rows, len(every), paths), chosen["json_path"])
    return 0


def _kept(folder: str) -> list[KeptFinding]:
    """The findings of the campaign in the folder; starts Spark only for locations that need it."""
    from kassay.pipeline.campaign.findings import read_findings
    from kassay.pipeline.spark import translated_errors
    from kassay.pipeline.store import Local, open_store

    if "://" not in folder:
        return read_findings(Local(Path(folder)))
    with started((), "kassay campaign findings") as spark, translated_errors(folder):
        return read_findings(open_store(folder, spark), spark)
