"""What is left in the process table, read from /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.paths import TARGETS

DATA = TARGETS


def alive(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[0] != b"Z"


def below(root: int) -> set[int]:
    """Every process below `root`, zombies included."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_bytes()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(b")")[2].split()[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {root}


def children() -> set[int]:
    """Every process below this one, but for the one that Python itself keeps beside its pools until it ends."""
    return {pid for pid in below(os.getpid()) if b"multiprocessing.resource_tracker" not in command_of(pid)}


def command_of(pid: int) -> bytes:
    """The command line of a process; empty for a zombie, and for one that is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def noted(path: Path, count: int, seconds: float = 5.0) -> list[int]:
    """The process ids that a target wrote into the file, once there are so many."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pids = [int(line) for line in path.read_text().split()] if path.exists() else []
        if len(pids) >= count:
            return pids
        time.sleep(0.01)
    raise AssertionError(f"{path} never named {count} processes")
