"""Pairs of libraries played on one broker, some groups at a time; each result is handed on at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from kassay.engines.live.brokers import ONE, OwnCluster, own_cluster
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.cluster import Helper
from kassay.engines.live.folder import RUNS, RunFolder
from kassay.engines.live.interop import (
    FIRST,
    SECOND,
    TIMEOUTS,
    InteropResult,
    LibraryPair,
    PairPlay,
    outcomes,
)
from kassay.engines.live.judge import judge
from kassay.engines.live.play import LiveStage, Play
from kassay.engines.live.running import LiveFailed, Pump
from kassay.writing.files import json_text

UNKNOWN_MAX: Final = 2
"""How many plays of a pair may be unknown before it is left."""
Note = Callable[[InteropResult, str], None]


@dataclass(frozen=True)
class InteropOptions:
    """What to play: each pair until so many plays are decided, at most `jobs` groups at a time."""

    pairs: Sequence[LibraryPair]
    plays: int = 1
    jobs: int = 1
    base: Path = RUNS


@dataclass(frozen=True)
class _Stand:
    """What the plays of a run share; each has a group, a helper and programs of its own."""

    options: InteropOptions
    programs: ClientPrograms
    folder: RunFolder
    cluster: OwnCluster

    def play(self, pair: LibraryPair, number: int) -> PairPlay:
        """One play of a pair; raises `LiveFailed`."""
        pump = Pump()
        helper = Helper(pump, f"kassay-{self.folder.run}-{number}")
        stage = LiveStage(self.programs, self.cluster.bootstrap, helper, pump, self.folder.note, self.cluster)
        began = time.monotonic()
        try:
            helper.start(self.programs.jars, self.cluster.bootstrap, self.folder.note)
            recording = Play(pair.script(), stage).record()
        finally:
            helper.close()
        self.folder.write(f"{number}.recording.json", json_text(recording.document()))
        together, handed = outcomes(recording, judge(recording))
        versions = {life.seat.name: life.ready.version for life in recording.lives if life.ready is not None}
        return PairPlay(
            datetime.now(UTC).date().isoformat(),
            self.options.jobs,
            (versions.get(FIRST, ""), versions.get(SECOND, "")),
            together,
            handed,
            round(time.monotonic() - began, 1),
        )


def left(result: InteropResult, pair: LibraryPair, plays: int) -> int:
    """How many plays of the pair are still to be decided; 0 where too many were unknown."""
    every = result.plays(pair)
    decided = sum(play.decided for play in every)
    return 0 if len(every) - decided > UNKNOWN_MAX else max(0, plays - decided)


def interop(
    options: InteropOptions, programs: ClientPrograms, result: InteropResult, note: Note = lambda _, __: None
) -> InteropResult:
    """Play what the result lacks; `note` gets each new result. Raises `InputError` and `LiveFailed`.

    When it ends, however that is, whatever was started ends too.
    """
    waiting = [
        pair
        for turn in range(options.plays)
        for pair in options.pairs
        if turn < left(result, pair, options.plays)
    ]
    if not waiting:
        return result
    folder = RunFolder(options.base)
    data = folder.path / "broker"
    own = OwnCluster(ONE, programs.jars, programs.release, data, TIMEOUTS, Pump(), folder.note)
    with own_cluster(own) as cluster:
        return _play_all(_Stand(options, programs, folder, cluster), waiting, result, note)


def _play_all(
    stand: _Stand, waiting: Sequence[LibraryPair], result: InteropResult, note: Note
) -> InteropResult:
    """Play the pairs, by one thread a job, which ends with kassay."""
    todo: SimpleQueue[tuple[int, LibraryPair]] = SimpleQueue()
    done: SimpleQueue[tuple[LibraryPair, PairPlay | BaseException]] = SimpleQueue()
    for number, pair in enumerate(waiting, start=1):
        todo.put((number, pair))

    def work() -> None:
        while True:
            try:
                number, pair = todo.get(block=False)
            except Empty:
                return
            try:
                done.put((pair, stand.play(pair, number)))
            except BaseException as error:  # it is raised where it is awaited
                done.put((pair, error))

    for _ in range(stand.options.jobs):
        threading.Thread(target=work, daemon=True).start()
    failures: list[LiveFailed] = []
    for _ in waiting:
        pair, play = done.get()
        if isinstance(play, LiveFailed):
            failures.append(play)
        elif isinstance(play, BaseException):
            raise play
        else:
            result = result.with_play(pair, play)
            note(result, f"{pair.first} and {pair.second}, {pair.strategy}: {' '.join(play.cells())}")
    if failures:
        raise failures[0]
    return result
