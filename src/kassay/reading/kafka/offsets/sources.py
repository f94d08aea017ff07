"""Files with the output of Kafka's tools about `__consumer_offsets`: opened, classified, sorted, streamed.

*Console*: the console consumer with `GroupMetadataMessageFormatter` prints classic groups, without offsets.
    {"key":{"type":2,"data":{"group":"billing"}},"value":{"version":3,"data":{...}}}{"key":...

The objects follow each other without a line end. Other output between them, such as `Processed a total
of 12 messages`, is skipped. Members' bytes are base64.

Source: Kafka `CoordinatorRecordMessageFormatter` (`ApiMessageFormatter` before 4.1), 3.8 to 4.4.

*Dump*: `kafka-dump-log --offsets-decoder` prints segments, batches, and the records in them, line by line.
    Dumping /logs/__consumer_offsets-12/00000000000000000000.log
    Log starting offset: 0
    baseOffset: 0 lastOffset: 2 count: 3 ... isvalid: true
    | offset: 0 CreateTime: 1763800000000 keySize: 9 valueSize: 40 sequence: -1 ... key: K payload: V

Keys and values are JSON since Kafka 3.8, `<DELETE>` is a tombstone. A control record has no key. With
`--skip-record-metadata` a line begins with `| key:`, without offset and time.

Source: Kafka `DumpLogSegments` and its `OffsetsMessageParser`, 3.8 to 4.4.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

from kassay.model.errors import InputError
from kassay.reading.documents import why_unread
from kassay.reading.kafka.lines import Place, failure_in
from kassay.reading.kafka.offsets.records import OFFSET_COMMITS, read_record, type_of
from kassay.reading.kafka.offsets.values import GroupRecord
from kassay.reading.others import what_is
from kassay.reading.pasted import pasted

CONSOLE_TOOL: Final = "kafka-console-consumer with GroupMetadataMessageFormatter"
LONGEST: Final = 1 << 26
"""The most characters of one object: a group of 10,000 members has a tenth of that."""
_CHUNK: Final = 1 << 20
_NEXT: Final = re.compile(r'\{"key":')
_CONSOLE_DECODER: Final = json.JSONDecoder()


def read_console(read: Callable[[int], bytes], file: str) -> Iterator[LogItem]:
    """The records that `read`, called with a number of bytes, returns; places are `FILE:1`, `FILE:2`, ...

    Each record is a batch of its own. An unreadable record is a row that says why.
    """
    for number, held in enumerate(_objects(read), start=1):
        yield LogBatch()
        place = Place(file, number)
        if isinstance(held, str):
            yield LogRow(place, None, None, UNTYPED, 0, unread=held)
            continue
        try:
            key = held.get("key")
            kind = type_of(key, "key")
            row = LogRow(place, None, None, kind, hash(json.dumps(key)))
            yield row._replace(record=read_record(key, held.get("value")))
        except InputError as error:
            yield LogRow(place, None, None, UNTYPED, 0, unread=str(error))


def _objects(read: Callable[[int], bytes]) -> Iterator[dict[str, object] | str]:
    """The objects in order; a text says why one is unreadable."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    text, size, more = "", _CHUNK, True
    while more:
        chunk = read(size)
        more = bool(chunk)
        text += decode(chunk, not more)
        at = 0
        while (begin := _NEXT.search(text, at)) is not None:
            at = begin.start()
            try:
                held, at = _CONSOLE_DECODER.raw_decode(text, at)
            except (ValueError, RecursionError) as error:
                if more and len(text) - at < LONGEST and not isinstance(error, RecursionError):
                    break
                yield f"not JSON: {why_unread(error)}"
                at += 1
                continue
            yield held
        text = text[at:] if begin is not None else text[-len('{"key":') :]
        # An object that is longer than the present text is not parsed again for every chunk.
        size = max(_CHUNK, len(text))


