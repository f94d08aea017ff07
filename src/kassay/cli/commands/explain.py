"""Tell a claim, a trace or a rule in words and numbers."""

from __future__ import annotations

import click

from kassay.cli.options import json_option, present

PLACE = 30


@click.command("explain", epilog="Example: kassay explain sticky")
@click.argument("what", metavar="CLAIM|TRACE|RULE")
@json_option
def command(what: str, json_path: str | None) -> int:
    """Tell a claim in words with its source, a trace step by step, or a rule with numbers from a run."""
    from kassay.certify.explain import explain
    from kassay.report.screen.explaining import explanation_view

    document = explain(what)
    present(document, lambda: explanation_view(document), json_path)
    return 0
