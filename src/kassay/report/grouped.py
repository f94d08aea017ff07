"""Answers about groups that have no page of their own, described for a page and a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kassay.engines.clusters.observed import ObservedGroup
from kassay.report.blocks import BreakBlock, Described, RowsBlock, VerdictBlock


def table_described(kind: str, verdict: VerdictBlock, rows: Sequence[Mapping[str, Any]]) -> Described:
    """A verdict, and rows of one shape below it."""
    columns = tuple(rows[0]) if rows else ()
    texts = tuple(tuple(_text(row[name]) for name in columns) for row in rows)
    numeric = tuple(
        name for name in columns if all(isinstance(row[name], int | float | None) for row in rows)
    )
    table = (BreakBlock(), RowsBlock(columns, texts, numeric)) if rows else ()
    return Described(kind, ((verdict, *table),))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def holdings(observed: ObservedGroup) -> list[dict[str, Any]]:
    """A row for each member of a group: how many partitions it has."""
    return [
        {
            "member": observed.labels[member.member_id],
            "partitions": len(observed.assignment.get(member.member_id, ())),
        }
        for member in observed.group.members
    ]
