"""An alarm that ends what takes too long in kassay's own process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Overdue(KeyboardInterrupt):
    """Raised by the alarm; no `Exception`, so that little of what it interrupts catches it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """A context in which `Overdue` is raised after so many seconds, as far as Python allows."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _overdue)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _overdue(_number: int, _frame: FrameType | None) -> None:
    raise Overdue
