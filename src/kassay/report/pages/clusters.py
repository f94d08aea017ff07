"""A consumer group of a real cluster as HTML pages: `what-if`, and a group that is not stable.

`what-if` shows what would become of the group: today, candidates, events, the safe way there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from kassay.engines.clusters.figures import Loads
from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.recommend import recommend
from kassay.engines.clusters.rollout import Rollout
from kassay.engines.clusters.whatif import WhatIf
from kassay.report.pages.layout import render as page
from kassay.report.pages.plots import BarChart, BarOf, Histograms, bar_chart, histograms
from kassay.report.screen.clusters import (
    HOLDING_COLUMNS,
    NOT_COMPUTED,
    doubts_of,
    event_rows,
    growth_facts,
    holding_rows,
    identity,
    meaning_of_columns,
    spread_of,
    switch_rows,
    unstable_identity,
    what_if_columns,
)
from kassay.report.screen.rollouts import path_summary, refusals, step_facts, stop_facts
from kassay.writing.text import counted

_UNOWNED_MAX: Final = 200
"""The maximum number of unowned partitions to list; the rest is counted."""


class StepView(NamedTuple):
    """A step of a rolling restart: the setting to copy, and its effect."""

    setting: str
    restarts: int
    facts: tuple[str, ...]


class PathView(NamedTuple):
    """A path to a candidate: its cost, its steps, shorter paths that are not safe, and notes.

    `stop`, where all members must stop first: the setting to start them with, then what that costs.
    """

    title: str
    summary: str
    policy: str | None
    steps: tuple[StepView, ...]
    refused: tuple[str, ...]
    notes: tuple[str, ...]
    stop: tuple[str, ...]


class WhatIfPage(NamedTuple):
    """The contents of the page. Rows are texts under `columns`; `events` have a title and rows each."""

    word: str
    look: str
    group: str
    said: str
    identity: str
    doubts: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]
    unowned: tuple[tuple[str, str], ...]
    unowned_more: int
    columns: tuple[str, ...]
    event_columns: tuple[str, ...]
    switches: tuple[tuple[str, ...], ...]
    recommended: tuple[int, ...]
    failed: tuple[str, ...]
    meaning: str
    spread: Histograms
    moves: BarChart
    events: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
    growths: tuple[str, ...]
    paths: tuple[PathView, ...]
    again: str


def render_what_if(answer: WhatIf, again: str) -> str:
    """The page; `again` is the command that reproduces it."""
    return page("what_if", ("figures",), view=what_if_view_of(answer, again))


def what_if_view_of(answer: WhatIf, again: str) -> WhatIfPage:
    """The page's contents."""
    observed, today, best = answer.observed, answer.today, answer.optimum.steps[0]
    labels = observed.labels
    advice, rows = recommend(answer), [_texts(row) for row in switch_rows(answer)]
    return WhatIfPage(
        word=advice.words,
        look="ok" if advice.stays else "warn",
        group=observed.name or "(no name)",
        said=f"{advice.reason} The certified optimum: {spread_of(best.loads)}, "
        f"{counted(best.moved, 'move')}.",
        identity=identity(observed),
        doubts=tuple(doubts_of(observed, answer.alarm)),
        figures=tuple(_figures(today, labels)),
        unowned=tuple((str(use.partition), labels[use.member]) for use in answer.unowned[:_UNOWNED_MAX]),
        unowned_more=max(0, len(answer.unowned) - _UNOWNED_MAX),
        columns=what_if_columns(answer),
        event_columns=what_if_columns(answer, "assignor"),
        switches=tuple(rows),
        recommended=tuple(place for place, row in enumerate(rows) if row[0] in advice.names),
        failed=tuple(f"{each.spec}: {each.failure}" for each in answer.failed),
        meaning=meaning_of_columns(answer),
        spread=spread_histograms(answer),
        moves=move_bars(answer),
        events=tuple((title, tuple(map(_texts, rows))) for title, rows in event_rows(answer)),
        growths=tuple(each.strip() for each in growth_facts(answer)),
        paths=tuple(_path(each) for each in answer.paths),
        again=again,
    )