DUMP_TOOL: Final = "kafka-dump-log --offsets-decoder"
UNTYPED: Final = -1
"""The type of a record whose key is unreadable, here or for Kafka itself."""
CONTROL: Final = -2
"""The type of a control record, which ends a transaction."""
_RECORD: Final = re.compile(rb"\| (?:offset: (\d{1,19}) \w+: (-?\d{1,19}) )?")
_KEY: Final = re.compile(rb'key: (?=\{"type":"(\d{1,5})","data":\{)')
_PAYLOAD: Final = b" payload: "
_TOPIC_ID: Final = re.compile(rb'"topicId":"([\w-]{22})"')
_TOMBSTONE: Final = b"<DELETE>"
_BATCH: Final = (b"baseOffset: ", b"offset: ")
_COUNT: Final = re.compile(rb" count: (\d{1,9}) ")
_START: Final = b"Log starting offset: "
_FILE: Final = b"Dumping "
_FOLDER: Final = re.compile(r"([^/\\]+)[/\\][^/\\]*$")
_BEGINNINGS: Final = (b"| ", *_BATCH, _START, _FILE)
_MARKS: Final = re.compile(
    rb"(?:[ \t]*(?:> ?)+|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) |\[pod/[^\]\s]+\] "
    rb"|[\w.-]+ +\| | {4}|```)+"
)
"""Quotation marks, fences, indentation, what `docker logs`, Compose and `kubectl logs` add before a line."""
_COLOURS: Final = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")
_FENCES: Final = (b"```", b"```\n", b"```\r\n")
_BEFORE_3_8: Final = (
    b"key: group_metadata::group=",
    b"key: offset_commit::group=",
    b"key: metadata::",
    b"key: offset::",
    b'key: {"metadata":"',
)
_DUMP_DECODER: Final = json.JSONDecoder()


class LogSegment(NamedTuple):
    """The start of a segment: the folder of its partition, such as `__consumer_offsets-12`, or ""."""

    partition: str


class LogStart(NamedTuple):
    """The offset in the name of the segment."""

    offset: int


class LogBatch(NamedTuple):
    """The start of a batch: records that the coordinator wrote together are in one batch.

    `size`: the number of its records, None where the output does not say.
    """

    size: int | None = None


class LogRow(NamedTuple):
    """A record of the log.

    `key` represents its key, equal for equal keys. `record` is None for a type that is not parsed, and where
    `unread` says why it is unreadable. `commit` is the key of an offset commit, None for its tombstone,
    `topic_id` the id of its topic where the value has it (Kafka 4.2 and later).
    `offset` and `timestamp` (milliseconds since 1970) are None where the
    output does not have them.
    """

    place: Place
    offset: int | None
    timestamp: int | None
    type: int
    key: int
    record: GroupRecord | None = None
    unread: str | None = None
    commit: bytes | None = None
    topic_id: str | None = None


LogItem = LogSegment | LogStart | LogBatch | LogRow


def read_dump(lines: Iterable[bytes], file: str) -> Iterator[LogItem]:
    """The items of the lines, in order; other lines, of loggers and shells, are skipped.

    An unreadable record is a row that says why. Raises `InputError` for the output of a Kafka before 3.8,
    which has no subscriptions.
    """
    for number, line in enumerate(lines, start=1):
        if b"\x1b" in line:
            line = _COLOURS.sub(b"", line)
        if line.endswith(_FENCES):
            line = line.rstrip(b"`\r\n") + b"\n"
        if not line.startswith(_BEGINNINGS):
            line = _MARKS.sub(b"", line, count=1)
        if line.startswith(b"| "):
            yield _row(line, file, number)
        elif line.startswith(_BATCH):
            count = _COUNT.search(line)
            yield LogBatch(int(count[1]) if count else None)
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
            fields = line[key.end() : end]
            gone = line.startswith(_TOMBSTONE, end + len(_PAYLOAD))
            cut = not line.endswith((b"\n", b"}", _TOMBSTONE))
            topic = None if gone else _TOPIC_ID.search(line, end)
            return LogRow(
                Place(file, number),
                offset,
                timestamp,
                int(key[1]),
                hash(fields),
                unread="not JSON (the line is cut off)" if cut else None,
                commit=None if gone else fields,
                topic_id=topic[1].decode() if topic else None,
            )
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
        held, end = _DUMP_DECODER.raw_decode(text, start)
        row = row._replace(key=hash(text[start:end]))
        payload = text[end:].strip()
        if not payload.startswith("payload: "):
            raise InputError("no payload")
        payload = payload[len("payload: ") :]
        value = None if payload == _TOMBSTONE.decode() else json.loads(payload)
    except (ValueError, RecursionError) as error:
        cut = " (the line is cut off)" if not line.endswith(b"\n") else ""
        if not cut and not line.rstrip().endswith((b"}", _TOMBSTONE)):
            cut = " (the line is wrapped, expected each record in one line)"
        return row._replace(unread=f"not JSON{cut}: {why_unread(error)}")
    try:
        return row._replace(record=read_record(held, value))
    except InputError as error:
        return row._replace(unread=str(error))


