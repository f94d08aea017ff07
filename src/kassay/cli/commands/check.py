"""Check certificates of optima, with nothing of the solver loaded."""

from __future__ import annotations

import click

from kassay.cli.options import JsonLines, json_option, no_seed_option

PLACE = 90


@click.command("check", epilog="Example: kassay optimum --suite small --json - | kassay check -")
@click.argument("certificate", metavar="CERTIFICATE")
@no_seed_option
@json_option
def command(certificate: str, json_path: str | None) -> int:
    """Check each CERTIFICATE: a file, or `-`, with certificates or results of `kassay optimum`.

    Nothing of the solver is loaded. Exit codes: 0 all accepted, 1 one is refused, 2 unreadable,
    3 a result carries no certificate.
    """
    from kassay.certify.optimum.instances import at, documents
    from kassay.solver.check.check import check_certificate

    checked = []
    with JsonLines(json_path) as lines:
        for each in documents(certificate):
            with at(each.where):
                outcome = check_certificate(each.document)
            checked.append(outcome.accepted)
            lines.write(outcome.to_json())
            if json_path != "-":
                click.echo(f"{outcome.name}: {outcome.to_json()['verdict']}: {outcome.reason}")
    if False in checked:
        return 1
    return 3 if None in checked else 0
