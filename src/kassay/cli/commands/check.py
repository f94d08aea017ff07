"""Check certificates of optima without loading the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import json_option
from kassay.cli.options import JsonLines, say
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.solver.check.check import Checked
    from kassay.solver.check.shapes import Posed

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
    from kassay.reading.documents import at, documents, no_collection
    from kassay.reading.others import also_is
    from kassay.solver.check.check import Outcome, check_certificate

    outcomes = set()
    with no_collection(), JsonLines(json_path) as lines:
        located = documents(certificate)
        own = [None] * len(located) if instance is None else _posed(instance, len(located))
        for each, posed in zip(located, own, strict=True):
            with at(each.where):
                try:
                    checked = check_certificate(each.document, posed)
                except InputError as error:
                    raise InputError(f"{error}{also_is(each.document)}") from None
            outcomes.add(checked.outcome)
            document = checked.to_json()
            lines.write(document)
            if json_path != "-":
                say(_line(checked, document["instance"]))
    if Outcome.REFUSED in outcomes:
        return 1
    return 0 if outcomes == {Outcome.ACCEPTED} else 3


def _posed(path: str, certificates: int) -> list[Posed]:
    """The instances of a file: one for each certificate, or a single one for all."""
    from kassay.reading.documents import at, documents
    from kassay.solver.check.check import pose

    instances = []
    for each in documents(path):
        with at(each.where):
            instances.append(pose(each.document))
    if len(instances) not in (1, certificates):
        raise InputError(
            f"{path}: found {len(instances)} instances for {certificates} certificates, "
            "expected one, or one for each"
        )
    return instances * (certificates if len(instances) == 1 else 1)


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
