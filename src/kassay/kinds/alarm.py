"""An alarm that ends what takes too long in kassay's own process, and calls that are made under it."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeVar

from kassay.assignors.plain.answers import Malformed
from kassay.model.failure import FailureKind, TargetFailure, failed

T = TypeVar("T")

_AGAIN_S: Final = 0.25
"""When the alarm rings again: Python drops what is raised in a finaliser or a hook of its collector."""
_TURN_S: Final = 0.001
"""How often somebody who may not sleep is looked after."""
_STIRS_S: Final = _TURN_S / 10
"""Of a turn so much of the processor's time is no sleep; what looks after it takes a tenth of that."""


class Overdue(KeyboardInterrupt):
    """Raised by the alarm; no `Exception`, so that little of what it interrupts catches it."""


class Asleep(Overdue):
    """Raised where nothing was done for so many turns: it would be overdue in the end."""


@contextmanager
def deadline(seconds: float, sleeping: int | None = None) -> Iterator[None]:
    """A context in which `Overdue` is raised after so many seconds, and again while it goes on.

    `sleeping`: `Asleep` is raised as soon as this process was seen to do nothing that many times running, a
    thousandth of a second apart. A process that waits for a slow machine is not seen at all, and does
    something once it is: it gets all its seconds.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ring = _overdue if sleeping is None else _Watch(seconds, sleeping)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(
            signal.ITIMER_REAL, *((seconds, _AGAIN_S) if sleeping is None else (_TURN_S, _TURN_S))
        )
        yield
    finally:
        _silence(before)


class _Watch:
    """Looks turn by turn whether the process does anything."""

    def __init__(self, seconds: float, sleeping: int) -> None:
        self._end = time.monotonic() + seconds
        self._most = sleeping
        self._asleep, self._used = 0, time.process_time()

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        used = time.process_time()
        self._asleep = self._asleep + 1 if used - self._used < _STIRS_S else 0
        self._used = used
        late = time.monotonic() >= self._end
        if late or self._asleep >= self._most:
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_S, _AGAIN_S)
            raise Overdue if late else Asleep


def _silence(before: Callable[[int, FrameType | None], object] | int | None) -> None:
    """Stop the alarm and put the former handler back, even if it rings meanwhile."""
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        except Overdue:
            continue
        return


def _overdue(_number: int, _frame: FrameType | None) -> None:
    raise Overdue


def guarded(
    call: str,
    timeout_s: float,
    source: str | None,
    function: Callable[..., T],
    *args: Any,
    sleeping: int | None = None,
) -> T:
    """The function's value; raises `TargetFailure` for whatever it raises, and when it takes too long.

    `sleeping` says when one that sleeps is not waited for any longer (`deadline`). What it prints goes to
    standard error, since standard output may be a document.
    """
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        with deadline(timeout_s, sleeping):
            return function(*args)
    except Overdue as overdue:
        within = "and did nothing" if isinstance(overdue, Asleep) else f"within {timeout_s} s"
        message = f"{call} did not answer {within}"
        raise TargetFailure(FailureKind.TIMEOUT, message, call) from None
    except KeyboardInterrupt:
        raise
    except Malformed as malformed:
        raise TargetFailure(FailureKind.MALFORMED, str(malformed), call) from None
    except BaseException as error:  # SystemExit and its like are the target's too
        raise failed(error, call, source) from error
    finally:
        sys.stdout = stdout
