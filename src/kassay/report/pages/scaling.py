"""A consumer group at each number of members as one page: today, ranges, a column for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from kassay.engines.clusters.scale import GroupScale, Scaled
from kassay.report.pages.layout import render as page
from kassay.report.pages.plots import ColumnChart, ColumnOf, column_chart
from kassay.report.screen.clusters import (
    columns_of,
    doubts_of,
    identity,
    meaning_of,
    rows_of,
    spans,
    spread_of,
)
from kassay.writing.text import counted


class ScalePage(NamedTuple):
    """The page's contents; `ranges` has a row for each run of counts of which the same is true.

    `rows` are texts under `columns`, a row for each count, `numeric` the places of numeric columns.
    """

    word: str
    look: str
    group: str
    said: str
    identity: str
    doubts: tuple[str, ...]
    ranges: tuple[tuple[str, ...], ...]
    today: tuple[int, ...]
    columns: tuple[str, ...]
    numeric: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    failed: tuple[str, ...]
    meaning: str
    busiest: ColumnChart
    again: str


RANGES_HEAD = ("members", "busiest has", "with the assignor", "with the optimum")


def render_scale(answer: GroupScale, again: str) -> str:
    """The page; `again` is the command that reproduces it."""
    return page("scale", ("figures",), view=scale_view_of(answer, again), head=RANGES_HEAD)


def scale_view_of(answer: GroupScale, again: str) -> ScalePage:
    """The page's contents."""
    observed, columns = answer.observed, columns_of(answer)
    today = next((each for each in answer.counts if each.members == answer.today), None)
    good = today is not None and today.is_safe
    runs = tuple(_runs(answer))
    return ScalePage(
        word=f"{counted(answer.today, 'member')} today: {'safe' if good else 'not safe'}",
        look="ok" if good else "bad",
        group=observed.name or "(no name)",
        said=" ".join(_summary(answer, today)),
        identity=identity(observed),
        doubts=tuple(doubts_of(observed, answer.alarm)),
        ranges=tuple(_range(run) for run in runs),
        today=tuple(n for n, run in enumerate(runs) if any(each.members == answer.today for each in run)),
        columns=columns,
        numeric=tuple(range(len(columns))),
        rows=tuple(tuple(map(str, row)) for row in rows_of(answer)),
        failed=tuple(f"{each.members} members: {each.failure}" for each in answer.failed),
        meaning=meaning_of(answer),
        busiest=busiest_columns(answer),
        again=again,
    )


def _summary(answer: GroupScale, today: Scaled | None) -> Iterator[str]:
    """Today's loads, why the number is not safe, the nearest safe ones, and fewer members that do as well."""
    if answer.loads is not None:
        yield f"{spread_of(answer.loads)[:1].upper()}{spread_of(answer.loads)[1:]}."
    if today is not None and (why := reasons(today)):
        yield f"Not safe with {answer.target}: {', '.join(why)}."
    safe = [each.members for each in answer.counts if each.is_safe]
    near = [*[n for n in safe if n < answer.today][-1:], *[n for n in safe if n > answer.today][:1]]
    if near:
        yield f"Nearest safe: {' and '.join(map(str, near))} members."
    elif not safe:
        best = spans(each.members for each in answer.counts if each.is_safe_at_best)
        yield f"No number up to {answer.counts[-1].members} is safe" + (
            f"; with the certified optimum {best} are." if best else "."
        )
    step = next((each for each in answer.steps if each.first < answer.today <= each.last), None)
    if step is not None:
        yield f"{counted(step.first, 'member')} would leave the busiest as light ({step.most})."


def reasons(each: Scaled) -> tuple[str, ...]:
    """Why a count is not safe with the group's assignor; empty if it is."""
    step, limits = each.assignor, each.limits
    if each.is_safe:
        return ()
    if step is None:
        return ("the assignor failed",)
    worst = {figure: step.range_of(figure).most for figure in step.figures}
    lag = each.lag is not None and limits.lag is not None and each.lag.most > limits.lag
    conditions = (
        (each.members < limits.members, "a single member"),
        (worst["idle"] > 0, "idle members"),
        (worst["spread"] > 1, "uneven loads"),
        (worst["unassigned"] > 0, "unassigned partitions"),
        (step.rounds is None, "never stable"),
        (worst["moved"] > limits.moves, "needless moves"),
        (worst["most"] > limits.load, "a load not known to fit"),
        (lag, "a lag not known to fit"),
    )
    return tuple(words for holds, words in conditions if holds)


def _runs(answer: GroupScale) -> Iterator[list[Scaled]]:
    """Neighbouring counts of which the same is true."""
    for _, run in groupby(answer.counts, key=lambda each: _range([each])[1:]):
        yield list(run)


def _busiest_of(each: Scaled) -> str:
    if each.assignor is None:
        return "-"
    least, most = each.assignor.range_of("most")
    return str(most) if least == most else f"{least} to {most}"


def _range(run: Sequence[Scaled]) -> tuple[str, ...]:
    first, last = run[0], run[-1]
    name = str(first.members) if len(run) == 1 else f"{first.members}–{last.members}"
    own = ", ".join(reasons(first)) or "safe"
    return name, _busiest_of(first), own, "safe" if first.is_safe_at_best else "not safe"


def busiest_columns(answer: GroupScale) -> ColumnChart:
    """The partitions of the busiest member at each number of members."""
    rows = [
        ColumnOf(
            str(each.members),
            each.assignor.range_of("most").most,
            each.optimum.loads.most,
            ("ok" if each.is_safe else "bad") + (" now" if each.members == answer.today else ""),
            f"{counted(each.members, 'member')}: {_busiest_of(each)}, at best {each.optimum.loads.most}, "
            f"{'safe' if each.is_safe else ', '.join(reasons(each))}",
        )
        for each in answer.counts
        if each.assignor is not None
    ]
    title = f"Partitions of the busiest member with {answer.target}"
    return column_chart(title, rows, "members; green: safe, outlined: today, line: certified optimum")
