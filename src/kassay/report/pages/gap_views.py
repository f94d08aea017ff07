"""Shared parts of pages about distances to the optimum: values, plots, boards of instances, columns.

The columns are those that the pages of campaigns and fleets show of their study tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, NamedTuple

from kassay.engines.optimum.gaps import TargetGaps
from kassay.kinds.broken import CouldBe, Guilt
from kassay.kinds.frames import Reported, board
from kassay.kinds.measures import ToldInstance
from kassay.kinds.registry import driver_for
from kassay.model.kinds import Kind
from kassay.report.loads import LoadBars, load_bars
from kassay.report.pages.layout import fragment
from kassay.report.pages.plots import BarChart, BarOf, Histograms, LineChart, bar_chart, histograms, plain
from kassay.report.screen.campaign import Row, shown
from kassay.solver.results import Gap
from kassay.writing.text import percent

BOARD_BYTES_MAX: Final = 150_000
"""A larger board is left out: it would be larger than the rest of the page."""
BOARDS_BYTES_MAX: Final = 600_000
"""The maximum size of all boards of a page."""
MEANING: Final = (
    "0 is the optimum. Balance: sum of squared loads above the optimum's. Spread: largest minus smallest "
    "load above the optimum's. Movement and rack: needless moves and replicas away from their rack, where "
    "the goals before them are met."
)
_OBJECTIVES: Final = ("balance", "spread", "movement", "rack")


class TableView(NamedTuple):
    """A table, the indexes of its numeric columns, and a sentence about it."""

    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    numeric: tuple[int, ...] = ()
    words: str = ""


class Case(NamedTuple):
    """An instance on a page: its title, its board (HTML) and its loads or None, and its commands."""

    anchor: str
    title: str
    words: str
    board: str | None
    bars: LoadBars | None
    commands: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class GapView:
    """The contents of such a page; empty parts are left out."""

    kind: str
    word: str
    look: str
    subject: str
    said: str
    facts: tuple[tuple[str, str], ...] = ()
    doubts: tuple[str, ...] = ()
    failures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    leaderboard: TableView | None = None
    bars: tuple[BarChart, ...] = ()
    claims: TableView | None = None
    histograms: tuple[Histograms, ...] = ()
    meaning: str = MEANING
    rounds: Histograms | None = None
    lines: tuple[LineChart, ...] = ()
    staircase: str = ""
    cases: tuple[Case, ...] = ()
    cases_title: str = "Worst cases"
    figures: TableView | None = None
    again: str = ""


def gap_histograms(gaps: Sequence[TargetGaps]) -> tuple[Histograms, ...]:
    """For each measured objective, the distribution of every target's gaps."""
    charts = []
    for objective in _OBJECTIVES:
        counts = {
            each.target.spec: Counter(
                value for gap in each.gaps if (value := getattr(gap, objective)) is not None
            )
            for each in gaps
        }
        judged = {spec: values for spec, values in counts.items() if values}
        if judged and any(value for values in judged.values() for value in values):
            texts = {spec: _text(values) for spec, values in judged.items()}
            charts.append(histograms(f"{objective.capitalize()} gap", judged, "gap of an instance", texts))
    return tuple(charts)


def _text(values: Counter[int]) -> str:
    """How often the gap is 0, and the largest gap."""
    total = sum(values.values())
    return f"{percent(values[0] / total)} at the optimum, worst {plain(max(values))}"


def round_histograms(gaps: Sequence[TargetGaps]) -> Histograms | None:
    """How many rounds each target took on an instance; None if all took one."""
    counts = {each.target.spec: each.rounds_taken for each in gaps if each.rounds_taken}
    if not any(rounds > 1 for each in counts.values() for rounds in each):
        return None
    texts = {
        spec: f"{sum(n * rounds for rounds, n in each.items()) / sum(each.values()):.2f} on average"
        for spec, each in counts.items()
    }
    return histograms("Instances by the rounds they took", counts, "rounds", texts)


def gap_bars(gaps: Sequence[TargetGaps]) -> tuple[BarChart, ...]:
    """How many instances are short of the optimal balance, and the total moves compared with the minimum."""
    short = []
    for each in gaps:
        balance = each.distributions["balance"]
        share = None if balance is None else 1 - balance.at_zero
        short.append(
            BarOf(
                each.target.spec, share, "-" if share is None else percent(share, bad=True), each.target.spec
            )
        )
    moved = [
        BarOf(
            each.target.spec,
            each.totals["moved"],
            f"{each.totals['moved']:,} (optimum {each.totals['optimal_moved']:,})",
            each.target.spec,
            each.totals["optimal_moved"],
        )
        for each in gaps
    ]
    return (
        bar_chart("Instances short of the optimal balance", short, whole=1.0),
        bar_chart("Moves in all", moved, marked="the certified optimum"),
    )