def _shown(line: bytes) -> str:
    """The text that represents the key."""
    _, _, key = line.decode("utf-8", "replace").partition("key: ")
    return key.strip()[:60]


EXPECTED: Final = f"the output of {DUMP_TOOL}, or of {CONSOLE_TOOL}"
LINE_BYTES: Final = 1 << 26
_PEEKED: Final = 1 << 16
_CUT: Final = ", cut off"
_GZIP: Final = b"\x1f\x8b"
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class LogFile(NamedTuple):
    """A file, whether the console consumer printed it, and its first offset in the topic, if known."""

    path: str
    of_console: bool
    partition: str = ""
    start: int = 0


def in_order(paths: Sequence[str]) -> list[LogFile]:
    """The files, those of a partition by their first offset.

    Raises `InputError` for a file that is neither tool's output, before any long read begins.
    """
    return sorted(map(_looked_at, paths), key=lambda file: (file.partition, file.start))


def read_log(file: LogFile) -> Iterator[LogItem]:
    """The items of the file, streamed; raises `InputError` where it becomes unreadable."""
    with _opened(file.path) as stream:
        try:
            if file.of_console:
                yield from read_console(stream.read, _name(file.path))
            else:
                yield from read_dump(_lines(stream, _name(file.path)), _name(file.path))
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{_name(file.path)}: cannot be read ({_reason(error)})") from None


def _looked_at(path: str) -> LogFile:
    """The kind and the start of a file, from its beginning."""
    name = _name(path)
    if path == "-":
        standard = sys.stdin.buffer
        head = standard.peek(_PEEKED) if isinstance(standard, io.BufferedReader) else b""
        if not head:
            return LogFile(path, of_console=False)
    else:
        with _opened(path) as stream:
            try:
                head = stream.read(_PEEKED)
            except (OSError, EOFError, zlib.error) as error:
                raise InputError(f"{name}: cannot be read ({_reason(error)})") from None
    if not head:
        raise InputError(f"{name}: empty, expected {EXPECTED}")
    if head.startswith(_UTF16):
        raise InputError(f"{name}: UTF-16 at standard input, expected UTF-8, or the name of the file")
    if b"\0" in head:
        raise InputError(
            f"{name}: not text, expected {EXPECTED}: a segment itself is read with "
            f"{DUMP_TOOL} --files SEGMENT"
        )
    lines = head.splitlines(keepends=True)
    if any(line.lstrip().startswith(b'{"key":') for line in lines):
        return LogFile(path, of_console=True)
    partition, start, is_dump = "", 0, False
    for item in read_dump(lines[: -1 if len(head) == _PEEKED else None], name):
        is_dump = True
        if isinstance(item, LogSegment):
            partition = item.partition
        elif isinstance(item, LogStart):
            start = item.offset
            break
    if not is_dump:
        text = head.decode("utf-8", "replace")
        failure = failure_in(text)
        if failure is not None:
            raise InputError(f"{name}: the tool failed: {failure}")
        clean = pasted(text).text
        what = what_is(clean if clean.strip() else text)
        if len(head) == _PEEKED:  # only this much of it was read
            what = what.removesuffix(_CUT)
        raise InputError(f"{name}:1: {what or 'nothing of a log'}, expected {EXPECTED}")
    return LogFile(path, of_console=False, partition=partition, start=start)


def _lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    for number, line in enumerate(iter(partial(stream.readline, LINE_BYTES), b""), start=1):
        if len(line) == LINE_BYTES:
            raise InputError(
                f"{name}:{number}: a line of more than {LINE_BYTES >> 20} MiB, expected {EXPECTED}"
            )
        yield line


class Utf8:
    """A stream of UTF-16, as PowerShell writes it, as bytes of UTF-8."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(stream, encoding="utf-16", errors="replace", newline="\n")

    def read(self, size: int = -1) -> bytes:
        """Bytes of this many characters."""
        return self._text.read(size).encode()

    def readline(self, size: int = -1) -> bytes:
        """A line, or this many characters of it."""
        return self._text.readline(size).encode()


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The bytes of the file, decompressed if it is a gzip file; `-` is standard input."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as file:
            is_zipped = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            stream = io.BufferedReader(gzip.GzipFile(fileobj=file)) if is_zipped else file
            yield cast("IO[bytes]", Utf8(stream)) if stream.peek(2)[:2] in _UTF16 else stream
    except FileNotFoundError:
        raise InputError(f"{path}: no such file, expected {EXPECTED}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected {EXPECTED}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
