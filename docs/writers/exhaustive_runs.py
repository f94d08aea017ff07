"""Fills in `docs/exhaustive-runs/runs.csv`: runs each command for the releases that it has.

A row has the figures of a command: states, CPU seconds and verdict of the newest release, and states and
verdict of each older one, where a walk is small enough. A new row only needs its part and its command:

    python docs/writers/exhaustive_runs.py              runs the rows that lack figures
    python docs/writers/exhaustive_runs.py --again TEXT repeats those whose command contains the text
    python docs/writers/exhaustive_runs.py --summary    prints the table of `docs/exhaustive-runs.md`

The file is read and written row by row, so you can interrupt a run and add rows in the meantime.
`tests/docs/test_exhaustive_runs.py` checks counts and verdicts; times are not checked.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import shlex
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple

from kassay.cli.main import EXIT_USAGE, run
from kassay.model.protocols.values.releases import NEWEST, RELEASES, TRUNK_2024
from kassay.writing.files import write_text

RUNS: Final = Path(__file__).parents[1] / "exhaustive-runs" / "runs.csv"
OLDER: Final = tuple(name for name in RELEASES if name not in (NEWEST, TRUNK_2024))
"""The older releases, newest first."""
LIMIT: Final = 500_000
"""The number of states at which a run ends undecided."""
OLDER_LIMIT: Final = 12_500
"""The states of the largest walk that is repeated for older releases."""
NOT_THERE: Final = "not there"
"""The verdict of a command that a release does not support."""
SAME: Final = "same"
"""The cell of an older release with the states and the verdict of the newest one."""
NOT_WALKED: Final = "-"
"""The cell of an older release for which a walk is too large."""
UNCHANGED: Final = "kassay explore classic "
"""The prefix of commands that no rule of an older release changes."""
HEAD: Final = ("part", "command", "states", "seconds", "verdict", *OLDER)


class Figures(NamedTuple):
    """The result of a run: states (None: not run), CPU seconds, the verdict and what broke."""

    states: int | None
    seconds: float | None
    verdict: str

    def cells(self) -> list[str]:
        """The cells of a row."""
        if self.states is None:
            return ["", "", self.verdict]
        return [str(self.states), "" if self.seconds is None else f"{self.seconds:.1f}", self.verdict]


class Row(NamedTuple):
    """A row: its part, the command, and the figures of each release, None where they are missing."""

    part: str
    command: str
    newest: Figures | None
    older: tuple[Figures | None, ...]

    def cells(self) -> list[str]:
        """The cells of the row."""
        cells = self.newest.cells() if self.newest else [""] * 3
        return [self.part, self.command, *cells, *(_cell(figures, self.newest) for figures in self.older)]


def _cell(older: Figures | None, newest: Figures | None) -> str:
    """The figures of an older release: what differs from the newest one."""
    if older is None:
        return ""
    if older.states is None:
        return older.verdict
    if newest and older.verdict == newest.verdict:
        return SAME if older.states == newest.states else str(older.states)
    return f"{older.states}, {older.verdict}"


def rows(text: str) -> Iterator[Row]:
    """The rows of the file; raises ValueError if its columns are others."""
    head, *listed = csv.reader(io.StringIO(text))
    if head != [*HEAD]:
        raise ValueError(f"expected the columns {', '.join(HEAD)}; got {', '.join(head)}")
    for part, command, *given in listed:
        cells = [*given, *[""] * (len(HEAD) - 2 - len(given))]
        newest = _figures(cells[:3])
        yield Row(part, command, newest, tuple(_older(cell, newest) for cell in cells[3:]))


def written(listed: Iterable[Row]) -> str:
    """The rows as the text of the file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(row.cells() for row in listed)
    return text.getvalue()


def summary(listed: Iterable[Row]) -> list[str]:
    """The lines of the page's table: how many runs each part has, how they end, and how large they are."""
    parts: dict[str, list[Figures]] = {}
    for row in listed:
        if row.newest:
            parts.setdefault(row.part, []).append(row.newest)
    lines = [
        "| part | runs | hold | violated | largest, in states | what breaks |",
        "|---|---|---|---|---|---|",
    ]
    for part, figures in parts.items():
        hold = sum(each.verdict == "holds" for each in figures)
        broken = {one for each in figures for one in each.verdict.partition(": ")[2].split(", ") if one}
        largest = max(each.states or 0 for each in figures)
        lines.append(
            f"| {part} | {len(figures)} | {hold} | {len(figures) - hold} | {largest:,} | "
            f"{', '.join(sorted(broken)) or '-'} |"
        )
    return lines


