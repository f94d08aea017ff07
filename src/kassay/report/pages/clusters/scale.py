"""A consumer group at each number of members as one HTML page."""

from __future__ import annotations

from typing import NamedTuple

from kassay.certify.clusters.scale import GroupScale
from kassay.report.figures.bars import BarChart, BarOf, bar_chart
from kassay.report.pages.layout import render as page
from kassay.report.screen.clusters.scale import columns_of, meaning_of, rows_of, spans
from kassay.report.screen.clusters.what_if import identity


class ScalePage(NamedTuple):
    """The page's contents; `rows` are texts under `columns`, `numeric` the indexes of numeric columns."""

    word: str
    look: str
    group: str
    said: str
    identity: str
    doubts: tuple[str, ...]
    columns: tuple[str, ...]
    numeric: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    failed: tuple[str, ...]
    meaning: str
    busiest: BarChart
    again: str


def render(answer: GroupScale, again: str) -> str:
    """The page; `again` is the command that reproduces it."""
    return page("scale", ("figures",), view=view_of(answer, again))


def view_of(answer: GroupScale, again: str) -> ScalePage:
    """The page's contents."""
    observed = answer.observed
    safe = spans(each.members for each in answer.counts if each.is_safe)
    best = spans(each.members for each in answer.counts if each.is_safe_at_best)
    columns = columns_of(answer)
    return ScalePage(
        word=f"safe: {safe}" if safe else "no count is safe",
        look="ok" if safe else "bad",
        group=observed.name or "(no name)",
        said=f"With {answer.target}, from {answer.today} members. The certified optimum: {best or 'none'}.",
        identity=identity(observed),
        doubts=(*observed.warnings, *(f"Assumed: {each}." for each in observed.assumptions)),
        columns=columns,
        numeric=tuple(range(len(columns))),
        rows=tuple(tuple(map(str, row)) for row in rows_of(answer)),
        failed=tuple(f"{each.members} members: {each.failure}" for each in answer.failed),
        meaning=meaning_of(answer),
        busiest=bar_chart(
            "Partitions of the busiest member at each number of members",
            [
                BarOf(
                    str(each.members),
                    each.assignor.loads.most,
                    f"{each.assignor.loads.most}, at best {each.optimum.loads.most}",
                    "safe" if each.is_safe else "not safe",
                )
                for each in answer.counts
                if each.assignor is not None
            ],
        ),
        again=again,
    )
