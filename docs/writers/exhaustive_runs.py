"""Fills in the tables of `docs/exhaustive-runs.md`: runs each command for both releases.

The page is hand-written except for the figures of its tables: states, CPU seconds and verdict, under the
rules of 4.4 and under those of 2024-10. A new row only needs its command:

    python docs/writers/exhaustive_runs.py              runs the rows that lack figures
    python docs/writers/exhaustive_runs.py --again TEXT repeats those whose command contains the text

The page is read and written row by row, so you can interrupt a run and add rows in the meantime.
`tests/docs/test_exhaustive_runs.py` checks counts and verdicts; times are not checked.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple

from kassay.cli.main import EXIT_USAGE, run
from kassay.writing.files import write_text

PAGE: Final = Path(__file__).parents[1] / "exhaustive-runs.md"
OLD: Final = "2024-10"
LIMIT: Final = 500_000
"""The number of states at which a run ends undecided."""
NOT_THERE: Final = "not there"
"""The verdict of a command that a release does not support."""
AS_NEWEST: Final = "as 4.4"
"""The verdict of a command whose rules are the same in both releases."""
UNCHANGED: Final = "kassay explore classic "
"""The prefix of commands that no rule of an older release changes."""
HEAD: Final = (
    "| command | states | seconds | verdict | 2024-10: states | seconds | verdict |",
    "|---|---|---|---|---|---|---|",
)
_ROW: Final = re.compile(r"^\| `(kassay explore [^`]+)` \|(.*)$", re.MULTILINE)


class Figures(NamedTuple):
    """The result of a run: states (None: not run), CPU seconds, the verdict and what broke."""

    states: int | None
    seconds: float | None
    verdict: str

    def cells(self) -> list[str]:
        """The cells of a row."""
        if self.states is None:
            return ["", "", self.verdict]
        return [f"{self.states:,}", "" if self.seconds is None else f"{self.seconds:.1f}", self.verdict]


class Row(NamedTuple):
    """A line of a table: the command, and the figures of both releases, None where they are missing."""

    command: str
    newest: Figures | None
    old: Figures | None

    def line(self) -> str:
        """The line as Markdown."""
        cells = [cell for one in (self.newest, self.old) for cell in (one.cells() if one else [""] * 3)]
        return f"| {' | '.join([f'`{self.command}`', *cells])} |"


def rows(text: str) -> Iterator[Row]:
    """The rows of the tables of a page."""
    for command, rest in _ROW.findall(text):
        cells = [cell.strip() for cell in rest.split("|")]
        cells += [""] * (6 - len(cells))
        yield Row(command, _figures(cells[:3]), _figures(cells[3:6]))


def _figures(cells: list[str]) -> Figures | None:
    states, seconds, verdict = cells
    if verdict in (NOT_THERE, AS_NEWEST):
        return Figures(None, None, verdict)
    if not (states and verdict):
        return None
    return Figures(int(states.replace(",", "")), float(seconds) if seconds else None, verdict)


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
    """The row, run for both releases; only for the newest where they have the same rules."""
    same = row.command.startswith(UNCHANGED)
    old = Figures(None, None, AS_NEWEST) if same else walked(row.command, OLD)
    return Row(row.command, walked(row.command), old)


def with_row(text: str, row: Row) -> str:
    """The text of a page with the line of this command replaced."""
    lines = text.splitlines(keepends=True)
    start = f"| `{row.command}` |"
    return "".join(row.line() + "\n" if line.startswith(start) else line for line in lines)


def fill(page: Path, again: str | None = None) -> Iterator[Row]:
    """Run the rows that lack figures, or those with the text in their command, and write each into the page.

    Yields each row once it is written, smallest known rows first.
    """
    due = [row for row in rows(page.read_text(encoding="utf-8")) if _is_due(row, again)]
    for row in sorted(due, key=lambda row: (row.newest and row.newest.states) or 0):
        done = filled(row)
        write_text(with_row(page.read_text(encoding="utf-8"), done), str(page))
        yield done


def _is_due(row: Row, again: str | None) -> bool:
    if again is not None:
        return again in row.command
    return any(one is None or (one.states and one.seconds is None) for one in (row.newest, row.old))


def main() -> None:
    """Fill in the page, and print each row after its run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--again", metavar="TEXT", help="repeat the rows whose command contains this")
    for row in fill(PAGE, parser.parse_args().again):
        sys.stdout.write(row.line() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
