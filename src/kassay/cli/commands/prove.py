"""Prove claims about formulas for all sizes, or show the smallest counterexample."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli import completing
from kassay.cli.common import json_option, out_option, time_option
from kassay.cli.options import FilePath, present

PLACE = 440


@click.command("prove", epilog="Example: kassay prove ceil-range-even abs")
@click.argument("names", nargs=-1, metavar="[NAME...]", shell_complete=completing.proof)
@time_option("20s")
@out_option(None, FilePath())
@json_option
def command(names: tuple[str, ...], seconds: float, out: Path | None, json_path: str | None) -> int:
    """Prove the claims of these NAMEs (kassay list proofs), or all, with Z3.

    A claim known to be false must be refuted, and is shown with its smallest counterexample. Exit codes: 0
    every result is as expected, 1 one is not, 3 one is unknown.
    """
    from kassay.cli.pages import write_described
    from kassay.report.described import proofs_described
    from kassay.report.screen.console import bar
    from kassay.report.screen.gaps import proof_view
    from kassay.solver.proofs.obligation import ProofVerdict
    from kassay.solver.proofs.prove import chosen, proofs

    results = []
    with bar("proving", len(chosen(names))) as tell:
        for proof in proofs(names, seconds):
            results.append(proof)
            tell(len(results))
    documents = [proof.document() | {"as_expected": proof.as_expected} for proof in results]
    present({"schema": "kassay/proofs/1", "proofs": documents}, lambda: proof_view(results), json_path)
    write_described(proofs_described(results), out, "prove.html")
    verdicts = {proof.verdict for proof in results if not proof.as_expected}
    if verdicts - {ProofVerdict.UNKNOWN}:
        return 1
    return 3 if verdicts else 0
