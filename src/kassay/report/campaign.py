"""A campaign's outcome for the terminal and as one HTML page: its own SVG, nothing from elsewhere."""

from __future__ import annotations

import html as markup
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

SCHEMA: Final = "kassay/campaign-report/1"
Row = Mapping[str, Any]
_PALETTE: Final = ("#1565c0", "#ef6c00", "#2e7d32", "#6a1b9a", "#c62828", "#00838f", "#795548", "#455a64")
_STYLE: Final = """body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;
padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;
text-align:left}td.n{text-align:right;font-variant-numeric:tabular-nums}h2{margin-top:2rem}
.holds{color:#2e7d32}.violated{color:#c62828;font-weight:600}.unknown{color:#b28704}.dim{color:#666}
svg text{font:11px system-ui,sans-serif}"""


class Progressed(Protocol):
    """What there is to say after each batch."""

    @property
    def batch(self) -> int:
        """Its number."""

    @property
    def done(self) -> int:
        """Histories played."""

    @property
    def of(self) -> int:
        """Histories in all."""

    @property
    def rate(self) -> float:
        """Histories a second."""

    @property
    def eta_s(self) -> float | None:
        """Seconds left, if known."""

    @property
    def findings(self) -> int:
        """Findings so far."""


@dataclass
class Told:
    """Tells the progress of a campaign, a line a batch."""

    screen: Console
    lines: list[str] = field(default_factory=list)

    def progress(self, now: Progressed) -> None:
        """Print where the campaign is."""
        left = "?" if now.eta_s is None else f"{now.eta_s:.0f} s"
        line = (
            f"batch {now.batch}: {now.done:,} of {now.of:,} histories, {now.rate:,.0f}/s, "
            f"{left} left, {now.findings} findings so far"
        )
        self.lines.append(line)
        self.screen.print(line, markup=False)


def document(
    spec: Row,
    verdicts: Sequence[Row],
    findings: Sequence[Row],
    studies: Mapping[str, Sequence[Row]],
    *,
    histories: int,
    complete: bool,
) -> dict[str, Any]:
    """The outcome as a document of plain values; the traces stay in the table."""
    return {
        "schema": SCHEMA,
        "spec": dict(spec),
        "histories": histories,
        "complete": complete,
        "verdicts": [dict(row) for row in verdicts],
        "findings": [
            {k: int(v) if k == "seed" else v for k, v in row.items() if k != "trace"} for row in findings
        ],
        "studies": {name: [dict(row) for row in rows] for name, rows in studies.items()},
    }


def terminal(made: Row) -> RenderableType:
    """The leaderboard and the findings, as a person reads them."""
    spec = made["spec"]
    parts: list[RenderableType] = [
        Text.assemble(
            (f"{spec['name']}", "bold"),
            (f"  seed {spec['seed']}, {made['histories']:,} histories", "dim"),
            ("" if made["complete"] else "  unfinished", "yellow"),
        ),
        _terminal_table(made["studies"]["leaderboard"], _LEADERS),
    ]
    parts += [
        Text.assemble(
            (f"{row['target']} ", "bold"),
            (f"{row['claim']}", "red"),
            f" on {row['input']} input, in {row['failed']} histories; smallest: "
            f"{row['profile']} history {row['index']}, {row['message']}",
        )
        for row in made["findings"]
    ]
    return Group(*parts)


_LEADERS: Final = (
    ("target", "target"),
    ("histories", "histories"),
    ("holds", "hold"),
    ("violated", "violated"),
    ("unknown", "unknown"),
    ("instances", "instances"),
    ("unbalanced_share", "not optimal"),
    ("balance_mean", "balance gap"),
    ("movement_mean", "needless moves"),
    ("rounds_mean", "rounds"),
)
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


