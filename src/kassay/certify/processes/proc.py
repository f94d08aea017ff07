"""Facts from /proc: the descendants of a process, its memory, and how long it waited for a processor."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


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


def is_starved(pid: int, seconds: float) -> bool:
    """Whether the process waits for a processor longer than it runs, for so many seconds from now."""
    ran, waited = ran_and_waited_s(pid)
    time.sleep(seconds)
    now_ran, now_waited = ran_and_waited_s(pid)
    return now_waited - waited > now_ran - ran
