"""The output of `kafka-dump-log --offsets-decoder`, line by line: segments, batches, and the records in them.

    Dumping /logs/__consumer_offsets-12/00000000000000000000.log
    Log starting offset: 0
    baseOffset: 0 lastOffset: 2 count: 3 ... isvalid: true
    | offset: 0 CreateTime: 1763800000000 keySize: 9 valueSize: 40 sequence: -1 ... key: K payload: V

Keys and values are JSON since Kafka 3.8, `<DELETE>` is a tombstone. A control record has no key. With
`--skip-record-metadata` a line begins with `| key:`, without offset and time.

Source: Kafka `DumpLogSegments` and its `OffsetsMessageParser`, 3.8 to 4.4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.offsets.records import OFFSET_COMMITS, read_record
from kassay.reading.kafka.offsets.values import GroupRecord

TOOL: Final = "kafka-dump-log --offsets-decoder"
UNTYPED: Final = -1
"""The type of a record whose key is unreadable, here or for Kafka itself."""
CONTROL: Final = -2
"""The type of a control record, which ends a transaction."""
_RECORD: Final = re.compile(rb"\| (?:offset: (\d{1,19}) \w+: (-?\d{1,19}) )?")
_KEY: Final = re.compile(rb'key: (?=\{"type":"(\d{1,5})","data":\{)')
_PAYLOAD: Final = b" payload: "
_TOMBSTONE: Final = b"<DELETE>"
_BATCH: Final = (b"baseOffset: ", b"offset: ")
_START: Final = b"Log starting offset: "
_FILE: Final = b"Dumping "
_FOLDER: Final = re.compile(r"([^/\\]+)[/\\][^/\\]*$")
_BEFORE_3_8: Final = (b"key: group_metadata::group=", b"key: offset_commit::group=")
_DECODER: Final = json.JSONDecoder()


class LogSegment(NamedTuple):
    """The start of a segment: the folder of its partition, such as `__consumer_offsets-12`, or ""."""

    partition: str


class LogStart(NamedTuple):
    """The offset in the name of the segment."""

    offset: int


class LogBatch(NamedTuple):
    """The start of a batch: records that the coordinator wrote together are in one batch."""


class LogRow(NamedTuple):
    """A record of the log.

    `key` represents its key, equal for equal keys. `record` is None for a type that is not parsed, and where
    `unread` says why it is unreadable. `offset` and `timestamp` (milliseconds since 1970) are None where the
    output does not have them.
    """

    place: Place
    offset: int | None
    timestamp: int | None
    type: int
    key: int
    record: GroupRecord | None = None
    unread: str | None = None


LogItem = LogSegment | LogStart | LogBatch | LogRow


def read_dump(lines: Iterable[bytes], file: str) -> Iterator[LogItem]:
    """The items of the lines, in order; other lines, of loggers and shells, are skipped.

    An unreadable record is a row that says why. Raises `InputError` for the output of a Kafka before 3.8,
    which has no subscriptions.
    """
    for number, line in enumerate(lines, start=1):
        if line.startswith(b"| "):
            yield _row(line, file, number)
        elif line.startswith(_BATCH):
            yield LogBatch()
        elif line.startswith(_START):
            start = line[len(_START) :].strip()
            if start.isdigit() and len(start) < 20:
                yield LogStart(int(start))
        elif line.startswith(_FILE):
            path = line[len(_FILE) :].decode("utf-8", "replace").strip()
            folder = _FOLDER.search(path)
            yield LogSegment(folder[1] if folder else "")


def _row(line: bytes, file: str, number: int) -> LogRow:
    begin = _RECORD.match(line)
    offset = int(begin[1]) if begin and begin[1] else None
    timestamp = int(begin[2]) if begin and begin[2] and begin[2] != b"-1" else None
    key = _KEY.search(line)
    if key is not None and int(key[1]) in OFFSET_COMMITS:
        end = line.find(_PAYLOAD, key.end())
        if line.find(_PAYLOAD, end + 1) == -1:
            # One of millions: its key is not parsed if its end is obvious.
            return LogRow(Place(file, number), offset, timestamp, int(key[1]), hash(line[key.end() : end]))
    return _looked_into(line, key, LogRow(Place(file, number), offset, timestamp, UNTYPED, hash(line)))


def _looked_into(line: bytes, key: re.Match[bytes] | None, row: LogRow) -> LogRow:
    if key is None:
        if b" key: " in line:
            if any(old in line for old in _BEFORE_3_8):
                raise row.place.wrong(
                    "key", _shown(line), "JSON: dump the segment with kafka-dump-log of Kafka 3.8 or later"
                )
            return row._replace(unread=f"Kafka could not read it: {_shown(line)}")
        return row._replace(type=CONTROL)
    text = line.decode("utf-8", "replace")
    start = len(line[: key.end()].decode("utf-8", "replace"))
    row = row._replace(type=int(key[1]))
    try:
        held, end = _DECODER.raw_decode(text, start)
        row = row._replace(key=hash(text[start:end]))
        payload = text[end:].strip()
        if not payload.startswith("payload: "):
            raise ValueError("no payload")
        payload = payload[len("payload: ") :]
        value = None if payload == _TOMBSTONE.decode() else json.loads(payload)
    except (ValueError, RecursionError) as error:
        cut = " (the line is cut off)" if not line.endswith(b"\n") else ""
        return row._replace(unread=f"not JSON{cut}: {error}")
    try:
        return row._replace(record=read_record(held, value))
    except InputError as error:
        return row._replace(unread=str(error))


def _shown(line: bytes) -> str:
    """The text that represents the key."""
    _, _, key = line.decode("utf-8", "replace").partition("key: ")
    return key.strip()[:60]
