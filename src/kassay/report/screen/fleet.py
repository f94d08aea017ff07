"""A fleet's replay for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kassay.report.screen.campaign import figures
from kassay.report.screen.console import View, line, plain_table, stack

COLUMNS: Final = (
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


def terminal(outcome: Mapping[str, Any]) -> View:
    """What happened, what each candidate would have done, and what could not be read."""
    events = ", ".join(f"{times:,} {event}" for event, times in outcome["events"].items())
    parts: list[View] = [
        line(
            f"{outcome['groups']:,} groups, {outcome['snapshots']:,} snapshots; "
            f"inferred: {events or 'nothing happened'}"
        ),
        line("better, same, worse: groups against what really happened, by balance, then moves", style="dim"),
    ]
    parts.append(figures(outcome["assignors"], COLUMNS))
    parts += [
        line(
            f"{row['assignor']}: unknown for {row['unknown']:,} of {row['groups']:,} groups: there, or of "
            "the group itself, an assignment is not valid, did not come to rest, or is missing",
            style="yellow",
        )
        for row in outcome["assignors"]
        if row["unknown"]
    ]
    if without := outcome["groups"] - outcome["groups_replayed"]:
        parts.append(line(f"{without:,} groups had no members in any snapshot and were not replayed"))
    if outcome["changes"]:
        parts += [line("changed most", style="dim"), _changes(outcome["changes"])]
    parts += [
        line(f"rejected: {lines:,} lines: {why}", style="yellow")
        for why, lines in outcome["rejected"].items()
    ]
    return stack(*parts)


def _changes(rows: Sequence[Mapping[str, Any]]) -> View:
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