def _texts(row: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, row))


def _figures(today: Loads, labels: dict[str, str]) -> Iterable[tuple[str, str]]:
    yield "Members", str(today.members)
    yield "Partitions owned", str(today.partitions)
    yield "A member", spread_of(today)
    yield "Busiest", f"{labels[today.busiest]} with {today.most}"
    if today.lag is not None:
        least = "at least " if today.lag.unknown else ""
        lag = today.lag
        to = "" if lag.least == lag.most else f"{lag.least:,} to "
        yield "Lag", f"{least}{to}{lag.most:,} a member"
    yield "Idle", ", ".join(labels[each] for each in today.idle) or "none"


def spread_histograms(answer: WhatIf) -> Histograms:
    """How many members have how many partitions: today, with each candidate, and at the optimum."""
    members = answer.observed.group.members
    rows = {"today": answer.observed.assignment}
    rows |= {each.spec: each.answers[0] for each in answer.candidates if each.answers}
    rows["optimum"] = answer.optimum.answers[0]
    counts = {
        name: Counter(len(given.get(member.member_id, ())) for member in members)
        for name, given in rows.items()
    }
    texts = {name: f"{_range(loads)} a member" for name, loads in counts.items()}
    return histograms("Members by how many partitions they have", counts, "partitions of a member", texts)


def _range(loads: Collection[int]) -> str:
    """The least and the greatest load, or the one number that all have."""
    least, most = min(loads), max(loads)
    return str(least) if least == most else f"{least} to {most}"


def move_bars(answer: WhatIf) -> BarChart:
    """How many partitions move in the switch to each candidate."""
    best = answer.optimum.steps[0]
    rows = [
        BarOf(each.spec, step.moved, f"{counted(step.moved, 'move')}, {step.paused} paused", best=best.moved)
        for each in answer.candidates
        if (step := each.switch) is not None
    ]
    return bar_chart("Partitions that move by switching", rows, marked=f"the certified optimum: {best.moved}")


def _path(path: Rollout) -> PathView:
    steps = tuple(
        StepView(path.written(step.setting), step.restarts, tuple(step_facts(step, path)))
        for step in path.steps
    )
    stop = (path.written(path.goal), *stop_facts(path)) if path.is_stop else ()
    policy = path.policies[-1] if path.policies else None
    notes = (
        *path.notes,
        *(() if path.client is None else (f"Settings with which a member starts: {path.client.origin}.",)),
    )
    return PathView(str(path.goal), path_summary(path), policy, steps, tuple(refusals(path)), notes, stop)


class UnstablePage(NamedTuple):
    """The page's contents; `rows` are texts under `columns`, a row per member."""

    group: str
    said: str
    identity: str
    reasons: tuple[str, ...]
    doubts: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    unowned: tuple[str, ...]
    unowned_more: int
    again: str


def render_unstable(observed: ObservedGroup, again: str) -> str:
    """The page of a group that is not stable; `again` is the command that reproduces it."""
    return page("unstable", view=unstable_view_of(observed, again))


def unstable_view_of(observed: ObservedGroup, again: str) -> UnstablePage:
    """The page's contents: why the group is not stable, who holds what, and who waits."""
    stability = observed.stability
    return UnstablePage(
        group=observed.name or "(no name)",
        said=NOT_COMPUTED,
        identity=unstable_identity(observed),
        reasons=tuple(f"{_opened(each)}." for each in stability.reasons),
        doubts=tuple(observed.warnings),
        columns=HOLDING_COLUMNS,
        rows=tuple(map(_texts, holding_rows(observed))),
        unowned=tuple(map(str, stability.unowned[:_UNOWNED_MAX])),
        unowned_more=max(0, len(stability.unowned) - _UNOWNED_MAX),
        again=again,
    )


def _opened(reason: str) -> str:
    """The reason as the beginning of a sentence; the name of a member keeps its letters."""
    return f"{reason[0].upper()}{reason[1:]}" if reason.startswith(("its ", "the ")) else reason
