"""Check golden vectors of Kafka's own outputs."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli.common import instead_option, json_option
from kassay.cli.options import FilePath, present

PLACE = 130


@click.command("vectors", epilog="Example: kassay vectors tests/data/vectors")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FilePath())
@instead_option
@json_option
def command(paths: tuple[Path, ...], target: str | None, json_path: str | None) -> int:
    """Check the vectors in PATH (files or folders, .json or .json.gz) against the references.

    With --target only the sets are compared, not the order inside lists.
    """
    from kassay.api.vectors import vectors
    from kassay.report.checked import vector_blocks
    from kassay.report.screen.blocks import blocks_view
    from kassay.report.screen.console import bar

    with bar("checking") as tell:
        result = vectors(*paths, target=target, progress=tell)
    present(result.to_json(), lambda: blocks_view(vector_blocks(result.files)), json_path)
    if result.failed:
        return 1
    return 3 if result.unknown else 0
