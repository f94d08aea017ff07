"""All groups in a table: a row each, the worst first."""

from __future__ import annotations

from typing import Final

from kassay.engines.clusters.overview import GroupRow, GroupsOverview
from kassay.report.screen.console import View, line, plain_table, stack
from kassay.writing.text import counted

COLUMNS: Final = ("group", "state", "members", "partitions", "a member", "excess", "idle", "no owner", "lag")
_NUMBERS: Final = COLUMNS[2:]
_MEANING: Final = (
    "a member: partitions of the least and the most loaded one. excess: their difference, less what the "
    "counts force. no owner: partitions that no member reads. --group NAME shows one group"
)


def overview_view(overview: GroupsOverview) -> View:
    """The groups, the worst first; those of which nothing can be computed, with the reason, at the end."""
    known = [row for row in overview.rows if row.problem is None]
    parts: list[View] = [line(f"{counted(len(overview.rows), 'group')}, the worst first")]
    if known:
        parts += [line(), plain_table(COLUMNS, [_cells(row) for row in known], _NUMBERS)]
    rest = [row for row in overview.rows if row.problem is not None]
    if rest:
        parts += [line(), plain_table(("group", "not computed"), [(row.name, row.problem) for row in rest])]
    if overview.others:
        listed = ", ".join(f"{count} {kind}" for kind, count in overview.others.items())
        parts += [line(), line(f"groups of other clients, not shown: {listed}")]
    return stack(*parts, line(), line(_MEANING, style="dim"))


def _cells(row: GroupRow) -> tuple[object, ...]:
    """The cells of a row."""
    loads = str(row.most) if row.least == row.most else f"{row.least}..{row.most}"
    state = row.state or ("-" if row.is_stable else "not stable")
    return (
        row.name,
        state if row.is_stable else line(state, style="bold red"),
        row.members,
        row.partitions,
        loads,
        row.excess,
        row.idle,
        row.unowned,
        "-" if row.lag is None else f"{row.lag:,}",
    )
