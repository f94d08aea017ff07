"""The plots of docs/gap-study.md as SVG files of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from kassay.report.screen.campaign import shown
from kassay.writing.text import visible

Row = Mapping[str, Any]
_PALETTE: Final = ("#1565c0", "#ef6c00", "#2e7d32", "#6a1b9a", "#c62828", "#00838f", "#795548", "#455a64")


def bars(rows: Sequence[Row], key: str, title: str) -> str:
    """Horizontal bars, a row a target and profile, as SVG."""
    top = max((float(row[key] or 0) for row in rows), default=0.0) or 1.0
    svg = _svg(800, 16 * len(rows) + 24, title)
    targets = list(dict.fromkeys(row["target"] for row in rows))
    for i, row in enumerate(rows):
        y, width = 20 + 16 * i, 420 * float(row[key] or 0) / top
        colour = _PALETTE[targets.index(row["target"]) % len(_PALETTE)]
        _add(svg, "text", f"{row['target']} · {row['profile']}", x=0, y=y + 11)
        _add(svg, "rect", x=300, y=y + 2, width=f"{width:.1f}", height=11, fill=colour)
        _add(svg, "text", shown(row[key], key), x=f"{306 + width:.1f}", y=y + 11)
    return ET.tostring(svg, encoding="unicode")


def lines(rows: Sequence[Row]) -> str:
    """The mean balance gap over the number of members, a line a target, as SVG; empty without rows."""
    unequal = [row for row in rows if not row["equal"]] or list(rows)
    if not unequal:
        return ""
    sizes = sorted({row["members"] for row in unequal})
    top = max(float(row["balance_mean"]) for row in unequal) or 1.0
    place = {size: 50 + 560 * i / max(1, len(sizes) - 1) for i, size in enumerate(sizes)}
    svg = _svg(800, 245, "mean balance gap by members, unequal subscriptions")
    for size, x in place.items():
        _add(svg, "text", f"{size}", x=f"{x:.0f}", y=235)
    _add(svg, "text", shown(top), x=0, y=34)
    _add(svg, "text", "0", x=0, y=219)
    for i, target in enumerate(dict.fromkeys(row["target"] for row in unequal)):
        points = " ".join(
            f"{place[row['members']]:.1f},{215 - 185 * float(row['balance_mean']) / top:.1f}"
            for row in unequal
            if row["target"] == target
        )
        colour = _PALETTE[i % len(_PALETTE)]
        _add(svg, "polyline", points=points, fill="none", stroke=colour, stroke_width=2)
        _add(svg, "text", target, x=640, y=34 + 15 * i, fill=colour)
    return ET.tostring(svg, encoding="unicode")


def _svg(width: int, height: int, title: str) -> ET.Element:
    svg = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=str(width),
        role="img",
    )
    _add(svg, "text", title, x=0, y=12, font_weight=600)
    return svg


def _add(svg: ET.Element, name: str, text: str = "", **attributes: object) -> None:
    """An element of the plot, its text with every character shown."""
    pairs = {key.replace("_", "-"): str(value) for key, value in attributes.items()}
    ET.SubElement(svg, name, pairs).text = visible(text) or None
