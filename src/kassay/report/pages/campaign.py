"""A campaign's result as one HTML page: verdicts, findings that open their boards, and plots of the study."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from kassay.model.trace import trace_of
from kassay.report.pages.gap_views import (
    BATCH_COLUMNS,
    GAP_COLUMNS,
    TASK_COLUMNS,
    WORST_COLUMNS,
    TableView,
    columns_table,
)
from kassay.report.pages.layout import Parcels, board_of, fragment, packed
from kassay.report.pages.layout import render as page
from kassay.report.pages.plots import (
    NEVER,
    BarChart,
    BarOf,
    Chart,
    Histograms,
    LineChart,
    StripChart,
    StripOf,
    bar_chart,
    histograms,
    line_chart,
    strip_chart,
)
from kassay.report.screen.campaign import LEADERS, Row, said, shown, shown_by, took, unfinished, verdict
from kassay.writing.files import file_name
from kassay.writing.text import counted, shell_command, visible

BOARDS_BYTES_MAX: Final = 400_000
"""The maximum size of a page's boards, compressed; beyond that the command saves a finding's trace."""
LISTED_BYTES_MAX: Final = 400_000
"""The maximum size of the list of findings; beyond that, their number and the command."""
VERDICTS_MAX: Final = 300
"""The maximum number of verdicts of each kind to list; the table `verdicts` has the rest."""
_GROUP_BYTES: Final = 100
"""The size of a group's heading without its names."""
_MESSAGE_MAX: Final = 240
_LOOKS: Final = {"holds": "ok", "violated": "bad", "unknown": "warn"}


class FindingGroup(NamedTuple):
    """The findings of a target against a claim, each a line of HTML."""

    target: str
    claim: str
    lines: tuple[str, ...]


class CampaignView(NamedTuple):
    """The contents of the page."""

    name: str
    word: str
    look: str
    said: str
    doubts: tuple[str, ...]
    took: str
    leaderboard: TableView
    bars: tuple[BarChart, ...]
    broken: TableView
    holds: TableView
    groups: tuple[FindingGroup, ...]
    findings_said: str
    save: str
    left_out: str
    strips: tuple[StripChart, ...]
    lines: LineChart | None
    gaps: TableView
    worst: TableView
    rounds: Histograms | None
    times: tuple[StripChart, ...]
    tasks: TableView
    batches: TableView
    parcels: tuple[str, ...]


def render(outcome: Row, traces: Sequence[str], place: str) -> str:
    """The whole page. `traces` are the JSON texts of the findings' traces, in the order of the findings.

    `place` is the campaign's folder, for the command that saves traces.
    """
    return page_of(view_of(outcome, traces, place))


def page_of(view: CampaignView) -> str:
    """The page for these contents."""
    return page("campaign", ("figures", "board", "packed"), view=view)


def view_of(outcome: Row, traces: Sequence[str], place: str) -> CampaignView:
    """The page's contents for a campaign's result."""
    spec, studies, findings = outcome["spec"], outcome["studies"], outcome["findings"]
    parcels = packed(map(_piece, findings, traces), BOARDS_BYTES_MAX)
    lines = list(_lines(findings, parcels))
    every = [row for row in outcome["verdicts"] if row["profile"] == "*"]
    word = verdict(outcome)
    save = shell_command(("kassay", "campaign", "findings", place, "--out", "traces"))
    return CampaignView(
        spec["name"],
        word,
        _LOOKS[word],
        f"{said(outcome)}.",
        tuple(_doubts(outcome)),
        took(outcome["totals"]),
        columns_table(studies["leaderboard"], LEADERS),
        _bars(studies),
        _verdicts([row for row in every if row["verdict"] != "holds"]),
        _verdicts([row for row in every if row["verdict"] == "holds"]),
        tuple(_groups(findings, lines)),
        _findings_said(len(findings), len(lines), min(parcels.pieces, len(lines))),
        save,
        f"{len(findings) - len(lines):,} more: the command above saves them all."
        if len(lines) < len(findings)
        else "",
        tuple(_strips(studies["gap_by_profile"])),
        _by_size(studies["gap_by_size"]),
        columns_table(studies["gap_by_profile"], GAP_COLUMNS),
        columns_table(studies["worst_cases"], WORST_COLUMNS),
        _rounds(studies["convergence"]),
        _times(studies),
        columns_table(studies["task_times"], TASK_COLUMNS),
        columns_table(studies["task_times_by_batch"], BATCH_COLUMNS),
        parcels.parcels,
    )


def charts_of(outcome: Row) -> list[Chart]:
    """All charts of the page, in its order."""
    studies = outcome["studies"]
    lines, rounds = _by_size(studies["gap_by_size"]), _rounds(studies["convergence"])
    return [
        *_bars(studies),
        *_strips(studies["gap_by_profile"]),
        *([] if lines is None else [lines]),
        *([] if rounds is None else [rounds]),
        *_times(studies),
    ]


def _doubts(outcome: Row) -> Iterator[str]:
    if not outcome["complete"]:
        yield f"The campaign is not complete{unfinished(outcome).removeprefix(', unfinished')}."
    unsure = [row for row in outcome["verdicts"] if row["profile"] == "*" and row["verdict"] == "unknown"]
    if unsure:
        yield f"Unknown: {counted(len(unsure), 'claim')}; histories are few or situations were not reached."


def _bars(studies: Mapping[str, Sequence[Row]]) -> tuple[BarChart, ...]:
    rows = [row for row in studies["leaderboard"] if row["unbalanced_share"] is not None]
    if not rows:
        return ()
    short = bar_chart(
        "Outcomes whose loads are not optimal",
        [
            BarOf(r["target"], r["unbalanced_share"], shown(r["unbalanced_share"], "_share"), r["target"])
            for r in rows
        ],
        whole=1.0,
    )
    needless = bar_chart(
        "Needless moves an outcome, where the loads are optimal",
        [BarOf(r["target"], r["movement_mean"], shown(r["movement_mean"]), r["target"]) for r in rows],
    )
    return short, needless