def case_of(
    kind: Kind,
    gap: Gap[Any, Any],
    instance: ToldInstance,
    anchor: str,
    title: str,
    commands: tuple[str, ...],
) -> Case:
    """An instance with the answer next to the certified optimum; without a board if that is too large."""
    best = gap.best
    about = f" ({instance.about})" if instance.about else ""
    optimum = CouldBe(
        place=instance.place,
        by="the solver",
        certified=True,
        words=f"loads {_run(best.loads)}, {best.moved} moved{about}",
        answer=instance.best,
        measures={"loads": _run(best.loads), "moved": best.moved},
        instead_of={"loads": _run(gap.loads), "moved": gap.moved},
    )
    frames = driver_for(kind).frames(Reported((instance.step,), {}, Guilt(could_be=optimum)))
    html = fragment("boards", "board", board(anchor, frames))
    drawn = html if len(html) <= BOARD_BYTES_MAX else None
    return Case(anchor, title, gap_words(gap), drawn, load_bars(frames[0]) if frames else None, commands)


def fitting(cases: Iterable[Case]) -> tuple[Case, ...]:
    """The cases, with boards up to the size limit of the page."""
    room, kept = BOARDS_BYTES_MAX, []
    for case in cases:
        weight = len(case.board or "")
        kept.append(case if weight <= room else case._replace(board=None))
        room -= weight if weight <= room else 0
    return tuple(kept)


def gap_words(gap: Gap[Any, Any]) -> str:
    """An answer's figures next to the optimum's."""
    judged = ", ".join(
        f"{name} gap {value}" for name in _OBJECTIVES if (value := attrgetter(name)(gap)) is not None
    )
    return (
        f"{judged}; {gap.moved} moved where {gap.best.moved} are least, loads {_run(gap.loads)} where "
        f"{_run(gap.best.loads)} is possible."
    )


def _run(loads: Sequence[int]) -> str:
    """Loads, ascending, as one short text."""
    counts = Counter(loads)
    return " ".join(f"{load}" if count == 1 else f"{count}×{load}" for load, count in sorted(counts.items()))


GAP_COLUMNS: Final = (
    ("target", "target"),
    ("profile", "profile"),
    ("instances", "instances"),
    ("unbalanced_share", "not optimal"),
    ("balance_mean", "balance gap, mean"),
    ("balance_p99", "p99"),
    ("balance_max", "worst"),
    ("spread_max", "worst spread"),
    ("movement_mean", "needless moves, mean"),
    ("movement_max", "worst moves"),
    ("rack_max", "worst rack"),
)
WORST_COLUMNS: Final = (
    ("target", "target"),
    ("profile", "profile"),
    ("history", "history"),
    ("members", "members"),
    ("partitions", "partitions"),
    ("balance_worst", "balance gap"),
    ("spread_worst", "spread"),
    ("movement_worst", "needless moves"),
    ("rack_worst", "rack"),
)
TASK_COLUMNS: Final = (
    ("profile", "profile"),
    ("tasks", "tasks"),
    ("seconds", "seconds"),
    ("p50_s", "median"),
    ("p90_s", "p90"),
    ("p99_s", "p99"),
    ("max_s", "longest"),
    ("max_to_median", "longest to median"),
    ("peak_kib", "peak KiB"),
    ("attempts", "tries after the first"),
)
BATCH_COLUMNS: Final = (
    ("batch", "batch"),
    ("histories", "histories"),
    ("tasks", "tasks"),
    ("seconds", "seconds"),
    ("p50_s", "median"),
    ("p90_s", "p90"),
    ("max_s", "longest"),
    ("longest_share", "longest of all seconds"),
)


def columns_table(rows: Sequence[Row], columns: Sequence[tuple[str, str]]) -> TableView:
    """The columns (key, title) of the rows; texts are left-aligned, numbers right-aligned."""
    texts = {n for n, (key, _) in enumerate(columns) if any(isinstance(row[key], str) for row in rows)}
    cells = tuple(tuple(shown(row[key], key) for key, _ in columns) for row in rows)
    numeric = tuple(n for n in range(len(columns)) if n not in texts)
    return TableView(tuple(title for _, title in columns), cells, numeric)
