"""Break each rule of the protocol models in turn, and see that it is found."""

from __future__ import annotations

import click

from kassay.cli import completing
from kassay.cli.options import json_option, present
from kassay.model.errors import InputError

PLACE = 510


@click.command("switches", epilog="Example: kassay switches zookeeper")
@click.argument("model", required=False, shell_complete=completing.model)
@json_option
def command(model: str | None, json_path: str | None) -> int:
    """Break each rule of MODEL in turn (all models unless told), and see that `explore` finds it.

    Every switch is walked at its bound, then all are off. Exits with 0 only if each is found by what it is to
    be found by, and the models are clean without them. All of them take about a minute.
    """
    from kassay.certify.protocols.switch_runs import names_of, rows
    from kassay.certify.protocols.switches import SWITCHES
    from kassay.report.screen.console import bar
    from kassay.report.screen.switches import rows_json, switches_view

    models = tuple(dict.fromkeys(switch.model for switch in SWITCHES.values()))
    if model is not None and model not in models:
        raise InputError(f"no switches for model {model!r}; expected one of {', '.join(models)}")
    with bar("walking", len(names_of(model))) as progress:
        walked = rows(model, progress)
    present(rows_json(walked), lambda: switches_view(walked), json_path)
    return 0 if all(row.holds for row in walked) else 1
