"""Standard output and standard error whose reader may leave, as in `kassay certify target | head -2`.

What is written then goes nowhere, so that the command still ends with the exit code of its verdict. A command
with much work left looks at `reader_gone` and stops early.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, Final, TextIO

from kassay.model.errors import InputError

_GONE: Final[set[int]] = set()
"""The file descriptors whose reader has gone."""


def reader_gone() -> bool:
    """Whether the reader of standard output has gone."""
    return 1 in _GONE


class _ClosableOutput(io.RawIOBase):
    """Writes to a file descriptor until its reader has gone, and then nowhere."""

    def __init__(self, number: int) -> None:
        self._number = number

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """The file descriptor."""
        return self._number

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._number)

    def write(self, data: Any, /) -> int:
        """How many bytes were written, or taken to be; raises `InputError` for a full disk and the like."""
        try:
            return os.write(self._number, data)
        except BrokenPipeError:
            _GONE.add(self._number)
            self._write_nowhere()
            return memoryview(data).nbytes
        except OSError as error:
            self._write_nowhere()
            name = "standard output" if self._number == 1 else "standard error"
            raise InputError(f"{name}: cannot be written ({error.strerror})") from None

    def _write_nowhere(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._number)
        os.close(nowhere)


def survive_readers() -> None:
    """Let this process write to both outputs, whoever reads them."""
    sys.stdout, sys.stderr = _surviving(sys.stdout), _surviving(sys.stderr)


def _surviving(stream: TextIO) -> TextIO:
    """The stream on an output that may be closed; the stream itself if it has no file descriptor."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    try:
        number = stream.fileno()
    except io.UnsupportedOperation:
        return stream
    buffer = io.BufferedWriter(_ClosableOutput(number))
    return io.TextIOWrapper(
        buffer,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
