"""The steps of a case on a terminal: the frames that a page draws, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kassay.kinds.frames import Cell, Frame, Row, compacted
from kassay.report.screen.console import Part, View, line, plain_table, stack
from kassay.writing.text import counted

BROKEN: Final = "<- broken here"
GUILTY: Final = "!"
"""The suffix of a tile or a row that the evidence names, with and without colours."""
FRAMES_MAX: Final = 8
ROWS_A_FRAME: Final = 4
"""The maximum number of rows of a table per frame that may be shown."""


def story(frames: Sequence[Frame], frames_max: int = FRAMES_MAX) -> View:
    """The frames below each other, including the first violated one; possible answers are below its table.

    Of more than `frames_max` frames, those before and after are counted, as are further rows of large tables.
    """
    before, shown = window([each.broken for each in frames], frames_max)
    parts: list[View] = []
    if before:
        parts.append(line(f"  {counted(before, frames[0].noun)} before", style="dim"))
    for each in frames[before : before + shown]:
        parts += _frame(compacted(each), frames_max * ROWS_A_FRAME)
    if rest := len(frames) - before - shown:
        parts.append(line(f"  and {counted(rest, f'more {frames[-1].noun}')}", style="dim"))
    return stack(*parts)


def window(marked: Sequence[bool], most: int) -> tuple[int, int]:
    """How many to leave out at the start, and how many to show, so that the first marked one is included."""
    first = next((place for place, mark in enumerate(marked) if mark), 0)
    return max(0, first + 1 - most), min(most, len(marked))


def _frame(frame: Frame, rows_max: int) -> Iterator[View]:
    mark: list[Part] = [("  " + BROKEN, "bold red")] if frame.broken else []
    yield line(f"  {frame.title}", *mark)
    if frame.events:
        yield line(f"    before it: {'; '.join(frame.events)}", style="dim")
    yield from (line(f"    {note}", style="dim") for note in frame.notes)
    first, *others = frame.table.columns
    rows = frame.table.rows
    before, shown = window([row.guilty for row in rows], rows_max)
    if before:
        yield line(f"    {counted(before, first)} before", style="dim")
    numbers = [name for name, cell in zip(others, rows[0].cells, strict=True) if cell.numeric] if rows else []
    yield plain_table([f"    {first}", *others], map(_row, rows[before : before + shown]), numbers)
    if rest := len(rows) - before - shown:
        yield line(f"    and {counted(rest, f'more {first}')}", style="dim")
    if frame.failure:
        yield line(f"    {frame.failure}", style="red")
    if frame.beside is not None:
        yield line(f"    could be: {frame.beside.words}", style="green")


def _row(row: Row) -> list[object]:
    name: object = f"    {row.title}"
    if row.guilty:
        name = line("    ", (row.name + GUILTY, "bold red"), row.title.removeprefix(row.name))
    return [name, *map(_cell, row.cells)]


def _cell(cell: Cell) -> object:
    """The cell in one line; a hyphen for an empty one."""
    if not any(tile.guilty for tile in cell.tiles):
        return cell.words or "-"
    parts: list[Part] = []
    for tile in cell.tiles:
        parts += [(tile.text + GUILTY, "bold red") if tile.guilty else tile.text, " "]
    return line(*parts[:-1], f" {cell.note}" if cell.text else "")
