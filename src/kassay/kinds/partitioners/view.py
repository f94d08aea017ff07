"""Partitioners as a frame: records as rows, with their allowed partitions and the one chosen."""

from __future__ import annotations

from typing import Final

from kassay.kinds.frames import (
    Alternative,
    Cell,
    Frame,
    Grid,
    Reported,
    Row,
    Tile,
    TileLook,
    alternative_of,
    number_ranges,
)
from kassay.model.partitioners.documents import SENT, ReportedRecord
from kassay.model.shape.codec import listed
from kassay.writing.text import counted

RECORDS_MAX: Final = 200
"""If there are more records, only this many of the last ones are drawn."""
COLUMNS: Final = ("record", "key", "for topic", "partitions with a leader", "goes to")


def record_frames(reported: Reported) -> list[Frame]:
    """One frame: all records in sending order; none without a record."""
    records = listed(SENT).read(list(reported.steps), "narration")
    if not records:
        return []
    first = max(0, len(records) - RECORDS_MAX)
    rows: list[Row] = []
    alternative: Alternative | None = None
    for number, record in enumerate(records[first:], start=first):
        guilty = reported.marks.broken((number, None), number == len(records) - 1)
        rows.append(_row(number, record, guilty))
        possible = reported.marks.alternative((number, None))
        alternative = alternative if possible is None else alternative_of(possible)
    return [
        Frame(
            anchor="records",
            label="records",
            title=counted(len(records), "record"),
            table=Grid(COLUMNS, tuple(rows)),
            notes=(f"The first {first} records are left out",) if first else (),
            broken=any(row.guilty for row in rows),
            alternative=alternative,
        )
    ]


def _row(number: int, record: ReportedRecord, guilty: bool) -> Row:
    key = "no key" if record.key is None else record.key.hex() or "empty"
    led = [n for n in range(record.partitions) if n not in record.unavailable]
    without = f" (without one: {number_ranges(sorted(record.unavailable))})" if record.unavailable else ""
    if record.answer is None:
        failed = record.refused or record.failure
        goes = Cell(text="no answer" if failed is None else failed.message, given=True)
    else:
        goes = Cell((Tile(str(record.answer), TileLook.PLAIN, guilty),), given=True)
    cells = (
        Cell(text=key),
        Cell(text=record.topic),
        Cell(text=f"{number_ranges(led) or 'none'}{without}"),
        goes,
    )
    note = "" if record.partition is None else f"asks for partition {record.partition}"
    return Row(f"record {number + 1}", cells, note, guilty)
