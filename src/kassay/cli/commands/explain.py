"""Explain a claim, a trace or an assignor in words and numbers."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli import completing
from kassay.cli.options import as_option, json_option, paste, present
from kassay.model.errors import InputError

PLACE = 200


@click.command("explain", epilog="Example: kassay explain sticky")
@click.argument("what", metavar="CLAIM|TRACE|RULE", shell_complete=completing.explained)
@click.option("--since", metavar="RELEASE", help="Show what changed since this Kafka release, e.g. 4.0.0.")
@as_option
@json_option
def command(what: str, since: str | None, language: str | None, json_path: str | None) -> int:
    """Explain a claim with its source, a trace step by step, or an assignor with numbers from a run.

    `kassay explain uniform --since 4.0.0` shows by example what an upgrade from that release changes.
    """
    from kassay.certify.diff.upgrade import upgrade
    from kassay.certify.explain import as_python, explain
    from kassay.report.screen.differences import upgrade_view
    from kassay.report.screen.explaining import explanation_view

    if language is not None:
        if since is not None or json_path is not None:
            raise InputError("--as prints the call alone, expected neither --since nor --json")
        paste(as_python(Path(what)))
        return 0
    if since is not None:
        changes = upgrade(what, since)
        present(changes.to_json(), lambda: upgrade_view(changes), json_path)
        return 0

    explanation = explain(what)
    present(explanation.to_json(), lambda: explanation_view(explanation), json_path)
    return 0
