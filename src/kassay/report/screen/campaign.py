"""The result of a campaign for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.writing.text import shell_command

Row = Mapping[str, Any]


def terminal(outcome: Row) -> View:
    """The leaderboard and the findings as readable text."""
    spec = outcome["spec"]
    parts: list[View] = [
        line(
            (f"{spec['name']}", "bold"),
            (f"  seed {spec['seed']}, {outcome['histories']:,} histories", "dim"),
            (unfinished(outcome), "yellow"),
        ),
        line(took(outcome["totals"]), style="dim"),
        figures(outcome["studies"]["leaderboard"], LEADERS),
    ]
    parts += [
        line(
            (f"{row['target']} ", "bold"),
            (f"{row['claim']}", "red"),
            f" on {row['input']} input, in {row['failed']} histories; smallest: "
            f"{row['profile']} history {row['index']}, {row['message']}",
            (f"; {row['others']} further kinds" if row["others"] else ""),
        )
        for row in outcome["findings"]
    ]
    return stack(*parts)


def unfinished(outcome: Row) -> str:
    """What is missing in an incomplete campaign; empty for a complete one."""
    return (
        ""
        if outcome["complete"]
        else f", unfinished: all figures are of these, {outcome['totals']['of']:,} planned"
    )


def took(totals: Row) -> str:
    """The cost of the campaign, in one line."""
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


FINDINGS: Final = (
    ("target", "target"),
    ("claim", "claim"),
    ("input", "input"),
    ("failed", "histories"),
    ("members", "members"),
    ("partitions", "partitions"),
    ("events", "events"),
    ("message", "message"),
)
_TEXTS: Final = ("target", "profile", "assignor", "claim", "input", "message")


def figures(rows: Iterable[Row], columns: Sequence[tuple[str, str]]) -> View:
    """The rows as a table, names left-aligned and numbers right-aligned."""
    numbers = [title for key, title in columns if key not in _TEXTS]
    cells = ([shown(row[key], key) for key, _ in columns] for row in rows)
    return plain_table([title for _, title in columns], cells, numbers)


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


def findings_view(rows: Sequence[Row], total: int, paths: Sequence[str] = ()) -> View:
    """The findings that a campaign keeps, of `total` in all, and the files of their traces."""
    if not rows:
        return line("no findings" if not total else f"none of the {total:,} findings")
    parts: list[View] = [figures(rows, FINDINGS), line()]
    if len(rows) < total:
        parts.append(line(f"{len(rows):,} of {total:,} findings", style="dim"))
    if paths:
        parts += [whole_line(f"saved: {path}") for path in paths]
        command = shell_command(("kassay", "explain", paths[0]))
        parts += [line(), whole_line(f"told: {command}", style="cyan")]
        command = shell_command(("kassay", "replay", paths[0]))
        parts.append(whole_line(f"played again: {command}", style="cyan"))
    return stack(*parts)
