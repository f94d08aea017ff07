"""An alarm that ends what takes too long in kassay's own process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_AGAIN_S: Final = 0.25
"""When the alarm rings again: Python drops what is raised in a finaliser or a hook of its collector."""


class Overdue(KeyboardInterrupt):
    """Raised by the alarm; no `Exception`, so that little of what it interrupts catches it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """A context in which `Overdue` is raised after so many seconds, and again while it goes on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _overdue)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
        yield
    finally:
        _silence(before)


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
