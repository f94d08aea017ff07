"""Boards of traces that are on record, and a page with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kassay.kinds.frames import Board, Frame, Grid
from kassay.report.pages.boards.traces import board_of
from kassay.report.pages.layout import environment, whole
from tests.paths import ROOT

HELD = ROOT / "tests" / "data" / "held" / "traces"
OURS = ROOT / "docs" / "traces"
PAGE = """{% extends "base.html.j2" %}{% import "boards.html.j2" as boards %}{% block title %}boards{% endblock %}
{% block main %}<h1>boards</h1><h2>one</h2><h3>trace</h3>{% for each in drawn %}{{ boards.board(each) }}{% endfor %}{% endblock %}"""


def trace(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def drawn(path: Path) -> Board:
    board = board_of(trace(path), "trace-1")
    assert board is not None
    return board


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
