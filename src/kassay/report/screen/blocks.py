"""Blocks as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

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
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.report.screen.terminal import story

_STYLES: Final = {"ok": "green", "bad": "red", "warn": "yellow", "dim": "dim", "plain": ""}


def described_view(described: Described) -> View:
    """The sections below each other."""
    return stack(*(blocks_view(blocks) for blocks in described.sections))


def blocks_view(blocks: Iterable[Block]) -> View:
    """The blocks below each other."""
    return stack(*(view for each in blocks for view in _views(each)))


def _views(block: Block) -> Iterator[View]:
    match block:
        case VerdictBlock(word, look, subject, said, detail):
            style = f"bold {_STYLES[look]}"
            more = f"  {detail}" if detail else ""
            yield line((word.upper(), style), f"  {subject}: {said}", (more, "dim"))
        case TextBlock(text, look, name, depth, whole):
            parts = ((name, "bold"), f": {text}") if name else (text,)
            make = whole_line if whole else line
            yield make(" " * depth, *parts, style=_STYLES[look])
        case HeadingBlock(text):
            yield line(text, style="bold")
        case StoryBlock(frames):
            yield story(frames)
        case CommandBlock(label, command):
            rows = command.split("\n")
            if len(rows) == 1:
                yield whole_line(f"  {label}: {command}", style="cyan")
            else:
                yield line(f"  {label}:", style="cyan")
                yield from (whole_line(f"      {row}", style="cyan") for row in rows)
        case RowsBlock(columns, cells, numeric):
            yield plain_table(columns, cells, numeric)
        case BreakBlock():
            yield line()
