"""A fleet's replay as one HTML page: what really happened, and what each candidate would have done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from kassay.report.pages.gap_views import TableView, columns_table
from kassay.report.pages.layout import render as page
from kassay.report.pages.plots import BarChart, BarOf, bar_chart
from kassay.report.screen.campaign import COLUMNS, Row

ACTUAL: Final = "actual"
"""The row of what really happened."""
_CHANGES: Final = (
    ("assignor", "assignor"),
    ("against_actual", "against what happened"),
    ("group", "group"),
    ("members", "members"),
    ("partitions", "partitions"),
    ("balance_more", "balance gap, more"),
    ("moved_more", "moves, more"),
)
_WORST: Final = (
    ("group", "group"),
    ("members", "members"),
    ("partitions", "partitions"),
    ("rebalances", "rebalances"),
    ("moved", "moves"),
    ("moved_least", "needed"),
    ("balance", "balance gap"),
    ("spread_worst", "worst spread"),
)


class FleetView(NamedTuple):
    """The contents of the page."""

    word: str
    look: str
    subject: str
    said: str
    doubts: tuple[str, ...]
    events: str
    assignors: TableView
    bars: tuple[BarChart, ...]
    changes: TableView
    worst: TableView


def render(outcome: Row) -> str:
    """The whole page for the result of `kassay fleet`."""
    return page("fleet", ("figures",), view=view_of(outcome))


def view_of(outcome: Row) -> FleetView:
    """The page's contents for a fleet's replay."""
    rows = outcome["assignors"]
    known = bool(outcome["groups_replayed"]) and not any(row["unknown"] for row in rows)
    candidates = [row["assignor"] for row in rows if row["assignor"] != ACTUAL]
    events = ", ".join(f"{times:,} {event}" for event, times in outcome["events"].items())
    return FleetView(
        "compared" if known else "unknown for some",
        "ok" if known else "warn",
        ", ".join(candidates),
        f"{outcome['groups']:,} groups, {outcome['snapshots']:,} snapshots.",
        tuple(_doubts(outcome)),
        f"Inferred between snapshots: {events or 'nothing happened'}.",
        columns_table(rows, COLUMNS),
        tuple(_bars(rows)),
        columns_table(outcome["changes"], _CHANGES),
        columns_table(outcome["worst"], _WORST),
    )


def _doubts(outcome: Row) -> Iterator[str]:
    yield "What happens between two snapshots does not show: moves are a lower bound."
    for row in outcome["assignors"]:
        if row["unknown"]:
            yield (
                f"{row['assignor']}: unknown for {row['unknown']:,} of {row['groups']:,} groups: there, or "
                "of the group itself, an assignment is not valid, did not come to rest, or is missing."
            )
    if without := outcome["groups"] - outcome["groups_replayed"]:
        yield f"{without:,} groups had no members in any snapshot and were not replayed."
    for why, lines in outcome["rejected"].items():
        yield f"Rejected: {lines:,} lines: {why}"


def _bars(rows: Sequence[Row]) -> Iterator[BarChart]:
    """Moves and balance of all candidates and of what really happened; cost and benefit of a switch."""
    candidates = [row for row in rows if row["assignor"] != ACTUAL]
    moves = [(r, f"{_count(r, 'moved')} (needed {_count(r, 'moved_least')})") for r in rows]
    yield _chart("Moves", "moved", moves)
    yield _chart("Balance gap, all states together", "balance", [(r, _count(r, "balance")) for r in rows])
    yield _chart("Moves to switch", "to_switch", [(r, _count(r, "to_switch")) for r in candidates])
    better = [(r, f"{_count(r, 'better')} better, {_count(r, 'worse')} worse") for r in candidates]
    yield _chart("Groups that would do better", "better", better)


def _chart(title: str, key: str, rows: Sequence[tuple[Row, str]]) -> BarChart:
    return bar_chart(title, [BarOf(row["assignor"], row[key], text, row["assignor"]) for row, text in rows])


def _count(row: Row, key: str) -> str:
    return "-" if row[key] is None else f"{row[key]:,}"
