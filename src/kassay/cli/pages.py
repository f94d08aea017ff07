"""HTML pages that commands write in addition to their output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kassay.cli.options import typed_again
from kassay.report.screen.console import console
from kassay.writing.files import write_text
from kassay.writing.tables import csv_text

if TYPE_CHECKING:
    from kassay.report.result import Result


def write_result(result: Result, out: Path | None, name: str) -> None:
    """Write the page of a result, its table and its plots, if `--out` was given; raises `InputError`."""
    if (again := _again()) is not None and out is not None:
        write_page(result.page(again), out, name)
        write_table(result, out, name.removesuffix(".html"))


def write_table(result: Result, out: Path, name: str) -> None:
    """Write the rows of a result as CSV, and its plots as SVG; raises `InputError`."""
    from kassay.report.result import PlottedResult

    write_text(csv_text(result.rows()), str(out / f"{name}.csv"))
    for plot, drawn in result.plots().items() if isinstance(result, PlottedResult) else ():
        write_text(drawn.svg, str(out / f"{name}-{plot}.svg"))


def _again() -> str | None:
    """The command that reproduces this run, with its seed; None unless `--out` was given."""
    from kassay.writing.text import shell_command

    context = click.get_current_context()
    if context.get_parameter_source("out") is click.core.ParameterSource.DEFAULT:
        return None
    seeded = "seed" in context.params
    return typed_again(context) if seeded else shell_command(["kassay", *context.find_root().obj])


def write_page(text: str, out: Path, name: str) -> None:
    """Write the page into the folder and print its path; raises `InputError` if it cannot be written."""
    path = str(out / name)
    write_text(text, path)
    console(stderr=True).say(f"report: {path}")
