"""HTML pages that commands write in addition to their output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kassay.cli.options import typed_again
from kassay.report.screen.console import console
from kassay.writing.files import write_text

if TYPE_CHECKING:
    from kassay.report.blocks import Described


def write_described(described: Described, out: Path | None, name: str) -> None:
    """Write the page of a described result if `--out` was given; raises `InputError` if that fails."""
    from kassay.report.pages.blocks import render
    from kassay.writing.text import shell_command

    context = click.get_current_context()
    given = context.get_parameter_source("out") is not click.core.ParameterSource.DEFAULT
    if out is not None and given:
        seeded = "seed" in context.params
        again = typed_again(context) if seeded else shell_command(["kassay", *context.find_root().obj])
        write_page(render(described, again), out, name)


def write_page(text: str, out: Path, name: str) -> None:
    """Write the page into the folder and print its path; raises `InputError` if it cannot be written."""
    path = str(out / name)
    write_text(text, path)
    console(stderr=True).say(f"report: {path}")
