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
    from kassay.api.prove import prove
    from kassay.cli.pages import write_result
    from kassay.report.described import proofs_described
    from kassay.report.screen.blocks import described_view
    from kassay.report.screen.console import bar
    from kassay.solver.proofs.obligation import ProofVerdict
    from kassay.solver.proofs.prove import chosen

    with bar("proving", len(chosen(names))) as tell:
        result = prove(*names, seconds=seconds, progress=tell)
    present(result.to_json(), lambda: described_view(proofs_described(result.proofs)), json_path)
    write_result(result, out, "prove.html")
    verdicts = {proof.verdict for proof in result.unexpected}
    if verdicts - {ProofVerdict.UNKNOWN}:
        return 1
    return 3 if verdicts else 0
