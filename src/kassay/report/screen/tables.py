"""Tables without lines, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text


def plain_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    numbers: Sequence[str] = (),
    *,
    header: bool = True,
) -> Table:
    """A table without lines; the columns in `numbers` stand to the right."""
    table = Table(box=None, pad_edge=False, header_style="dim", show_header=header)
    for name in columns:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(each if isinstance(each, Text) else Text(str(each)) for each in row))
    return table
