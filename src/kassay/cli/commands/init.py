"""Write an example assignor with its test, and a workflow for CI."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli.options import FilePath, say
from kassay.model.errors import InputError

PLACE = 700

EXAMPLE = {"my_assignor.py": "my_assignor.py.txt", "tests/test_assignor.py": "test_assignor.py.txt"}
GITHUB = {".github/workflows/kassay.yml": "kassay.yml.txt"}
"""The paths of the files to write, and their templates."""


@click.command("init", epilog="Example: kassay init --github")
@click.argument("folder", metavar="[DIR]", default=".", type=FilePath())
@click.option("--github", is_flag=True, help="Also write .github/workflows/kassay.yml for GitHub Actions.")
def command(folder: Path, github: bool) -> int:
    """Write an example assignor and its test into DIR; both run unchanged.

    Nothing is written if one of the files exists.
    """
    from kassay.reading.documents import is_file, is_there
    from kassay.writing.files import write_text

    templates = EXAMPLE | (GITHUB if github else {})
    for each in (folder, *folder.parents):
        if is_file(each):
            raise InputError(f"{folder}: cannot be written: {each} is a file, expected a folder")
    paths = [folder / name for name in templates]
    for path in paths:
        if is_there(path):
            raise InputError(f"{path}: is there already, expected none")
    for path, template in zip(paths, templates.values(), strict=True):
        write_text(_text(template), str(path))
    for line in (*(f"written: {path}" for path in paths), "", f"Next: {_next(folder)}"):
        say(line)
    return 0


def _text(template: str) -> str:
    """The template, with the current version of kassay."""
    from importlib.resources import files

    from kassay import __version__

    text = files("kassay.cli").joinpath("templates", template).read_text(encoding="utf-8")
    return text.replace("@VERSION@", __version__)


def _next(folder: Path) -> str:
    from kassay.writing.text import shell_command

    return shell_command(("kassay", "certify", str(folder / "my_assignor.py"), "--histories", "1000"))