def _figures(cells: list[str]) -> Figures | None:
    states, seconds, verdict = cells
    if not (states and verdict):
        return None
    return Figures(int(states), float(seconds) if seconds else None, verdict)


def _older(cell: str, newest: Figures | None) -> Figures | None:
    if cell in (NOT_THERE, NOT_WALKED):
        return Figures(None, None, cell)
    if not cell or newest is None:
        return None
    states, _, verdict = ("", "", "") if cell == SAME else cell.partition(", ")
    return Figures(int(states) if states else newest.states, None, verdict or newest.verdict)


def verdict(document: Mapping[str, Any]) -> str:
    """The verdict of a run, from its JSON, and what broke: invariants, dead ends, livelocks."""
    broken = sorted({one["invariant"] for one in document["violations"] if one["severity"] == "real"})
    broken += [kind.replace("_", " ") for kind in ("dead_ends", "livelocks") if document[kind]]
    shown = f"{document['verdict']}: {', '.join(broken)}" if broken else document["verdict"]
    return f"{shown} (stopped: {document['limit']})" if document["limit"] else str(shown)


def walked(command: str, release: str = "") -> Figures:
    """The figures of a command, under the rules of an older release if one is named.

    Raises ValueError for a command that kassay refuses for a reason other than the release.
    """
    words = shlex.split(command)[1:] + (["--release", release] if release else [])
    complaints = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "walk.json"
        began = time.process_time()
        with redirect_stdout(io.StringIO()), redirect_stderr(complaints):
            code = run([*words, "--max-states", str(LIMIT), "--json", str(result)])
        seconds = time.process_time() - began
        if code == EXIT_USAGE and release and release in complaints.getvalue():
            return Figures(None, None, NOT_THERE)
        if not result.exists():
            raise ValueError(f"{command}: exit {code}: {complaints.getvalue().strip()}")
        document = json.loads(result.read_text(encoding="utf-8"))
    return Figures(document["states"], seconds, verdict(document))


def filled(row: Row) -> Row:
    """The row, run for the newest release, and for the older ones if that walk is small."""
    newest = walked(row.command)
    older = tuple(_repeated(row.command, newest, release) for release in OLDER)
    return row._replace(newest=newest, older=older)


def _repeated(command: str, newest: Figures, release: str) -> Figures:
    """The figures of a command for an older release."""
    if command.startswith(UNCHANGED):
        return newest
    if (newest.states or 0) > OLDER_LIMIT:
        return Figures(None, None, NOT_WALKED)
    return walked(command, release)


def fill(path: Path, again: str | None = None) -> Iterator[Row]:
    """Run the rows that lack figures, or those with the text in their command, and write each into the file.

    Yields each row once it is written, smallest known rows first.
    """
    due = [row for row in rows(path.read_text(encoding="utf-8")) if _is_due(row, again)]
    for row in sorted(due, key=lambda row: (row.newest and row.newest.states) or 0):
        done = filled(row)
        listed = rows(path.read_text(encoding="utf-8"))
        write_text(written(done if each.command == done.command else each for each in listed), str(path))
        yield done


def _is_due(row: Row, again: str | None) -> bool:
    if again is not None:
        return again in row.command
    return row.newest is None or row.newest.seconds is None or None in row.older


def main() -> None:
    """Fill in the file and print each row after its run, or print the summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--again", metavar="TEXT", help="repeat the rows whose command contains this")
    parser.add_argument("--summary", action="store_true", help="print the table of the page, and run nothing")
    chosen = parser.parse_args()
    if chosen.summary:
        sys.stdout.writelines(f"{line}\n" for line in summary(rows(RUNS.read_text(encoding="utf-8"))))
        return
    for row in fill(RUNS, chosen.again):
        sys.stdout.write(written([row]).splitlines()[1] + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
