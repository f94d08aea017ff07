"""HTML pages that commands write in addition to their output."""

from __future__ import annotations

from pathlib import Path

from kassay.report.screen.console import console
from kassay.writing.files import write_text


def write_page(text: str, out: Path, name: str) -> None:
    """Write the page into the folder and print its path; raises `InputError` if it cannot be written."""
    path = str(out / name)
    write_text(text, path)
    console(stderr=True).say(f"report: {path}")
