"""Explain a claim, a trace or an assignor in words and numbers."""

from __future__ import annotations

from typing import Any, Final

import click

from kassay.cli import completing
from kassay.cli.common import against_option, json_option
from kassay.cli.options import present

PLACE = 200

_BRIEF: Final = ("models", "switches", "invariants", "situations", "suites", "proofs", "assumptions", "kinds")
"""Lists whose items have no more to explain than their row."""


@click.command("explain", epilog="Example: kassay explain sticky")
@click.argument("what", metavar="CLAIM|TRACE|RULE|NAME", shell_complete=completing.explained)
@against_option
@json_option
def command(what: str, against: str | None, json_path: str | None) -> int:
    """Explain a claim with its source, a trace step by step, or an assignor with numbers from a run.

    A NAME is anything else that `kassay list` lists, e.g. kip848.

    `kassay explain uniform --against 4.0.0` shows by example what an upgrade from that release changes.
    """
    from kassay.engines.diff.upgrade import upgrade
    from kassay.engines.explain import explain
    from kassay.model.protocols.values.releases import require_released
    from kassay.report.screen.differences import upgrade_view
    from kassay.report.screen.explaining import explanation_view, row_view

    if against is not None:
        require_released(against, "--against")
        changes = upgrade(what, against)
        present(changes.to_json(), lambda: upgrade_view(changes), json_path)
        return 0

    if (listed := _listed(what)) is not None:
        thing, row = listed
        document = {"schema": "kassay/list/3", "thing": thing, "items": [row]}
        present(document, lambda: row_view(row), json_path)
        return 0
    explanation = explain(what)
    present(explanation.to_json(), lambda: explanation_view(explanation), json_path)
    return 0


def _listed(what: str) -> tuple[str, dict[str, Any]] | None:
    """The list that has an item of this name which is neither a claim nor a rule, and its row there."""
    from kassay.assignors import registry
    from kassay.cli.commands.list import THINGS
    from kassay.properties.registry import load_claims
    from kassay.reading.documents import is_there

    if is_there(what):
        return None
    if registry.find(what) is not None or any(name == what.partition(":")[0] for _, name in load_claims()):
        return None
    rows = ((thing, row) for thing in _BRIEF for row in THINGS[thing]())
    return next(
        ((thing, row) for thing, row in rows if what in (next(iter(row.values())), row.get("id"))), None
    )
