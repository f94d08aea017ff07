"""Blocks as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kassay.kinds.frames import Frame, board
from kassay.report.blocks import (
    Block,
    BreakBlock,
    CommandBlock,
    Described,
    HeadingBlock,
    RowsBlock,
    StoryBlock,
    TextBlock,
    VerdictBlock,
)
from kassay.report.loads import LoadBars, load_bars
from kassay.report.pages.findings import BOARD_BYTES_MAX
from kassay.report.pages.layout import fragment
from kassay.report.pages.layout import render as page


class PageBlock(NamedTuple):
    """A block as the template draws it: its sort, and what that sort needs of the rest."""

    sort: str
    text: str = ""
    look: str = "plain"
    name: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    numeric: tuple[int, ...] = ()
    board: str | None = None
    bars: LoadBars | None = None


class PageSection(NamedTuple):
    """A section: its verdict, if it has one, and its other blocks."""

    verdict: VerdictBlock | None
    blocks: tuple[PageBlock, ...]


def render(described: Described, again: str) -> str:
    """The whole page; `again` is the command that reproduces it."""
    sections = sections_of(described)
    return page("blocks", ("board", "findings"), kind=described.kind, sections=sections, again=again)


def sections_of(described: Described) -> tuple[PageSection, ...]:
    """The sections in order; boards are left out where the page would grow too large."""
    boards: list[int] = []
    return tuple(
        PageSection(
            next((each for each in blocks if isinstance(each, VerdictBlock)), None),
            tuple(_block(each, boards) for each in blocks if not isinstance(each, VerdictBlock | BreakBlock)),
        )
        for blocks in described.sections
    )


def _block(block: Block, boards: list[int]) -> PageBlock:
    match block:
        case TextBlock(text, look, name):
            return PageBlock("text", text, look, name)
        case HeadingBlock(text):
            return PageBlock("heading", text)
        case CommandBlock(label, command):
            return PageBlock("command", command, name=label)
        case RowsBlock(columns, rows, numeric):
            places = tuple(place for place, name in enumerate(columns) if name in numeric)
            return PageBlock("rows", columns=columns, rows=rows, numeric=places)
        case StoryBlock(frames):
            return _story(frames, boards)
    return PageBlock("text")


def _story(frames: Sequence[Frame], boards: list[int]) -> PageBlock:
    if not frames:
        return PageBlock("text")
    drawn = fragment("boards", "board", board(f"trace-{len(boards) + 1}", frames))
    boards.append(len(drawn))
    broken = next((each for each in frames if each.broken), frames[-1])
    fits = sum(boards) <= BOARD_BYTES_MAX
    return PageBlock("story", board=drawn if fits else None, bars=load_bars(broken, most=8))
