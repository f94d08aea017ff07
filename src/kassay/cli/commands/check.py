"""Check certificates of optima without loading the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import json_option
from kassay.cli.options import JsonLines, say

if TYPE_CHECKING:
    from kassay.solver.check.check import Checked

PLACE = 410


@click.command("check", epilog="Example: kassay optimum small --json - | kassay check -")
@click.argument("certificate", metavar="CERTIFICATE", shell_complete=completing.file)
@click.argument("instance", metavar="[INSTANCE]", required=False, shell_complete=completing.file)
@json_option
def command(certificate: str, instance: str | None, json_path: str | None) -> int:
    """Check each CERTIFICATE: a file, or `-`, with certificates or results of `kassay optimum`.

    No part of the solver is loaded. The verdict names the question that a certificate answers: what was
    minimised, in which order, at which costs, within which tolerance or budget. A certificate refers to the
    instance inside it, identified by a digest and its size; with INSTANCE it must match that one (several
    certificates: one each). Exit codes: 0 all accepted, 1 one is refused, 2 unreadable, 3 one is accepted
    only on a prover's word, or a result has no certificate.
    """
    from kassay.api.check import checked
    from kassay.reading.documents import no_collection
    from kassay.solver.check.check import Outcome

    outcomes = set()
    with no_collection(), JsonLines(json_path) as lines:
        for each in checked(certificate, instance):
            outcomes.add(each.outcome)
            document = each.to_json()
            lines.write(document)
            if json_path != "-":
                say(_line(each, document["instance"]))
    if Outcome.REFUSED in outcomes:
        return 1
    return 0 if outcomes == {Outcome.ACCEPTED} else 3


def _line(checked: Checked, instance: dict[str, Any] | None) -> str:
    verdict = checked.outcome.value
    if checked.word_of is not None:
        verdict = f"accepted on the word of {checked.word_of}"
    about = ""
    if instance is not None:
        whose = "your instance" if checked.bound else "the instance"
        about = f" [{whose} {instance['digest'][:12]}: {instance['size']}]"
    question = "" if checked.question is None else f" [{checked.question.sentence}]"
    return f"{checked.name}: {verdict}: {checked.reason}{question}{about}"
