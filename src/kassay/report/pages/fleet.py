"""A fleet's replay as one HTML page: what really happened, and what each candidate would have done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from kassay.report.pages.gap_views import TableView, columns_table
from kassay.report.pages.layout import render as page
from kassay.report.pages.plots import BarChart, BarOf, bar_chart
from kassay.report.screen.campaign import COLUMNS, Row
from kassay.writing.text import counted

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


class FleetEntry(NamedTuple):
    """A group in the index of the page."""

    anchor: str
    name: str
    word: str
    look: str


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
    change_entries: tuple[tuple[str, bool], ...]
    worst: TableView
    worst_entries: tuple[tuple[str, bool], ...]
    entries: tuple[FleetEntry, ...]
    note: str


def render(outcome: Row) -> str:
    """The whole page for the result of `kassay fleet`."""
    return page("fleet", ("figures", "index"), view=view_of(outcome))


def view_of(outcome: Row) -> FleetView:
    """The page's contents for a fleet's replay."""
    rows = outcome["assignors"]
    known = bool(outcome["groups_replayed"]) and not any(row["unknown"] for row in rows)
    entries, shown = _entries(outcome), set[str]()
    candidates = [row for row in rows if row["assignor"] != ACTUAL]
    best = max(candidates, key=lambda row: (row["better"] - row["worse"], -row["to_switch"]), default=None)
    word = "Compared" if known else "Unknown for some groups"
    if best is not None:
        word = f"{best['better']:,} of {best['groups']:,} groups better, {best['worse']:,} worse"
    events = ", ".join(f"{times:,} {event}" for event, times in outcome["events"].items())
    return FleetView(
        word,
        "ok" if known else "warn",
        "nothing to compare" if best is None else best["assignor"],
        _said(outcome, candidates),
        tuple(_doubts(outcome)),
        f"Inferred between snapshots: {events or 'nothing happened'}.",
        columns_table(rows, COLUMNS),
        tuple(bars_of(rows)),
        columns_table(outcome["changes"], _CHANGES),
        _places(outcome["changes"], entries, shown),
        columns_table(outcome["worst"], _WORST),
        _places(outcome["worst"], entries, shown),
        tuple(entries.values()),
        "What happens between two snapshots does not show: moves are a lower bound.",
    )


def _said(outcome: Row, candidates: Sequence[Row]) -> str:
    """What was compared, with every candidate if there are several."""
    said = f"{counted(outcome['groups'], 'group')}, {counted(outcome['snapshots'], 'snapshot')}."
    if len(candidates) < 2:
        return said
    each = (f"{row['assignor']} {row['better']:,} better, {row['worse']:,} worse" for row in candidates)
    return f"{said} All candidates: {'; '.join(each)}."


def _entries(outcome: Row) -> dict[str, FleetEntry]:
    """The groups of both tables by name, each with what a candidate changes, or its balance gap."""
    looks = {"better": "ok", "worse": "bad"}
    entries: dict[str, FleetEntry] = {}
    for row in outcome["changes"]:
        word = row["against_actual"]
        entry = FleetEntry(f"group-{len(entries) + 1}", row["group"], word, looks.get(word, "plain"))
        entries.setdefault(row["group"], entry)
    for row in outcome["worst"]:
        word = f"gap {_count(row, 'balance')}"
        entry = FleetEntry(
            f"group-{len(entries) + 1}", row["group"], word, "warn" if row["balance"] else "ok"
        )
        entries.setdefault(row["group"], entry)
    return entries


def _places(
    rows: Sequence[Row], entries: dict[str, FleetEntry], shown: set[str]
) -> tuple[tuple[str, bool], ...]:
    """The entry of each row, and whether it is the first of its group."""
    places = []
    for row in rows:
        places.append((entries[row["group"]].anchor, row["group"] not in shown))
        shown.add(row["group"])
    return tuple(places)


def _doubts(outcome: Row) -> Iterator[str]:
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


def bars_of(rows: Sequence[Row]) -> Iterator[BarChart]:
    """Moves and balance of all candidates and of what really happened; cost and benefit of a switch."""
    candidates = [row for row in rows if row["assignor"] != ACTUAL]
    yield bar_chart(
        "Moves",
        [
            BarOf(
                row["assignor"],
                row["moved"],
                f"{_count(row, 'moved')} (needed {_count(row, 'moved_least')})",
                best=row["moved_least"],
            )
            for row in rows
        ],
        marked="moves that were needed",
    )
    yield _chart("Balance gap, all states together", "balance", [(r, _count(r, "balance")) for r in rows])
    yield _chart("Moves to switch", "to_switch", [(r, _count(r, "to_switch")) for r in candidates])
    better = [(r, f"{_count(r, 'better')} better, {_count(r, 'worse')} worse") for r in candidates]
    yield _chart("Groups that would do better", "better", better)


def _chart(title: str, key: str, rows: Sequence[tuple[Row, str]]) -> BarChart:
    return bar_chart(title, [BarOf(row["assignor"], row[key], text, row["assignor"]) for row, text in rows])


def _count(row: Row, key: str) -> str:
    return "-" if row[key] is None else f"{row[key]:,}"
