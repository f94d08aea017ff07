"""Files with the output of Kafka's tools about `__consumer_offsets`: opened, classified, sorted, streamed."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.kafka.offsets import console, dump
from kassay.reading.kafka.offsets.dump import LogItem, LogSegment, LogStart, read_dump

EXPECTED: Final = f"the output of {dump.TOOL}, or of {console.TOOL}"
LINE_BYTES: Final = 1 << 26
_PEEKED: Final = 1 << 16
_GZIP: Final = b"\x1f\x8b"


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
                yield from console.read_console(stream.read, _name(file.path))
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
    if b"\0" in head:
        raise InputError(
            f"{name}: not text, expected {EXPECTED}: a segment itself is read with "
            f"{dump.TOOL} --files SEGMENT"
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
        raise InputError(f"{name}:1: nothing of a log, expected {EXPECTED}")
    return LogFile(path, of_console=False, partition=partition, start=start)


def _lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    for number, line in enumerate(iter(partial(stream.readline, LINE_BYTES), b""), start=1):
        if len(line) == LINE_BYTES:
            raise InputError(
                f"{name}:{number}: a line of more than {LINE_BYTES >> 20} MiB, expected {EXPECTED}"
            )
        yield line


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The bytes of the file, decompressed if it is a gzip file; `-` is standard input."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as file:
            if file.read(len(_GZIP)) == _GZIP:
                file.seek(0)
                with io.BufferedReader(gzip.GzipFile(fileobj=file)) as stream:
                    yield stream
            else:
                file.seek(0)
                yield file
    except FileNotFoundError:
        raise InputError(f"{path}: no such file, expected {EXPECTED}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected {EXPECTED}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
