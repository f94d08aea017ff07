"""A timer that interrupts slow calls in kassay's own process, and a guard that runs calls under it."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeVar

from kassay.assignors.plain_answers import Malformed
from kassay.model.errors import FailureKind, TargetFailure, failed

T = TypeVar("T")

_AGAIN_S: Final = 0.25
"""Seconds between alarms: Python drops exceptions raised in a finaliser or a garbage collector hook.
"""
_TURN_S: Final = 0.001
"""Seconds between two checks of a process that may not sleep."""
_TAMPERED_S: Final = 0.01
"""Seconds after which a handler that stays is looked up again: each time this takes 3 us."""
_STIRS_S: Final = _TURN_S / 10
"""Less processor time than this between two checks counts as sleep; the check itself uses a tenth of it."""


class Overdue(KeyboardInterrupt):
    """Raised by the alarm; not an `Exception`, so that little of the interrupted code catches it."""


class Asleep(Overdue):
    """Raised after enough idle checks in a row: the call would be overdue in the end."""


@contextmanager
def deadline(seconds: float, sleeping: int | None = None) -> Iterator[None]:
    """A context that raises `Overdue` after `seconds`, and again while the block goes on.

    `sleeping` is a number of checks, a thousandth of a second apart. Where the process does nothing in that
    many in a row, `Asleep` is raised at once. A process that waits for a slow machine runs no checks
    meanwhile and does something as soon as it runs: it gets all its seconds.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ring = _overdue if sleeping is None else _Watch(seconds, sleeping)
    outer, before = _handler.take(ring)
    try:
        signal.setitimer(
            signal.ITIMER_REAL, *((seconds, _AGAIN_S) if sleeping is None else (_TURN_S, _TURN_S))
        )
        yield
    finally:
        _silence(before)
        _handler.ring = outer


@contextmanager
def kept_alarm() -> Iterator[None]:
    """A context in which the first `deadline` installs the handler for all: this takes as long as a call."""
    if threading.current_thread() is not threading.main_thread() or _handler.keeps:
        yield
        return
    _handler.keeps = True
    try:
        yield
    finally:
        _handler.keeps = False
        if _handler.replaced is not None:
            _silence(_handler.replaced)
            _handler.replaced = None


_Handled = Callable[[int, FrameType | None], object] | int


class _Handler:
    """The one handler of the alarm; `ring` is what it does now, None outside of every `deadline`."""

    def __init__(self) -> None:
        self.ring: Callable[[int, FrameType | None], None] | None = None
        self.keeps = False
        self.replaced: _Handled | None = None
        self._checked = 0.0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.ring is not None:
            self.ring(number, frame)
        elif callable(self.replaced):
            self.replaced(number, frame)

    def take(self, ring: Callable[[int, FrameType | None], None]) -> tuple[Any, _Handled | None]:
        """Ring so from now on; returns the ring so far, and the handler to put back, None where ours stays.

        A call may install a handler of its own: where ours stays, it is looked up again from time to time.
        """
        outer, self.ring = self.ring, ring
        if not self.keeps:
            return outer, self._install()
        now = time.monotonic()
        if self.replaced is None:
            self.replaced = self._install()
        elif now < self._checked + _TAMPERED_S:
            return outer, None
        elif signal.getsignal(signal.SIGALRM) is not self:
            self._install()
        self._checked = now
        return outer, None

    def _install(self) -> _Handled:
        """Install this handler; returns the one that was there."""
        before = signal.signal(signal.SIGALRM, self)
        return signal.SIG_DFL if before is None else before


_handler: Final = _Handler()


class _Watch:
    """Checks at intervals whether the process does anything."""

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


def _silence(before: _Handled | None) -> None:
    """Stop the alarm and put the former handler back, if there is one, even if it rings meanwhile."""
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if before is not None:
                signal.signal(signal.SIGALRM, before)
        except Overdue:
            continue
        return


class OutOfTime(Exception):
    """The time was over before the next case was found."""


def until(moment: float | None, cases: Iterable[T]) -> Iterator[T]:
    """The cases up to a moment (`time.monotonic`), after which the iterator raises `OutOfTime`.

    The search for the next case is interrupted as well: one scope may have millions of candidates between two
    cases. Without a moment, all cases.
    """
    if moment is None:
        yield from cases
        return
    iterator = iter(cases)
    while True:
        left = moment - time.monotonic()
        if left <= 0:
            raise OutOfTime
        try:
            with deadline(left):
                case = next(iterator)
        except StopIteration:
            return
        except Overdue:
            raise OutOfTime from None
        yield case


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

    `sleeping` is the number of idle checks after which a sleeping call is given up (`deadline`). Prints of
    the function go to standard error, since standard output may be a document.
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
