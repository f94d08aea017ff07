"""A campaign's progress and outcome for the terminal, and the outcome as a document."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

SCHEMA: Final = "kassay/campaign-report/1"
Row = Mapping[str, Any]


class Progressed(Protocol):
    """What there is to say while a batch is played and after it."""

    @property
    def batch(self) -> int:
        """Its number."""

    @property
    def done(self) -> int:
        """Histories played."""

    @property
    def of(self) -> int:
        """Histories in all."""

    @property
    def rate(self) -> float:
        """Histories a second."""

    @property
    def eta_s(self) -> float | None:
        """Seconds left, if known."""

    @property
    def findings(self) -> int:
        """Findings so far."""

    @property
    def tasks_done(self) -> int:
        """Tasks of the batch that have ended."""

    @property
    def tasks(self) -> int:
        """Tasks of the batch; 0 once it has ended."""

    @property
    def peak_kib(self) -> int:
        """The most memory so far; 0 if unknown."""

    @property
    def broken(self) -> tuple[tuple[str, str], ...]:
        """Target and claim of what the batch was the first to break."""


@dataclass
class Told:
    """Tells the progress of a campaign: a line a batch, and in between at most one every `every_s`."""

    screen: Console
    every_s: float = 15.0
    _last: float = field(default_factory=time.monotonic)

    def progress(self, now: Progressed) -> None:
        """Print where the campaign is after a batch."""
        self._last = time.monotonic()
        self.screen.print(progress_line(now), markup=False, soft_wrap=True)
        for target in dict.fromkeys(target for target, _ in now.broken):
            claims = ", ".join(claim for of, claim in now.broken if of == target)
            self.screen.print(f"  violated by {target}: {claims}", markup=False, soft_wrap=True)

    def tick(self, now: Progressed) -> None:
        """Print where the campaign is within a batch, if nothing was said for a while."""
        if now.tasks and time.monotonic() - self._last >= self.every_s:
            self.progress(now)


def progress_line(now: Progressed) -> str:
    """Where the campaign is."""
    within = f" ({now.tasks_done} of {now.tasks} tasks)" if now.tasks else ""
    about = "about " if now.tasks else ""
    left = "?" if now.eta_s is None else f"{now.eta_s:.0f} s"
    memory = f", {now.peak_kib / 1024:,.0f} MiB at most" if now.peak_kib else ""
    return (
        f"batch {now.batch}{within}: {about}{now.done:,} of {now.of:,} histories, {now.rate:,.0f}/s, "
        f"{left} left, {now.findings} findings so far{memory}"
    )


def document(
    spec: Row,
    verdicts: Sequence[Row],
    findings: Sequence[Row],
    studies: Mapping[str, Sequence[Row]],
    totals: Row,
) -> dict[str, Any]:
    """The outcome as a document of plain values; the traces stay in the table."""
    return {
        "schema": SCHEMA,
        "spec": dict(spec),
        "histories": totals["histories"],
        "complete": totals["histories"] == totals["of"],
        "totals": dict(totals),
        "verdicts": [dict(row) for row in verdicts],
        "findings": [
            {k: int(v) if k == "seed" else v for k, v in row.items() if k != "trace"} for row in findings
        ],
        "studies": {name: [dict(row) for row in rows] for name, rows in studies.items()},
    }


def terminal(made: Row) -> RenderableType:
    """The leaderboard and the findings, as a person reads them."""
    spec = made["spec"]
    parts: list[RenderableType] = [
        Text.assemble(
            (f"{spec['name']}", "bold"),
            (f"  seed {spec['seed']}, {made['histories']:,} histories", "dim"),
            (unfinished(made), "yellow"),
        ),
        Text(took(made["totals"]), style="dim"),
        _terminal_table(made["studies"]["leaderboard"], LEADERS),
    ]
    parts += [
        Text.assemble(
            (f"{row['target']} ", "bold"),
            (f"{row['claim']}", "red"),
            f" on {row['input']} input, in {row['failed']} histories; smallest: "
            f"{row['profile']} history {row['index']}, {row['message']}",
            (f"; {row['others']} further kinds" if row["others"] else ""),
        )
        for row in made["findings"]
    ]
    return Group(*parts)


def unfinished(made: Row) -> str:
    """What to know of a campaign that is not complete; empty if it is."""
    return (
        ""
        if made["complete"]
        else f", unfinished: all figures are of these, {made['totals']['of']:,} planned"
    )


def took(totals: Row) -> str:
    """What the campaign took, in one line."""
    peak = totals["peak_kib"]
    memory = (
        "memory unknown"
        if peak["all"] is None
        else f"at most {peak['all'] / 1024:,.0f} MiB at a time (Python {peak['driver'] / 1024:,.0f}, "
        f"Java {peak['java'] / 1024:,.0f}, workers {peak['workers'] / 1024:,.0f})"
    )
    return (
        f"{totals['elapsed_s']:,.1f} s in {totals['batches']} batches and {totals['tasks']:,} tasks, "
        f"{totals['histories_per_s']:,.0f} histories/s, slots idle {totals['idle_share']:.1%}, {memory}"
    )


LEADERS: Final = (
    ("target", "target"),
    ("histories", "histories"),
    ("holds", "hold"),
    ("violated", "violated"),
    ("unknown", "unknown"),
    ("instances", "instances"),
    ("unbalanced_share", "not optimal"),
    ("balance_mean", "balance gap"),
    ("movement_mean", "needless moves"),
    ("rounds_mean", "rounds"),
)


def _terminal_table(rows: Sequence[Row], columns: Sequence[tuple[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for key, title in columns:
        table.add_column(title, justify="left" if key in ("target", "profile") else "right")
    for row in rows:
        table.add_row(*(shown(row[key], key) for key, _ in columns))
    return table


def shown(value: object, key: str = "") -> str:
    """A cell as text."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return (
            f"{value:.2%}"
            if key.endswith("_share")
            else f"{value:.3g}"
            if abs(value) < 1e6
            else f"{value:,.0f}"
        )
    return f"{value:,}" if isinstance(value, int) else str(value)
