"""A member while a script is played: its process, and what it has reported so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from kassay.engines.live.cluster import Helper
from kassay.engines.live.program import (
    Acknowledged,
    Called,
    Closed,
    Committed,
    Event,
    Failed,
    RecordsRead,
    read_event,
)
from kassay.engines.live.recording import Life
from kassay.engines.live.running import RunningProcess
from kassay.engines.live.script import LiveSeat
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError


@dataclass
class RunningMember:
    """A process of a member, and what it has reported so far."""

    seat: LiveSeat
    number: int
    topics: frozenset[str]
    started: int
    helper: Helper
    process: RunningProcess | None = None
    events: list[Event] = field(default_factory=list)
    lines: int = 0
    ended: int | None = None
    leaving: bool = False
    over: bool = False
    wait_ms: int = 0
    pauses: list[tuple[int, int | None]] = field(default_factory=list)
    slow: list[tuple[int, int | None]] = field(default_factory=list)

    def take(self, line: str | None) -> None:
        """A line of the program; a wrong one counts as its failure."""
        if line is None:
            self._over()
            return
        self.lines += 1
        try:
            self.events.append(self._renamed(read_event(line, self.seat.name, self.lines)))
        except InputError as problem:
            self.events.append(Failed(time.monotonic_ns(), False, f"protocol: {problem}"))

    def _over(self) -> None:
        self.over = True
        if self.ended is None:
            self.ended = time.monotonic_ns()
            if not any(isinstance(event, Closed) for event in self.events) and self.process is not None:
                self.events.append(Failed(self.ended, True, self.process.words()))

    def _renamed(self, event: Event) -> Event:
        """The event with the script's names of topics."""
        short = self.helper.short
        match event:
            case Called(t, kind, phase, partitions):
                return Called(t, kind, phase, frozenset(TopicPartition(short(n), p) for n, p in partitions))
            case RecordsRead(_, spans) | Acknowledged(_, _, spans):
                names = [TopicPartition(short(each.partition.topic), each.partition[1]) for each in spans]
                moved = (replace(each, partition=name) for each, name in zip(spans, names))
                return replace(event, spans=tuple(moved))
            case Committed(t, began, offsets):
                return Committed(
                    t, began, {TopicPartition(short(n), p): offset for (n, p), offset in offsets.items()}
                )
        return event

    @property
    def paused(self) -> bool:
        """Whether the script has stopped the process."""
        return bool(self.pauses) and self.pauses[-1][1] is None

    @property
    def alive(self) -> bool:
        """Whether the script has the member run; one that ended by itself counts."""
        killed = self.ended is not None and not any(
            isinstance(event, Failed) and event.fatal for event in self.events
        )
        return not (killed or self.leaving or self.paused or (self.slow and self.slow[-1][1] is None))

    def life(self) -> Life:
        """What was recorded."""
        return Life(
            self.seat,
            self.number,
            self.started,
            tuple(self.events),
            self.ended,
            tuple(self.pauses),
            tuple(self.slow),
        )
