"""Checked certificates, described for a page and a notebook without the solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kassay.report.blocks import BreakBlock, Described, TextBlock, VerdictBlock
from kassay.solver.check.check import Checked, Outcome

_LOOKS: Final = {Outcome.ACCEPTED: "ok", Outcome.REFUSED: "bad"}


def checks_described(checked: Sequence[Checked]) -> Described:
    """The verdict on each certificate, with the question that it answers."""
    return Described(
        "check of certificates",
        tuple(
            (
                VerdictBlock(
                    each.outcome.value.capitalize(), _LOOKS.get(each.outcome, "warn"), each.name, each.reason
                ),
                *(() if each.question is None else (TextBlock(each.question.sentence, name="question"),)),
                *(() if each.posed is None else (TextBlock(each.posed.size, name="instance"),)),
                BreakBlock(),
            )
            for each in checked
        ),
    )
