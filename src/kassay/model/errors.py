"""What goes wrong: our own errors, Kafka's under Kafka's names, and how a target fails to answer."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final


class KassayError(Exception):
    """The base class of everything that kassay raises on purpose."""


class InputError(KassayError, ValueError):
    """An input is unreadable or impossible.

    The message says what is wrong, where (file, line, field), and what is accepted.
    """


class TargetError(KassayError):
    """A target cannot be tested; exit code 4."""


class TargetNotFound(TargetError):
    """No target has that name."""


class TargetNotLoadable(TargetError):
    """The target exists but cannot be loaded or started; one line: what, where, what is accepted."""


class Discontinued(KassayError):
    """Something outside of kassay ended the work; what is finished is kept. Exit code 3."""


class KafkaError(KassayError):
    """An error that Kafka itself raises in this situation; `java_class` is its class in Kafka."""

    java_class: ClassVar[str] = "org.apache.kafka.common.KafkaException"


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING: Final = _Missing()
"""In place of a field that a document does not have, where an error shows what was found."""


_TEXT_MAX: Final = 400


class FailureKind(StrEnum):
    """The kinds of failure of a call."""

    RAISED = "raised"
    TIMEOUT = "timeout"
    DIED = "died"
    MEMORY = "memory"
    MALFORMED = "malformed"


class TargetFailure(KassayError):
    """A target was called and gave no usable answer.

    `message` is one line for people. `where` is the place in the target's source (`file.py:12`) if known,
    else the name of the call. `raised` holds the names of the raised class and its base classes, nearest
    first, to distinguish a documented refusal from a crash.
    """

    def __init__(
        self, kind: FailureKind, message: str, where: str = "", raised: tuple[str, ...] = ()
    ) -> None:
        self.kind = kind
        self.message = one_line(message)
        self.where = where
        self.raised = raised
        super().__init__(self.message)

    def __reduce__(self) -> tuple[type[TargetFailure], tuple[str, str, str, tuple[str, ...]]]:
        return (type(self), (self.kind, self.message, self.where, self.raised))


def one_line(text: str) -> str:
    """The text on one line, truncated if it is very long."""
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_MAX else f"{line[: _TEXT_MAX - 3]}..."


def described(error: BaseException) -> str:
    """The class and text of an exception on one line, even if its `__str__` fails."""
    try:
        text = one_line(str(error))
    except BaseException:  # the text comes from the target's own code too
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(error: BaseException, source: str | None = None) -> str:
    """`file.py:12` for the innermost frame in `source`, or in any file; empty without a traceback."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if source is None or filename == source:
            place = f"{filename.rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place if place or source is None else place_of(error)


def failed(error: BaseException, call: str, source: str | None = None) -> TargetFailure:
    """The failure for an exception raised in the target's `call`."""
    if isinstance(error, TargetFailure):
        return error
    where = place_of(error, source)
    names = tuple(base.__name__ for base in type(error).__mro__ if base not in (object, BaseException))
    if isinstance(error, MemoryError):
        return TargetFailure(FailureKind.MEMORY, f"{call} ran out of memory", where or call, names)
    at = f" ({where})" if where else ""
    return TargetFailure(FailureKind.RAISED, f"{call} raised {described(error)}{at}", where or call, names)
