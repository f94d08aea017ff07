"""Compare the coordinator model with Kafka's own coordinator, step by step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kassay.cli.options import Duration, FilePath, commas, json_option, present, seed_option

if TYPE_CHECKING:
    from kassay.certify.conform.run import ConformCause

PLACE = 560
SECONDS = 60.0


def write_scripts(folder: Path, causes: Iterable[ConformCause]) -> None:
    """Write each cause as a script, by a name made of its cause."""
    from kassay.writing.files import write_text

    folder.mkdir(parents=True, exist_ok=True)
    for cause in causes:
        name = "-".join(re.findall(r"[\w.*]+", cause.cause)).replace("*", "x")
        write_text(cause.toml, str(folder / f"{name}.toml"))


@click.command("conform", epilog="Example: kassay conform --fetch --time 60s")
@click.option("--release", default="4.4.0", show_default=True, help="Set the release of Kafka.")
@click.option("--steps", type=click.IntRange(1), help="Stop after this many compared steps.")
@click.option("--time", "seconds", type=Duration(), help="Stop after this time.  [default: 60s]")
@click.option("--kinds", metavar="KIND,...", help="Play only these kinds of histories.  [default: all]")
@click.option(
    "--runtime", metavar="NAME", default="kassay", help="Set the runtime: kassay or kafka.  [default: kassay]"
)
@click.option("--kafka-home", type=FilePath(), metavar="DIR", help="Use the jars of this distribution.")
@click.option("--fetch", is_flag=True, help="Download missing jars through Maven, once.")
@click.option(
    "--scripts", type=FilePath(), metavar="DIR", help="Write each cause as a script for kassay play."
)
@seed_option
@json_option
def command(
    release: str,
    steps: int | None,
    seconds: float | None,
    kinds: str | None,
    runtime: str,
    kafka_home: Path | None,
    fetch: bool,
    scripts: Path | None,
    seed: int,
    json_path: str | None,
) -> int:
    """Play random histories on Kafka's own coordinator and on kassay's model, and compare every step.

    Exits with 1 if the model differs from Kafka, or if Kafka breaks an invariant in a way that is not known.
    """
    from kassay.certify.conform.run import ConformSettings, conform
    from kassay.certify.genuine.jars import coordinator_jars
    from kassay.report.screen.conformance import conform_view
    from kassay.report.screen.console import bar

    until = SECONDS if seconds is None and steps is None else seconds
    settings = ConformSettings(release, steps, until, seed, commas(kinds, "--kinds") or (), runtime)
    jars = coordinator_jars(release, home=kafka_home, fetch=fetch)
    with bar("comparing", settings.steps) as progress:
        result = conform(settings, jars, progress=progress)
    if scripts is not None:
        write_scripts(scripts, [*result.differences, *result.broken])
    present(result.to_json(), lambda: conform_view(result), json_path)
    return 0 if result.holds else 1
