"""A campaign's outcome as one HTML page: its own SVG, nothing from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from kassay.report.screen.campaign import LEADERS, Row, shown, took, unfinished
from kassay.writing.html import Markup, page, table, tag

_PALETTE: Final = ("#1565c0", "#ef6c00", "#2e7d32", "#6a1b9a", "#c62828", "#00838f", "#795548", "#455a64")
_STYLE: Final = """body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;
padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;
text-align:left}td.n{text-align:right;font-variant-numeric:tabular-nums}h2{margin-top:2rem}
.holds{color:#2e7d32}.violated{color:#c62828;font-weight:600}.unknown{color:#b28704}.dim{color:#666}
svg text{font:11px system-ui,sans-serif}"""
_GAPS: Final = (
    ("target", "target"),
    ("profile", "profile"),
    ("instances", "instances"),
    ("unbalanced_share", "not optimal"),
    ("balance_mean", "balance gap, mean"),
    ("balance_p99", "p99"),
    ("balance_max", "worst"),
    ("spread_max", "worst spread"),
    ("movement_mean", "needless moves, mean"),
    ("movement_max", "worst"),
    ("rack_max", "worst rack"),
)
_TASKS: Final = (
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
_TASKS_BY_BATCH: Final = (
    ("batch", "batch"),
    ("histories", "histories"),
    ("tasks", "tasks"),
    ("seconds", "seconds"),
    ("p50_s", "median"),
    ("p90_s", "p90"),
    ("max_s", "longest"),
    ("longest_share", "longest of all seconds"),
)


def html(outcome: Row) -> str:
    """The whole report as one page."""
    spec, studies = outcome["spec"], outcome["studies"]
    parts = [
        tag("h1", f"Campaign {spec['name']}"),
        tag(
            "p",
            f"seed {spec['seed']}, {outcome['histories']:,} histories",
            tag("b", unfinished(outcome)),
            class_="dim",
        ),
        tag("p", took(outcome["totals"]), class_="dim"),
        tag("h2", "Leaderboard"),
        _table(studies["leaderboard"], LEADERS),
        tag("h2", "Verdicts over all profiles"),
        _verdicts(outcome["verdicts"]),
        tag("h2", "Findings"),
        _findings(outcome["findings"]),
    ]
    if studies["gap_by_profile"]:
        parts += [
            tag("h2", "Distance to the certified optimum"),
            tag(
                "p",
                "Balance gap: sum of squared loads less the least possible. Needless moves are counted where "
                "the loads are optimal.",
            ),
            bars(
                studies["gap_by_profile"], "unbalanced_share", "share of outcomes whose loads are not optimal"
            ),
            _table(studies["gap_by_profile"], _GAPS),
            tag("h2", "By number of members"),
            lines(studies["gap_by_size"]),
            tag("h2", "Rounds until the group is at rest"),
            _rounds(studies["convergence"]),
        ]
    parts += [
        tag("h2", "Time of tasks"),
        tag("p", "In seconds, by profile and by batch."),
        _table(studies["task_times"], _TASKS),
        _table(studies["task_times_by_batch"], _TASKS_BY_BATCH),
    ]
    return page(spec["name"], _STYLE, *parts)


def _table(rows: Sequence[Row], columns: Sequence[tuple[str, str]]) -> Markup:
    texts = {
        place for place, (key, _) in enumerate(columns) if any(isinstance(row[key], str) for row in rows)
    }
    cells = ([shown(row[key], key) for key, _ in columns] for row in rows)
    return table([title for _, title in columns], cells, set(range(len(columns))) - texts)


def _verdicts(rows: Sequence[Row]) -> Markup:
    cells = [
        (
            r["target"],
            r["claim"],
            tag("span", r["verdict"], class_=r["verdict"]),
            tag("span", r["why"], class_="dim"),
        )
        for r in rows
        if r["profile"] == "*"
    ]
    return table(("target", "claim", "verdict", "why"), cells)


def _findings(rows: Sequence[Row]) -> Markup:
    if not rows:
        return tag("p", "None.")
    columns = (
        ("target", "target"), ("claim", "claim"), ("input", "input"), ("kind", "kind"),
        ("failed", "histories"), ("profile", "profile"), ("index", "smallest"), ("members", "members"),
        ("partitions", "partitions"),
        ("events", "events"), ("message", "message"), ("others", "further kinds"),
    )  # fmt: skip
    return _table(rows, columns)


def bars(rows: Sequence[Row], key: str, title: str) -> Markup:
    """Horizontal bars, a row a target and profile, as SVG."""
    top = max((float(row[key] or 0) for row in rows), default=0.0) or 1.0
    height, parts = 16 * len(rows) + 24, list[Markup]()
    targets = list(dict.fromkeys(row["target"] for row in rows))
    for i, row in enumerate(rows):
        y, width = 20 + 16 * i, 420 * float(row[key] or 0) / top
        colour = _PALETTE[targets.index(row["target"]) % len(_PALETTE)]
        parts += [
            tag("text", f"{row['target']} · {row['profile']}", x=0, y=y + 11),
            tag("rect", x=300, y=y + 2, width=f"{width:.1f}", height=11, fill=colour),
            tag("text", shown(row[key], key), x=f"{306 + width:.1f}", y=y + 11),
        ]
    return _svg(800, height, title, parts)


def lines(rows: Sequence[Row]) -> Markup:
    """The mean balance gap over the number of members, a line a target, as SVG."""
    unequal = [row for row in rows if not row["equal"]] or list(rows)
    if not unequal:
        return Markup()
    sizes = sorted({row["members"] for row in unequal})
    top = max(float(row["balance_mean"]) for row in unequal) or 1.0
    place = {size: 50 + 560 * i / max(1, len(sizes) - 1) for i, size in enumerate(sizes)}
    parts = [tag("text", f"{size}", x=f"{x:.0f}", y=235) for size, x in place.items()]
    parts += [tag("text", shown(top), x=0, y=34), tag("text", "0", x=0, y=219)]
    for i, target in enumerate(dict.fromkeys(row["target"] for row in unequal)):
        points = " ".join(
            f"{place[row['members']]:.1f},{215 - 185 * float(row['balance_mean']) / top:.1f}"
            for row in unequal
            if row["target"] == target
        )
        colour = _PALETTE[i % len(_PALETTE)]
        parts += [
            tag("polyline", points=points, fill="none", stroke=colour, stroke_width=2),
            tag("text", target, x=640, y=34 + 15 * i, fill=colour),
        ]
    return _svg(800, 245, "mean balance gap by members, unequal subscriptions", parts)


def _rounds(rows: Sequence[Row]) -> Markup:
    totals: dict[str, Counter[int]] = {}
    for row in rows:
        totals.setdefault(row["target"], Counter())[row["rounds"]] += row["changes"]
    keys = sorted({rounds for counts in totals.values() for rounds in counts}, key=lambda k: (k < 0, k))
    columns = [("target", "target"), *((str(k), "never" if k < 0 else f"{k}") for k in keys)]
    return _table(
        [{"target": t, **{str(k): counts[k] for k in keys}} for t, counts in totals.items()], columns
    )


def _svg(width: int, height: int, title: str, parts: Sequence[Markup]) -> Markup:
    return tag(
        "svg",
        tag("text", title, x=0, y=12, font_weight=600),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        role="img",
    )
