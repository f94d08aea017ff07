"""Boards of traces that are on record, and a page with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kassay.kinds.broken import evidence
from kassay.kinds.frames import Board, Frame, Grid, Reported
from kassay.model.trace import Trace, trace_of
from kassay.report.pages.layout import board_of, environment, whole
from tests.paths import ROOT

HELD = ROOT / "tests" / "data" / "held" / "traces"
OURS = ROOT / "docs" / "traces"
PAGE = """{% extends "base.html.j2" %}{% import "boards.html.j2" as boards %}{% block title %}boards{% endblock %}
{% block main %}<h1>boards</h1><h2>one</h2><h3>trace</h3>{% for each in drawn %}{{ boards.board(each) }}{% endfor %}{% endblock %}"""
LETTERS = {
    "C": "client", "S": "server", "H": "share", "T": "streams", "P": "placer", "L": "planner",
    "K": "partitioner",
}  # fmt: skip
"""What the first version of traces had for the name of a kind."""


def trace(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text())
    return document | {"kind": LETTERS.get(document["kind"], document["kind"])}


def read(document: dict[str, Any]) -> Trace:
    return trace_of(document, "trace")


def drawn(path: Path) -> Board:
    board = board_of(read(trace(path)), "trace-1")
    assert board is not None
    return board


def told(*steps: dict[str, Any], case: dict[str, Any] | None = None) -> Reported:
    return Reported(steps, case or {}, evidence((), (), None))


def page(*boards: Board) -> str:
    return whole(environment().from_string(PAGE), ("board",), {"drawn": boards})


def rows(table: Grid) -> dict[str, list[str]]:
    """By the name of each row the texts of its cells, a guilty tile or row with its sign."""
    return {
        f"{row.name}{' ✕' if row.guilty else ''}": [
            " ".join(
                [*(f"{tile.sign}{tile.text}" for tile in cell.tiles), *([cell.text] if cell.text else [])]
            )
            for cell in row.cells
        ]
        for row in table.rows
    }


def opened(board: Board) -> Frame:
    return board.frames[board.opens]
