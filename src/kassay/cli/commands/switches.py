"""Break each rule of the protocol models, one at a time, and verify that it is detected."""

from __future__ import annotations

import click

from kassay.cli import completing
from kassay.cli.options import json_option, present
from kassay.model.errors import InputError

PLACE = 510


@click.command("switches", epilog="Example: kassay switches zookeeper")
@click.argument("model", required=False, shell_complete=completing.model)
@click.option(
    "--release",
    default="4.4.0",
    show_default=True,
    help="Set the Kafka release of the brokers, such as 4.2.1.",
)
@json_option
def command(model: str | None, release: str, json_path: str | None) -> int:
    """Break each rule of MODEL (default: all models), and verify that `explore` detects it.

    Each switch is explored at its bound, then the model without switches. Exits with 0 only if the expected
    check detects each and the models are clean without switches, apart from violations that the rules of an
    older --release cause by themselves. All models take about a minute.
    """
    from kassay.certify.protocols.switch_runs import names_of, rows
    from kassay.certify.protocols.switches import SWITCHES
    from kassay.model.protocols.values.releases import RELEASES
    from kassay.reading.documents import one_of
    from kassay.report.screen.console import bar
    from kassay.report.screen.exploration import rows_json, switches_view

    models = tuple(dict.fromkeys(switch.model for switch in SWITCHES.values()))
    if model is not None and model not in models:
        raise InputError(f"no switches for model {model!r}; expected {one_of(models, model)}")
    if release not in RELEASES:
        raise InputError(f"--release: unknown release {release!r}; expected {one_of(RELEASES, release)}")
    names = names_of(model, release)
    if not names:
        raise InputError(f"--release: {model} is older than {release}; expected another model")
    with bar("walking", len(names)) as progress:
        walked = rows(model, progress, release)
    present(rows_json(walked), lambda: switches_view(walked), json_path)
    return 0 if all(row.holds for row in walked) else 1
