"""Explain a claim, a trace or an assignor in words and numbers."""

from __future__ import annotations

import click

from kassay.cli import completing
from kassay.cli.common import against_option, json_option, require_released
from kassay.cli.options import present

PLACE = 200


@click.command("explain", epilog="Example: kassay explain sticky")
@click.argument("what", metavar="CLAIM|TRACE|RULE", shell_complete=completing.explained)
@against_option
@json_option
def command(what: str, against: str | None, json_path: str | None) -> int:
    """Explain a claim with its source, a trace step by step, or an assignor with numbers from a run.

    `kassay explain uniform --against 4.0.0` shows by example what an upgrade from that release changes.
    """
    from kassay.certify.diff.upgrade import upgrade
    from kassay.certify.explain import explain
    from kassay.report.screen.differences import upgrade_view
    from kassay.report.screen.explaining import explanation_view

    if against is not None:
        require_released(against, "--against")
        changes = upgrade(what, against)
        present(changes.to_json(), lambda: upgrade_view(changes), json_path)
        return 0

    explanation = explain(what)
    present(explanation.to_json(), lambda: explanation_view(explanation), json_path)
    return 0