def _verdicts(rows: Sequence[Row]) -> TableView:
    cells = tuple(
        (
            row["target"],
            row["claim"],
            fragment("components", "badge", row["verdict"], _LOOKS[row["verdict"]]),
            row["why"],
        )
        for row in rows[:VERDICTS_MAX]
    )
    beyond = len(rows) - len(cells)
    words = f"{beyond:,} more are in the table verdicts." if beyond else ""
    return TableView(("target", "claim", "verdict", "why"), cells, words=words)


def _file(row: Row) -> str:
    return file_name(row["target"], row["claim"], row["identity"], suffix=".json")


def _piece(row: Row, trace: str) -> str:
    """The HTML that a finding opens."""
    board = board_of(trace_of(json.loads(trace), row["identity"]), f"finding-{row['identity']}")
    return str(fragment("finding", "finding", row, _file(row), board))


def _lines(findings: Sequence[Row], parcels: Parcels) -> Iterator[str]:
    """The findings as an HTML list, up to the size limit."""
    room, before = LISTED_BYTES_MAX, None
    for number, row in enumerate(findings):
        message = row["message"].removeprefix(f"{row['claim']}: ")
        if len(message) > _MESSAGE_MAX:
            message = message[: _MESSAGE_MAX - 1] + "…"
        seen = f"{row['input']} input, {shown_by(row)}"
        line = fragment("finding", "line", row, message, seen, parcels.place(number), _file(row))
        group = row["target"], row["claim"]
        room -= len(line.encode()) + (
            0 if group == before else _GROUP_BYTES + 4 * len(visible("".join(group)).encode())
        )
        before = group
        if room < 0:
            return
        yield line


def _groups(findings: Sequence[Row], lines: Sequence[str]) -> Iterator[FindingGroup]:
    pairs = zip(findings, lines)
    for (target, claim), rows in groupby(pairs, key=lambda pair: (pair[0]["target"], pair[0]["claim"])):
        yield FindingGroup(target, claim, tuple(line for _, line in rows))


def _findings_said(total: int, listed: int, boards: int) -> str:
    opens = "Each opens its board" if boards == total else f"The first {boards:,} open their boards"
    beyond = "" if listed == total else f"; {listed:,} are listed"
    return f"{total:,} in all. {opens}{beyond}. This saves them as traces, to replay and explain:"


def _strips(rows: Sequence[Row]) -> Iterator[StripChart]:
    if not rows:
        return
    for title, marks in (
        ("Balance gap: median, p99 and worst", ("balance_p50", "balance_p99", "balance_max")),
        ("Needless moves: p99 and worst", ("movement_p99", "movement_max")),
        ("Needless rack mismatches: worst", ("rack_max",)),
    ):
        if any(row.get(key) for row in rows for key in marks):
            names = [
                (key, key.rpartition("_")[2].replace("p50", "median").replace("max", "worst"))
                for key in marks
            ]
            yield strip_chart(
                title,
                [
                    StripOf(
                        f"{row['target']} · {row['profile']}",
                        tuple((name, row.get(key)) for key, name in names),
                        row["target"],
                    )
                    for row in rows
                ],
            )


def _by_size(rows: Sequence[Row]) -> LineChart | None:
    """The mean balance gap over the number of members, where members read different topics."""
    unequal = [row for row in rows if not row["equal"]] or list(rows)
    if not unequal:
        return None
    series: dict[str, list[tuple[float, float]]] = {}
    for row in unequal:
        series.setdefault(row["target"], []).append((row["members"], float(row["balance_mean"])))
    title = "Mean balance gap by number of members, where members read different topics"
    return line_chart(title, series, across="members", up="mean balance gap")


def _rounds(rows: Sequence[Row]) -> Histograms | None:
    totals: dict[str, Counter[int]] = {}
    for row in rows:
        totals.setdefault(row["target"], Counter())[row["rounds"] if row["rounds"] >= 0 else NEVER] += row[
            "changes"
        ]
    if not totals:
        return None
    return histograms("Changes of a group by the rounds that followed", totals, "rounds", _settled(totals))


def _settled(totals: Mapping[str, Counter[int]]) -> dict[str, str]:
    texts = {}
    for target, counts in totals.items():
        rest = sum(n for rounds, n in counts.items() if rounds != NEVER)
        mean = sum(n * rounds for rounds, n in counts.items() if rounds != NEVER) / max(rest, 1)
        never = f", {counts[NEVER]:,} never at rest" if counts[NEVER] else ""
        texts[target] = f"{mean:.2f} rounds on average{never}"
    return texts


def _times(studies: Mapping[str, Sequence[Row]]) -> tuple[StripChart, ...]:
    marks: tuple[tuple[str, str], ...] = (("median", "p50_s"), ("p90", "p90_s"), ("longest", "max_s"))

    def rows(study: str, key: str, label: str) -> list[StripOf]:
        return [
            StripOf(f"{label}{row[key]}", tuple((name, _milliseconds(row[mark])) for name, mark in marks))
            for row in studies[study]
        ]

    charts = [strip_chart("Milliseconds of a task, by profile", rows("task_times", "profile", ""))]
    if len(studies["task_times_by_batch"]) > 1:
        by_batch = rows("task_times_by_batch", "batch", "batch ")
        charts.append(strip_chart("Milliseconds of a task, by batch", by_batch))
    return tuple(charts)


def _milliseconds(seconds: Any) -> float | None:
    return None if seconds is None else round(1000 * float(seconds))
