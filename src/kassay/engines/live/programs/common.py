"""What every Python program does: read commands, report events, keep a canary, poll, commit.

It needs the standard library only, so that a program loads nothing but its client library.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeAlias

Partition: TypeAlias = tuple[str, int]
Span: TypeAlias = tuple[str, int, int, int, int]
"""Topic, partition, first offset, last offset, count."""
TICK_S: Final = 0.05
STALLED_S: Final = 0.2
COMMIT_S: Final = 0.5
POLL_MS: Final = 100
ALL: Final = ("assigned", "revoked", "lost", "revoked-on-close", "records", "committed")


class Output:
    """Events as lines of what was standard output; whatever else is printed goes to standard error."""

    def __init__(self) -> None:
        self._fd = os.dup(1)
        os.dup2(2, 1)
        self._lock = threading.Lock()

    def emit(self, event: str, t: int | None = None, **fields: object) -> None:
        """Write one event, at the present time unless it is given."""
        document = {"event": event, "t": time.monotonic_ns() if t is None else t, **fields}
        data = json.dumps(document).encode() + b"\n"
        with self._lock:
            while data:
                data = data[os.write(self._fd, data) :]

    def callback(self, kind: str, phase: str, partitions: Iterable[Partition]) -> None:
        """Report the begin or the end of a callback."""
        self.emit(kind, phase=phase, partitions=sorted(partitions))

    def watch(self) -> None:
        """Start the canary: a thread that should tick every 50 ms."""
        threading.Thread(target=self._tick, daemon=True).start()

    def _tick(self) -> None:
        last = time.monotonic_ns()
        while True:
            time.sleep(TICK_S)
            now = time.monotonic_ns()
            if (now - last) / 1e9 > STALLED_S:
                self.emit("stall", now, ms=(now - last) // 1_000_000)
            last = now


class ClientCommands:
    """The commands on standard input; its end is the command to close."""

    def __init__(self) -> None:
        self.start: dict[str, Any] = json.loads(sys.stdin.readline())
        self.wait_ms = 0
        self.poll_ms: int = self.start.get("poll_ms", POLL_MS)
        self._queue: SimpleQueue[dict[str, Any]] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self._queue.put(json.loads(line))
        self._queue.put({"do": "close"})

    def next(self) -> dict[str, Any] | None:
        """The next command, awaited for the pause between two polls; None if there is none."""
        try:
            command = self._queue.get(timeout=self.wait_ms / 1000) if self.wait_ms else self._queue.get(False)
        except Empty:
            return None
        if command["do"] == "pace":
            self.wait_ms = command["wait_ms"]
        return command


class Uncommitted:
    """The offsets that were read and not committed yet, of partitions that the member owns.

    Some libraries call back in another thread, so records of a partition may arrive after it was given up.
    """

    def __init__(self) -> None:
        self.pending: dict[Partition, int] = {}
        self._owned: set[Partition] = set()
        self._last = time.monotonic()

    def own(self, partitions: Iterable[Partition]) -> None:
        """The member owns these as well."""
        self._owned.update(partitions)

    def add(self, spans: Iterable[Span]) -> None:
        """Records were read."""
        for topic, number, _, last, _ in spans:
            if (topic, number) in self._owned:
                self.pending[topic, number] = last + 1

    def give_up(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """What is pending of these partitions, which the member no longer owns."""
        self._owned.difference_update(partitions)
        return self.take(partitions)

    def due(self) -> dict[Partition, int]:
        """Everything, if it is time for a commit."""
        if not self.pending or time.monotonic() - self._last < COMMIT_S:
            return {}
        return self.take([*self.pending])

    def take(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """What is pending of these partitions, and is no longer."""
        self._last = time.monotonic()
        return {each: self.pending.pop(each) for each in partitions if each in self.pending}


class Polled(Protocol):
    """A client library behind the loop."""

    def subscribe(self, topics: list[str]) -> None:
        """Replace the subscription."""

    def poll(self) -> list[Span]:
        """Poll once, for at most the `poll_ms` of the start."""

    def commit(self, offsets: Mapping[Partition, int]) -> None:
        """Commit synchronously; raises what the library raises."""

    def close(self) -> None:
        """Leave the group."""


def committed(
    output: Output, commit: Callable[[Mapping[Partition, int]], None], offsets: dict[Partition, int]
) -> None:
    """Commit, and report what came of it."""
    if not offsets:
        return
    began = time.monotonic_ns()
    try:
        commit(offsets)
    except Exception as error:  # every library has its own
        output.emit("error", text=f"commit: {error!r}")
    else:
        report_commit(output, began, offsets)


def report_commit(output: Output, began: int, offsets: Mapping[Partition, int]) -> None:
    """Report offsets that the coordinator accepted."""
    output.emit("committed", began=began, offsets=[[*each, offset] for each, offset in offsets.items()])


def run(commands: ClientCommands, output: Output, client: Polled, work: Uncommitted) -> None:
    """Serve until the command to close."""
    while True:
        while (command := commands.next()) is not None:
            if command["do"] == "close":
                output.emit("closing")
                with suppress(Exception):
                    committed(output, client.commit, work.take([*work.pending]))
                client.close()
                output.emit("closed")
                return
            if command["do"] == "subscribe":
                client.subscribe(command["topics"])
        try:
            spans = client.poll()
            if spans:
                output.emit("records", records=spans)
                work.add(spans)
            committed(output, client.commit, work.due())
        except Exception as error:  # the library's own; the next poll may do better
            output.emit("error", text=repr(error))
            time.sleep(TICK_S)


def spans_of(by_partition: Mapping[Partition, list[int]]) -> list[Span]:
    """The spans of offsets by partition."""
    return [(*each, min(o), max(o), len(o)) for each, o in sorted(by_partition.items()) if o]


def fatal(output: Output, error: BaseException) -> None:
    """Report that the client cannot exist, and end."""
    output.emit("fatal", text=repr(error))
    os._exit(1)
