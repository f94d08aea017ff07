"""Compare the coordinator model with Kafka's own coordinator, step by step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kassay.cli.common import (
    fetch_option,
    json_option,
    out_option,
    release_option,
    seed_option,
    time_option,
)
from kassay.cli.options import FilePath, Whole, present

if TYPE_CHECKING:
    from kassay.engines.conform.run import ConformCause

PLACE = 560


def write_scripts(folder: Path, causes: Iterable[ConformCause]) -> None:
    """Write each cause as a script, by a name made of its cause."""
    from kassay.writing.files import write_text

    folder.mkdir(parents=True, exist_ok=True)
    for cause in causes:
        name = "-".join(re.findall(r"[\w.*]+", cause.cause)).replace("*", "x")
        write_text(cause.toml, str(folder / f"{name}.toml"))


@click.command("conform", epilog="Example: kassay conform --fetch --time 60s")
@click.argument("kinds", nargs=-1, metavar="[KIND...]")
@release_option()
@click.option("--steps", type=Whole(1), metavar="N", help="Stop after this many steps.")
@time_option(shown="60s without --steps")
@click.option(
    "--runtime", metavar="NAME", default="kassay", show_default=True, help="Set the runtime: kassay or kafka."
)
@fetch_option
@out_option(None, FilePath())
@seed_option
@json_option
def command(
    kinds: tuple[str, ...],
    release: str,
    steps: int | None,
    seconds: float | None,
    runtime: str,
    fetch: bool,
    out: Path | None,
    seed: int,
    json_path: str | None,
) -> int:
    """Play random histories on Kafka's own coordinator and on kassay's model, and compare every step.

    KINDs of histories are classic, consumer, migration, regex and streams; all by default.

    --out writes each cause as a script for `kassay play`. Exits with 1 if the model differs from Kafka, or if
    Kafka breaks an invariant in a way that is not known.
    """
    from kassay.api.conform import conform
    from kassay.cli.pages import write_result
    from kassay.report.screen.blocks import described_view
    from kassay.report.screen.console import bar

    with bar("comparing", steps) as progress:
        result = conform(
            *kinds,
            release=release,
            steps=steps,
            seconds=seconds,
            runtime=runtime,
            seed=seed,
            fetch=fetch,
            progress=progress,
        )
    if out is not None:
        write_scripts(out, [*result.differences, *result.broken])
    present(result.to_json(), lambda: described_view(result.described()), json_path)
    write_result(result, out, "conform.html")
    return 0 if result.holds else 1
