"""Blocks on a terminal: a line each, in order."""

from __future__ import annotations

from io import StringIO

from kassay.report.blocks import CommandBlock, HeadingBlock, RowsBlock, TextBlock, VerdictBlock
from kassay.report.screen.blocks import blocks_view
from kassay.report.screen.console import console


def test_every_block_is_a_line_in_order() -> None:
    out = StringIO()
    blocks = (
        TextBlock("a line", name="range"),
        TextBlock("wrong", "bad", depth=2),
        CommandBlock("replay", "kassay replay a.json"),
        HeadingBlock("More"),
        RowsBlock(("claim", "s"), (("even", "1.0"),), ("s",)),
        VerdictBlock("Not refuted", "ok", "range", "a claim", "(seed 1)"),
    )
    console(file=out).show(blocks_view(blocks))
    assert [line.split() for line in out.getvalue().splitlines()] == [
        ["range:", "a", "line"],
        ["wrong"],
        ["replay:", "kassay", "replay", "a.json"],
        ["More"],
        ["claim", "s"],
        ["even", "1.0"],
        ["NOT", "REFUTED", "range:", "a", "claim", "(seed", "1)"],
    ]
