"""The claims on share groups: several members may read a partition, and each record is one member's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from kassay.engines.live.claims.progress import (
    Ranges,
    RecordsFound,
    merged,
    read_at_end,
    ruling_of,
    sizes,
    spans_of,
    unreported,
)
from kassay.engines.live.claims.rulings import Ruling, Word
from kassay.engines.live.claims.scene import Scene, begun, listed
from kassay.engines.live.holds import DoubleHold, double_holds
from kassay.engines.live.owners import touches
from kassay.engines.live.program import Acknowledged, RecordsRead
from kassay.engines.live.recording import MS, Recording
from kassay.engines.live.script import OF_BROKERS
from kassay.model.cluster import TopicPartition
from kassay.writing.text import counted

NO_MOVES: Final = "the partitions of a share group have no owner"
_MUTE: Final = "does not report what it acknowledges"
NO_LOCKS: Final = "a broker that ends gives up its locks"


def held_by_one(recording: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """No record is held by two members at a time."""
    unable = unreported(recording, "records", "acknowledged")
    doubles = [(max(1, begun(scenes, each.since)), each) for each in double_holds(recording)]
    for scene in scenes:
        mine = [each for number, each in doubles if number == scene.number]
        unclear = {name for each in mine if (name := _stalled(recording, each))}
        broken = [each for each in mine if not _stalled(recording, each)]
        if broken:
            clients = {side.life.seat.client for each in broken for side in (each.one, each.other)}
            yield scene.ruling("exclusive", Word.VIOLATED, listed(map(_words, broken)), clients)
        elif unable or unclear:
            stalled = f"{', '.join(sorted(unclear))} stalled"
            yield scene.ruling("exclusive", Word.UNKNOWN, f"{unable} {_MUTE}" if unable else stalled)
        elif scene.step.action.do in OF_BROKERS:
            yield scene.ruling("exclusive", Word.VACUOUS, NO_LOCKS)
        else:
            yield scene.ruling("exclusive", Word.HOLDS if len(scene.step.present) > 1 else Word.VACUOUS)


def _stalled(recording: Recording, double: DoubleHold) -> str:
    """Who stalled when two held a record; empty if none did."""
    for life in (double.one.life, double.other.life):
        if touches(double.since, life.stalls) or touches(double.one.since, life.stalls):
            return life.name
    return "kassay" if touches(double.since, recording.stalls) else ""


def _words(double: DoubleHold) -> str:
    more = f" to {double.last}" if double.last > double.first else ""
    records = f"{double.one.partition} {double.first}{more}"
    ms = (double.until - double.since) / MS
    return f"{records} held by {double.one.life.name} and {double.other.life.name} for {ms:,.1f} ms"


def shared_evenly(_: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """Members that read the same topics have counts within one, and so have partitions."""
    for scene in scenes:
        step = scene.step
        if not (step.settled and scene.is_even and len(step.present) > 1):
            yield scene.ruling("balanced", Word.VACUOUS)
            continue
        loads = sorted(map(len, scene.owned.values()))
        members = sorted(Counter(each for owned in scene.owned.values() for each in owned).values())
        for counts, what in ((loads, "loads"), (members, "members of a partition")):
            if counts and counts[-1] - counts[0] > 1:
                yield scene.ruling("balanced", Word.VIOLATED, f"{what} {counts}")
                break
        else:
            yield scene.ruling("balanced")


def not_applicable(claim: str, why: str) -> Callable[[Recording, Sequence[Scene]], Iterator[Ruling]]:
    """A claim that says nothing of such groups."""

    def judged(_: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
        for scene in scenes:
            yield scene.ruling(claim, Word.VACUOUS, why)

    return judged


def acknowledged_once(recording: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """Every record is acknowledged by a member, and by one only."""
    yield ruling_of(recording, scenes, _acknowledged(recording))


def _acknowledged(recording: Recording) -> RecordsFound:
    """What became of the records. An acknowledgement whose answer did not arrive may have been accepted: the
    coordinator says with which records the group has done.
    """
    accepted: dict[TopicPartition, list[tuple[int, int, int, str]]] = defaultdict(list)
    for life, t, span in spans_of(recording, Acknowledged):
        accepted[span.partition].append((t, span.first, span.last, life.name))
    delivered: dict[TopicPartition, Ranges] = defaultdict(list)
    for _, _, span in spans_of(recording, RecordsRead):
        delivered[span.partition].append((span.first, span.last))
    if unable := unreported(recording, "records", "acknowledged"):
        return RecordsFound((), f"{unable} {_MUTE}")
    still_read, last = read_at_end(recording)
    problems: list[tuple[int, str]] = []
    left = 0
    for partition, count in sorted(recording.produced.items()):
        mine = sorted(accepted[partition])
        problems += _twice(partition, mine)
        if partition.topic not in still_read or last is None:
            continue
        start = min(count, recording.starts.get(partition, 0))
        if lost := start - _below(start, delivered[partition]):
            text = f"{partition}: the group has done with {counted(lost, 'record')} that no member got"
            problems.append((last.began, text))
        left += count - _below(count, [(first, end) for _, first, end, _ in mine] + [(0, start - 1)])
    if left and last is not None and last.settled:
        problems.append((last.began, f"{counted(left, 'record')} not acknowledged by a settled group"))
    unclear = f"{counted(left, 'record')} not acknowledged before the end" if left and not problems else ""
    return RecordsFound(tuple(problems), unclear)


def _below(end: int, ranges: Ranges) -> int:
    """How many offsets below the end are in the ranges."""
    return sizes(merged((first, min(last, end - 1)) for first, last in ranges if first <= min(last, end - 1)))


def _twice(partition: TopicPartition, mine: list[tuple[int, int, int, str]]) -> Iterator[tuple[int, str]]:
    """Acknowledgements that were accepted of a record that had been acknowledged."""
    by_offset = sorted((first, last, t, name) for t, first, last, name in mine)
    before: tuple[int, str] | None = None
    for first, last, t, name in by_offset:
        if before is not None and first <= before[0]:
            yield t, f"{partition} {first} acknowledged by {before[1]} and again by {name}"
        if before is None or last > before[0]:
            before = (last, name)
