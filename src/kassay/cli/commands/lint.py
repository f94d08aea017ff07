"""Find what is wrong with settings and reassignments before anything runs."""

from __future__ import annotations

import click

from kassay.cli import completing
from kassay.cli.common import client_option, json_option, release_option
from kassay.cli.options import present

PLACE = 325


@click.command("lint", epilog="Example: kassay lint consumer.properties server.properties --release 4.3")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=completing.file)
@client_option
@release_option(None)
@json_option
def command(files: tuple[str, ...], library: str | None, release: str | None, json_path: str | None) -> int:
    """Check the FILEs: settings of clients, Streams applications and brokers, and reassignments.

    Its content says what a file is. Files are compared with each other: clients with brokers, a reassignment
    with the output of kafka-topics --describe. Each finding has the outcome, the releases in which it holds
    and its source. Exit codes: 0 no errors, 1 errors, 2 unreadable input.
    """
    from kassay.api.lint import lint
    from kassay.report.screen.linting import lint_report_view

    result = lint(*files, library=library, release=release)
    present(result.to_json(), lambda: lint_report_view(result.report), json_path)
    return 1 if result.errors else 0
