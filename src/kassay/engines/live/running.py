"""Processes of a run: each under a guard of its own, which ends it when kassay ends, however that is.

One thread reads all of them: `Pump.wait` returns when something was read, or after a time.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from kassay.engines.processes.proc import resident_mib
from kassay.engines.processes.process import Guarded
from kassay.model.errors import TargetError, TargetFailure

_READ: Final = 1 << 16
_START_S: Final = 30.0
_TICK_S: Final = 0.05
_STALLED_S: Final = 0.2


class LiveFailed(TargetError):
    """The run itself failed: the broker, kassay's helper or the machine, not a client under test."""


class Pump:
    """Waits for the output of any process; each descriptor has a function that takes what was read."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def add(self, fd: int, take: Callable[[bytes], None]) -> None:
        """Read this descriptor from now on; `take` gets b"" at its end, once."""
        self._selector.register(fd, selectors.EVENT_READ, take)

    def drop(self, fd: int) -> None:
        """Read this descriptor no more."""
        with suppress(KeyError):
            self._selector.unregister(fd)

    def wait(self, seconds: float) -> bool:
        """Wait for output, for at most so many seconds; False if there was none."""
        ready = self._selector.select(max(0.0, seconds))
        for key, _ in ready:
            try:
                data = os.read(key.fd, _READ)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                self.drop(key.fd)
            key.data(data)
        return bool(ready)


class Canary:
    """kassay's own: a thread that should tick every 50 ms; `stalls` are the spans in which it did not."""

    def __init__(self) -> None:
        self.stalls: list[tuple[int, int]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Canary:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _tick(self) -> None:
        last = time.monotonic_ns()
        while not self._stop.wait(_TICK_S):
            now = time.monotonic_ns()
            if (now - last) / 1e9 > _STALLED_S:
                self.stalls.append((last, now))
            last = now


class RunningProcess:
    """A process with lines in and lines out; `take` gets each line, and None when its output ends."""

    def __init__(
        self,
        argv: Sequence[str],
        pump: Pump,
        take: Callable[[str | None], None],
        note: Callable[[str, Sequence[int]], None],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._guarded = Guarded()
        self._pump, self._take, self._rest = pump, take, b""
        order = {
            "kind": "exec",
            "argv": [*argv],
            "environment": dict(environment or {}),
            "memory_mib": 0,
        }
        try:
            self._guarded.start(order, _START_S)
        except TargetFailure as failure:
            self._guarded.close()
            raise LiveFailed(str(failure)) from None
        self.pid = self._guarded.pid
        note(argv[0], (self.pid, self._guarded.guard.pid))
        self._fd = self._guarded.channel[1]
        pump.add(self._fd, self._received)

    def _received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line.decode("utf-8", "replace"))
        if not data:
            self._take(None)

    def send(self, document: Mapping[str, Any]) -> None:
        """Write a command; a process that is gone gets none."""
        data = json.dumps(document).encode() + b"\n"
        with suppress(OSError, IndexError):
            os.write(self._guarded.channel[0], data)

    def signal(self, number: signal.Signals) -> None:
        """Send the process a signal."""
        if self._guarded.alive:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def words(self) -> str:
        """How a process ended whose output has ended, and its last line on standard error."""
        return self._guarded.fail_ended("the run").message

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, 0)
            return self._guarded.alive
        return False

    @property
    def resident_mib(self) -> float:
        """The memory of the process and of its guard, in MiB."""
        return resident_mib(self.pid) + resident_mib(self._guarded.guard.pid)

    def close(self) -> None:
        """End the process and everything that it started."""
        self._pump.drop(self._fd)
        self._guarded.close()


def log_of(argv: Sequence[str], log: Path) -> list[str]:
    """The command line whose output goes to a file."""
    return ["/bin/sh", "-c", 'log=$1; shift; exec "$@" > "$log" 2>&1', "sh", str(log), *argv]
