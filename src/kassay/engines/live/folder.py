"""The folder of a run: the processes that it started, scripts, recordings; and its removal.

A process is known by its id and by when it started, in the system's clock ticks since boot; only what matches
both is ever ended.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Final

from kassay.model.errors import InputError
from kassay.writing.files import OUT, json_text, make_folder, write_text

RUNS: Final = Path(OUT) / "live"
"""Where the folders of runs are."""
_PROCESSES: Final = "processes.jsonl"
_END_S: Final = 5.0


@dataclass(frozen=True)
class NotedProcess:
    """A process as it was noted."""

    pid: int
    started: int
    program: str

    @property
    def runs(self) -> bool:
        """Whether it is still that process."""
        return start_time(self.pid) == self.started != 0


def start_time(pid: int) -> int:
    """When the process started, in clock ticks since boot; 0 if it is gone, a zombie, or without /proc."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return 0 if fields[0] == b"Z" else int(fields[19])
    return 0


class RunFolder:
    """The folder of one run, named by its id."""

    def __init__(self, base: Path = RUNS) -> None:
        self.run = token_hex(3)
        self.path = base / self.run
        make_folder(self.path)
        self.note("kassay", (os.getpid(),))

    def note(self, program: str, pids: Sequence[int]) -> None:
        """Note processes that were started; the file holds them at once."""
        lines = [json_text({"pid": p, "started": start_time(p), "program": program}) for p in pids]
        with (self.path / _PROCESSES).open("ab") as file:
            file.write("".join(f"{line}\n" for line in lines).encode())

    def write(self, name: str, text: str) -> Path:
        """Write a file of the run."""
        write_text(text, str(self.path / name))
        return self.path / name


def noted(folder: Path) -> list[NotedProcess]:
    """The processes that were noted in a run's folder."""
    try:
        lines = (folder / _PROCESSES).read_text("utf-8").splitlines()
    except OSError:
        return []
    processes = []
    for line in lines:
        with suppress(ValueError, KeyError):  # the last line of a run that was killed may be cut
            document = json.loads(line)
            processes.append(NotedProcess(document["pid"], document["started"], document["program"]))
    return processes


def end(processes: Iterable[NotedProcess]) -> int:
    """Kill those that still are what was noted, the guards first to last; returns how many there were."""
    running = [each for each in processes if each.runs]
    for each in running:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(each.pid, signal.SIGKILL)
    limit = time.monotonic() + _END_S
    while any(each.runs for each in running) and time.monotonic() < limit:
        time.sleep(0.02)
    return len(running)


@dataclass(frozen=True)
class Cleaned:
    """What was removed: folders of runs, and processes that were left; `busy` are runs that still go on."""

    folders: int
    processes: int
    busy: tuple[str, ...]


def clean(base: Path = RUNS) -> Cleaned:
    """End and remove what earlier runs left, and nothing of a run whose kassay still runs.

    Raises `InputError` if a folder cannot be removed.
    """
    folders = processes = 0
    busy = []
    for folder in sorted(path for path in base.glob("*") if (path / _PROCESSES).exists()):
        own = noted(folder)
        if own and own[0].program == "kassay" and own[0].runs:
            busy.append(folder.name)
            continue
        processes += end(own)
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise InputError(f"{folder}: cannot be removed ({error.strerror})") from None
        folders += 1
    _drop_empty(base)
    return Cleaned(folders, processes, tuple(busy))


def _drop_empty(base: Path) -> None:
    """Remove the folder of all runs if it is empty, and kassay's own around it if nothing else is in it."""
    with suppress(OSError):
        base.rmdir()
        own = base.parent
        if own.name == OUT and [each.name for each in own.iterdir()] == [".gitignore"]:
            shutil.rmtree(own)
