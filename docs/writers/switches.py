"""Writes `docs/switches/runs.csv`: what finds each broken rule, in how many steps and states.

`python docs/writers/switches.py > docs/switches/runs.csv` explores them all; tests compare the file
with what the explorations find.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kassay.engines.protocols.switch_runs import SwitchRow, rows
from kassay.report.screen.exploration import all_off

RUNS: Final = Path(__file__).parents[1] / "switches" / "runs.csv"
HEAD: Final = ("switch", "found by", "steps", "states", "all off")


def document(walked: Sequence[SwitchRow]) -> str:
    """The file as CSV."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(HEAD)
    for row in walked:
        shown = [(seen.kind, str(seen.length)) for seen in row.on.shown] or [("not found", "-")]
        kinds, lengths = zip(*shown, strict=True)
        writer.writerow(
            (row.switch.name, ", ".join(kinds), ", ".join(lengths), str(row.on.states), all_off(row))
        )
    return written.getvalue()


def lines(text: str) -> dict[str, dict[str, str]]:
    """The lines of the file by switch."""
    return {line["switch"]: line for line in csv.DictReader(io.StringIO(text))}


def main() -> None:
    """Print the file."""
    sys.stdout.write(document(rows()))


if __name__ == "__main__":
    main()
