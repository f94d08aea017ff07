"""Facts from /proc: the descendants of a process, and the memory of a process."""

from __future__ import annotations

import os
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
