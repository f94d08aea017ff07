"""A fleet's replay for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kassay.report.screen.campaign import shown

_COLUMNS = (
    ("assignor", "assignor"),
    ("groups", "groups"),
    ("to_switch", "moves to switch"),
    ("moved", "moves"),
    ("moved_least", "needed"),
    ("balance", "balance gap"),
    ("spread_worst", "worst spread"),
    ("better", "better"),
    ("same", "same"),
    ("worse", "worse"),
    ("unknown", "unknown"),
)


def terminal(made: Mapping[str, Any]) -> RenderableType:
    """What happened, what would have, and what could not be read."""
    events = ", ".join(f"{times:,} {event}" for event, times in made["events"].items())
    parts: list[RenderableType] = [
        Text(
            f"{made['groups']:,} groups, {made['snapshots']:,} snapshots; "
            f"inferred: {events or 'nothing happened'}"
        ),
        Text("better, same, worse: groups against what really happened, by balance, then moves", style="dim"),
    ]
    table = Table(box=None, pad_edge=False, header_style="dim")
    for key, title in _COLUMNS:
        table.add_column(title, justify="left" if key == "assignor" else "right")
    for row in made["assignors"]:
        table.add_row(*(shown(row[key]) for key, _ in _COLUMNS))
    parts.append(table)
    if without := made["groups"] - made["groups_replayed"]:
        parts.append(Text(f"{without:,} groups had no members in any snapshot and were not replayed"))
    if made["changes"]:
        parts += [Text("changed most", style="dim"), _changes(made["changes"])]
    parts += [
        Text(f"rejected: {lines:,} lines: {why}", style="yellow") for why, lines in made["rejected"].items()
    ]
    return Group(*parts)


def _changes(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The groups that gain or lose most under each candidate."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for justify in ("left", "left", "left", "right", "right"):
        table.add_column(justify=justify)
    for row in rows:
        table.add_row(
            row["assignor"],
            row["against_actual"],
            row["group"],
            f"balance gap {row['balance_more']:+,}",
            f"moves {row['moved_more']:+,}",
        )
    return table
