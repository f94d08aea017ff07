"""What the members did with the records of kassay's numbered producer: read, lost, read twice, committed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kassay.engines.live.claims.rulings import Ruling, Word
from kassay.engines.live.claims.scene import Scene, begun, listed
from kassay.engines.live.program import Acknowledged, Committed, RecordsRead, Span
from kassay.engines.live.recording import Life, LiveStep, Recording
from kassay.model.cluster import TopicPartition
from kassay.writing.text import counted

Ranges = list[tuple[int, int]]


@dataclass(frozen=True)
class RecordsFound:
    """Problems with records, with their times; `unclear` says why they cannot be known, or is empty."""

    problems: tuple[tuple[int, str], ...]
    unclear: str


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same offsets as ranges (first, last) that are apart and in order."""
    whole: Ranges = []
    for first, last in sorted(ranges):
        if whole and first <= whole[-1][1] + 1:
            whole[-1] = (whole[-1][0], max(whole[-1][1], last))
        else:
            whole.append((first, last))
    return whole


def progress(recording: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """No record is lost, and no commit goes backwards; or the step of the first one that does."""
    yield ruling_of(recording, scenes, records_read(recording))


def ruling_of(recording: Recording, scenes: Sequence[Scene], outcome: RecordsFound) -> Ruling:
    """The ruling on what became of the records."""
    clients = tuple(sorted({life.seat.client for life in recording.lives}))
    ruling = Ruling("progress", 0, Word.HOLDS, clients=clients)
    if outcome.problems:
        problems = sorted(outcome.problems)
        text = listed(words for _, words in problems)
        return replace(ruling, step=begun(scenes, problems[0][0]), word=Word.VIOLATED, text=text)
    if outcome.unclear:
        return replace(ruling, word=Word.UNKNOWN, text=outcome.unclear)
    return ruling if recording.produced else replace(ruling, word=Word.VACUOUS)


def spans_of(
    recording: Recording, kind: type[RecordsRead | Acknowledged]
) -> Iterator[tuple[Life, int, Span]]:
    """The spans of all events of a kind, each with its member and its time."""
    for life in recording.lives:
        for event in life.events:
            if isinstance(event, kind):
                yield from ((life, event.t, span) for span in event.spans)


def times_read(recording: Recording) -> tuple[int, int]:
    """How many records were read, and how many of them again."""
    ranges: dict[TopicPartition, Ranges] = defaultdict(list)
    total = 0
    for _, _, span in spans_of(recording, RecordsRead):
        ranges[span.partition].append((span.first, span.last))
        total += span.count
    once = sum(sizes(merged(ranges[each])) for each in recording.produced)
    return once, total - once


def sizes(ranges: Ranges) -> int:
    """How many offsets the ranges have, which are apart."""
    return sum(last - first + 1 for first, last in ranges)


def read_at_end(recording: Recording) -> tuple[frozenset[str], LiveStep | None]:
    """The topics that members still read at the end, and the last step."""
    last = recording.steps[-1] if recording.steps else None
    return frozenset().union(*last.present.values()) if last is not None else frozenset(), last


def records_read(recording: Recording) -> RecordsFound:
    """What became of the records. A record that none read counts as lost if later ones of its partition were
    read, or if the group had time to read everything.
    """
    times: dict[TopicPartition, list[tuple[int, int, int]]] = defaultdict(list)
    for _, t, span in spans_of(recording, RecordsRead):
        times[span.partition].append((t, span.first, span.last))
    still_read, last = read_at_end(recording)
    tail = 0
    problems: list[tuple[int, str]] = []
    for partition, count in sorted(recording.produced.items()):
        whole = merged((first, end) for _, first, end in times[partition])
        end = whole[-1][1] + 1 if whole else 0
        tail += max(0, count - end) if partition.topic in still_read else 0
        if lost := end - sizes(whole):
            before = whole[0][1] if whole[0][0] == 0 else -1
            after = min(t for t, _, last_read in times[partition] if last_read > before)
            problems.append((after, f"{partition}: {counted(lost, 'record')} below {end - 1} never read"))
    problems += backwards(recording)
    if unable := unreported(recording, "records", "committed"):
        return RecordsFound(tuple(backwards(recording)), f"{unable} reports no records")
    if tail and last is not None and last.settled:
        problems.append((last.began, f"{counted(tail, 'record')} not read by a settled group"))
    unclear = f"{counted(tail, 'record')} not read before the end" if tail and not problems else ""
    return RecordsFound(tuple(problems), unclear)


def unreported(recording: Recording, *kinds: str) -> str:
    """A member that does not report events of these kinds; empty if there is none."""
    for life in recording.lives:
        if life.ready is not None and not all(map(life.reports, kinds)):
            return life.name
    return ""


def backwards(recording: Recording) -> list[tuple[int, str]]:
    """When and how a commit set a lower offset than another one that was accepted before it was called."""
    commits: dict[TopicPartition, list[tuple[int, int, int, str]]] = defaultdict(list)
    for life in recording.lives:
        for event in life.events:
            if isinstance(event, Committed):
                for partition, offset in event.offsets.items():
                    commits[partition].append((event.began, event.t, offset, life.name))
    problems: list[tuple[int, str]] = []
    for partition, all_of in sorted(commits.items()):
        for began, _, offset, name in sorted(all_of):
            earlier = [(o, n) for _, accepted, o, n in all_of if accepted < began and o > offset]
            if earlier:
                most, by = max(earlier)
                words = f"{partition}: {name} committed {offset} after {by} had committed {most}"
                problems.append((began, words))
    return problems
