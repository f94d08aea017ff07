"""Boards of partitioners: records as rows, with the partitions they may go to and the one they do."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kassay.kinds.frames import Cell, Frame, Grid, Guilt, Row, Tile, TileLook, number_ranges

RECORDS_MAX: Final = 200
"""Of more records the last ones are drawn."""


def frames(steps: Sequence[Mapping[str, Any]], evidence: Guilt) -> list[Frame]:
    """One frame: all records in the order in which they are sent."""
    first = max(0, len(steps) - RECORDS_MAX)
    rows, broken = [], False
    for number, record in enumerate(steps[first:], start=first):
        guilty = evidence.broken((number, None), number == len(steps) - 1)
        broken |= guilty
        rows.append(_row(number, record, guilty))
    columns = "record", "key", "for topic", "partitions with a leader", "goes to"
    left_out = (f"The first {first} records are left out",) if first else ()
    title = f"{len(steps)} record" + ("" if len(steps) == 1 else "s")
    return [Frame("records", "records", title, Grid(columns, tuple(rows)), notes=left_out, broken=broken)]


def _row(number: int, record: Mapping[str, Any], guilty: bool) -> Row:
    key = record.get("key")
    shown = "no key" if key is None else base64.b64decode(key).hex() or "empty"
    gone = record.get("unavailable") or []
    led = [n for n in range(record["partitions"]) if n not in gone]
    without = f" (without one: {number_ranges(sorted(gone))})" if gone else ""
    answer = record.get("answer")
    if answer is None:
        said = record.get("refused", record.get("failure", {})).get("message", "no answer")
        goes = Cell(text=said, given=True)
    else:
        goes = Cell((Tile(str(answer), TileLook.PLAIN, guilty),), given=True)
    asked = "" if record.get("partition") is None else f"asks for partition {record['partition']}"
    cells = (
        Cell(text=shown),
        Cell(text=str(record.get("topic"))),
        Cell(text=f"{number_ranges(led) or 'none'}{without}"),
        goes,
    )
    return Row(f"record {number + 1}", cells, asked, guilty)
