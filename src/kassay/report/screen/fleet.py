"""A fleet's replay for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kassay.report.screen.campaign import figures
from kassay.report.screen.tables import plain_table

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


def terminal(outcome: Mapping[str, Any]) -> RenderableType:
    """What happened, what would have, and what could not be read."""
    events = ", ".join(f"{times:,} {event}" for event, times in outcome["events"].items())
    parts: list[RenderableType] = [
        Text(
            f"{outcome['groups']:,} groups, {outcome['snapshots']:,} snapshots; "
            f"inferred: {events or 'nothing happened'}"
        ),
        Text("better, same, worse: groups against what really happened, by balance, then moves", style="dim"),
    ]
    parts.append(figures(outcome["assignors"], _COLUMNS))
    if without := outcome["groups"] - outcome["groups_replayed"]:
        parts.append(Text(f"{without:,} groups had no members in any snapshot and were not replayed"))
    if outcome["changes"]:
        parts += [Text("changed most", style="dim"), _changes(outcome["changes"])]
    parts += [
        Text(f"rejected: {lines:,} lines: {why}", style="yellow")
        for why, lines in outcome["rejected"].items()
    ]
    return Group(*parts)


def _changes(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The groups that gain or lose most under each candidate."""
    cells = [
        (
            row["assignor"],
            row["against_actual"],
            row["group"],
            f"balance gap {row['balance_more']:+,}",
            f"moves {row['moved_more']:+,}",
        )
        for row in rows
    ]
    columns = ("assignor", "against", "group", "balance", "moves")
    return plain_table(columns, cells, columns[3:], header=False)
