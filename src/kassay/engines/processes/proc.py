"""Facts from /proc: the descendants of a process, its memory, and how long it waited for a processor."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final


def descendants(root: int) -> list[int]:
    """Every process below `root`; empty without /proc."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    pids, queue = [], [root]
    while queue:
        below = children.get(queue.pop(), [])
        pids += below
        queue += below
    return pids


def _parents() -> Iterator[tuple[int, int]]:
    """Each process with its parent, from /proc."""
    try:
        names = [entry.name for entry in Path("/proc").iterdir()]
    except OSError:
        return
    for name in names:
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                # the second field is the program's name in parentheses and may hold anything
                yield int(name), int(Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()[1])


def resident_mib(pid: int) -> float:
    """The resident memory of a process in MiB; 0 if it cannot be read."""
    with suppress(OSError, ValueError, IndexError):
        return (
            int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
            * os.sysconf("SC_PAGE_SIZE")
            / (1024 * 1024)
        )
    return 0.0


def ran_and_waited_s(pid: int) -> tuple[float, float]:
    """The seconds that a process's threads ran, and waited for a processor; zeros if that is not known."""
    ran = waited = 0
    with suppress(OSError, ValueError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            own = (task / "schedstat").read_bytes().split()
            ran, waited = ran + int(own[0]), waited + int(own[1])
    return ran / 1e9, waited / 1e9


_LOOK_S: Final = 0.05
"""So long a call may last before its process is looked at: most are over by then."""
_TIMES: Final = 10
"""A call that only waits for a processor ends after so many times its seconds."""


class Patience:
    """How long a call may still take: what its process waits for a processor does not count."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid = pid
        self._end = time.monotonic() + seconds
        self._most = _TIMES * seconds
        self._before: tuple[float, float, float] | None = None
        self._given = 0.0

    @property
    def left_s(self) -> float:
        """The seconds to wait before `is_over` is called; 0 at the end."""
        left = max(0.0, self._end - time.monotonic())
        return min(left, _LOOK_S) if self._before is None else left

    def is_over(self) -> bool:
        """Whether the time is over, without what the process waited since the first call.

        Time in which a thread of it ran counts, however many others waited.
        """
        now = time.monotonic(), *ran_and_waited_s(self._pid)
        if self._before is None:
            self._before = now
        passed, ran, waited = (after - before for after, before in zip(now, self._before, strict=True))
        given = max(self._given, min(waited, passed - ran, self._most))
        self._end, self._given = self._end + given - self._given, given
        return now[0] >= self._end


def is_starved(pid: int, seconds: float) -> bool:
    """Whether the process waits for a processor longer than it runs, for so many seconds from now."""
    ran, waited = ran_and_waited_s(pid)
    time.sleep(seconds)
    now_ran, now_waited = ran_and_waited_s(pid)
    return now_waited - waited > now_ran - ran