def _terminal_table(rows: Sequence[Row], columns: Sequence[tuple[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for key, title in columns:
        table.add_column(title, justify="left" if key in ("target", "profile") else "right")
    for row in rows:
        table.add_row(*(shown(row[key], key) for key, _ in columns))
    return table


def shown(value: object, key: str = "") -> str:
    """A cell as text."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return (
            f"{value:.2%}"
            if key.endswith("_share")
            else f"{value:.3g}"
            if abs(value) < 1e6
            else f"{value:,.0f}"
        )
    return f"{value:,}" if isinstance(value, int) else str(value)


def html(made: Row) -> str:
    """The whole report as one page."""
    spec, studies = made["spec"], made["studies"]
    parts = [
        f"<h1>Campaign {_e(spec['name'])}</h1>",
        f"<p class=dim>seed {spec['seed']}, {made['histories']:,} histories"
        + ("" if made["complete"] else ", unfinished")
        + "</p>",
        "<h2>Leaderboard</h2>",
        _table(studies["leaderboard"], _LEADERS),
        "<h2>Verdicts over all profiles</h2>",
        _verdicts(made["verdicts"]),
        "<h2>Findings</h2>",
        _findings(made["findings"]),
    ]
    if studies["gap_by_profile"]:
        parts += [
            "<h2>Distance to the certified optimum</h2>",
            "<p>Balance gap: sum of squared loads less the least possible. Needless moves are counted where "
            "the loads are optimal.</p>",
            bars(
                studies["gap_by_profile"], "unbalanced_share", "share of outcomes whose loads are not optimal"
            ),
            _table(studies["gap_by_profile"], _GAPS),
            "<h2>By number of members</h2>",
            lines(studies["gap_by_size"]),
            "<h2>Rounds until the group is at rest</h2>",
            _rounds(studies["convergence"]),
        ]
    body = "\n".join(parts)
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{_e(spec['name'])}</title>"
        f"<style>{_STYLE}</style>{body}</html>\n"
    )


def _e(value: object) -> str:
    return markup.escape(str(value))


def _table(rows: Sequence[Row], columns: Sequence[tuple[str, str]]) -> str:
    head = "".join(f"<th>{_e(title)}</th>" for _, title in columns)
    lines_ = []
    for row in rows:
        cells = [
            f"<td{'' if isinstance(row[k], str) else ' class=n'}>{_e(shown(row[k], k))}</td>"
            for k, _ in columns
        ]
        lines_.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><tr>{head}</tr>{''.join(lines_)}</table>"


def _verdicts(rows: Sequence[Row]) -> str:
    lines_ = [
        f"<tr><td>{_e(r['target'])}</td><td>{_e(r['claim'])}</td><td class={r['verdict']}>{r['verdict']}</td>"
        f"<td class=dim>{_e(r['why'])}</td></tr>"
        for r in rows
        if r["profile"] == "*"
    ]
    return (
        f"<table><tr><th>target</th><th>claim</th><th>verdict</th><th>why</th></tr>{''.join(lines_)}</table>"
    )


def _findings(rows: Sequence[Row]) -> str:
    if not rows:
        return "<p>None.</p>"
    columns = (
        ("target", "target"), ("claim", "claim"), ("input", "input"), ("failed", "histories"),
        ("profile", "profile"), ("index", "smallest"), ("members", "members"), ("partitions", "partitions"),
        ("events", "events"), ("message", "message"),
    )  # fmt: skip
    return _table(rows, columns)


def bars(rows: Sequence[Row], key: str, title: str) -> str:
    """Horizontal bars, a row a target and profile, as SVG."""
    top = max((float(row[key] or 0) for row in rows), default=0.0) or 1.0
    height, parts = 16 * len(rows) + 24, list[str]()
    targets = list(dict.fromkeys(row["target"] for row in rows))
    for i, row in enumerate(rows):
        y, width = 20 + 16 * i, 420 * float(row[key] or 0) / top
        colour = _PALETTE[targets.index(row["target"]) % len(_PALETTE)]
        parts.append(
            f'<text x="0" y="{y + 11}">{_e(row["target"])} · {_e(row["profile"])}</text>'
            f'<rect x="300" y="{y + 2}" width="{width:.1f}" height="11" fill="{colour}"/>'
            f'<text x="{306 + width:.1f}" y="{y + 11}">{_e(shown(row[key], key))}</text>'
        )
    return _svg(800, height, title, parts)


def lines(rows: Sequence[Row]) -> str:
    """The mean balance gap over the number of members, a line a target, as SVG."""
    unequal = [row for row in rows if not row["equal"]] or list(rows)
    if not unequal:
        return ""
    sizes = sorted({row["members"] for row in unequal})
    top = max(float(row["balance_mean"]) for row in unequal) or 1.0
    place = {size: 50 + 560 * i / max(1, len(sizes) - 1) for i, size in enumerate(sizes)}
    parts = [f'<text x="{x:.0f}" y="235">{size}</text>' for size, x in place.items()]
    parts.append(f'<text x="0" y="34">{_e(shown(top))}</text><text x="0" y="219">0</text>')
    for i, target in enumerate(dict.fromkeys(row["target"] for row in unequal)):
        points = " ".join(
            f"{place[row['members']]:.1f},{215 - 185 * float(row['balance_mean']) / top:.1f}"
            for row in unequal
            if row["target"] == target
        )
        colour = _PALETTE[i % len(_PALETTE)]
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text x="640" y="{34 + 15 * i}" fill="{colour}">{_e(target)}</text>'
        )
    return _svg(800, 245, "mean balance gap by members, unequal subscriptions", parts)


def _rounds(rows: Sequence[Row]) -> str:
    totals: dict[str, dict[int, int]] = {}
    for row in rows:
        counts = totals.setdefault(row["target"], {})
        counts[row["rounds"]] = counts.get(row["rounds"], 0) + row["changes"]
    seen = sorted({rounds for counts in totals.values() for rounds in counts if rounds >= 0})
    keys = [*seen, -1] if any(-1 in counts for counts in totals.values()) else seen
    columns = [("target", "target"), *((str(k), "never" if k < 0 else f"{k}") for k in keys)]
    return _table(
        [{"target": t, **{str(k): counts.get(k, 0) for k in keys}} for t, counts in totals.items()], columns
    )


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
        f'<text x="0" y="12" font-weight="600">{_e(title)}</text>{"".join(parts)}</svg>'
    )
