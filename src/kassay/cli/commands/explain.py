"""Explain a claim, a trace or an assignor in words and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kassay.cli import completing
from kassay.cli.common import against_option, json_option
from kassay.cli.options import present

if TYPE_CHECKING:
    from kassay.api.explain import Explained
    from kassay.report.screen.console import View

PLACE = 200


@click.command("explain", epilog="Example: kassay explain sticky")
@click.argument("what", metavar="CLAIM|TRACE|RULE|NAME", shell_complete=completing.explained)
@against_option
@json_option
def command(what: str, against: str | None, json_path: str | None) -> int:
    """Explain a claim with its source, a trace step by step, or an assignor with numbers from a run.

    A NAME is anything else that `kassay list` lists, e.g. kip848.

    `kassay explain uniform --against 4.0.0` shows by example what an upgrade from that release changes.
    """
    from kassay.api.explain import explain

    result = explain(what, against=against)
    present(result.to_json(), lambda: _view(result), json_path)
    return 0


def _view(result: Explained) -> View:
    from kassay.engines.diff.upgrade import Upgrade
    from kassay.engines.listing import ListedItem
    from kassay.report.screen.differences import upgrade_view
    from kassay.report.screen.explaining import explanation_view, row_view

    match result.explanation:
        case Upgrade() as changes:
            return upgrade_view(changes)
        case ListedItem(_, row):
            return row_view(row)
        case explanation:
            return explanation_view(explanation)
