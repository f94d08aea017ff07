"""What the members did with the records of kassay's numbered producer: read, lost, read twice, committed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kassay.certify.live.program import Committed, RecordsRead
from kassay.certify.live.recording import Recording
from kassay.model.cluster import TopicPartition
from kassay.writing.text import counted

Ranges = list[tuple[int, int]]


@dataclass(frozen=True)
class RecordsFound:
    """What was read, and problems with their times; `unclear` says why they cannot be known, or is empty."""

    read: int
    twice: int
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


def records_read(recording: Recording) -> RecordsFound:
    """What became of the records. A record that none read counts as lost if later ones of its partition were
    read, or if the group had time to read everything.
    """
    ranges: dict[TopicPartition, Ranges] = defaultdict(list)
    times: dict[TopicPartition, list[tuple[int, int]]] = defaultdict(list)
    total = 0
    for life in recording.lives:
        for event in life.events:
            if isinstance(event, RecordsRead):
                for span in event.spans:
                    ranges[span.partition].append((span.first, span.last))
                    times[span.partition].append((event.t, span.last))
                    total += span.count
    last = recording.steps[-1] if recording.steps else None
    still_read = set().union(*last.present.values()) if last is not None else set()
    read, tail = 0, 0
    problems: list[tuple[int, str]] = []
    for partition, count in sorted(recording.produced.items()):
        whole = merged(ranges[partition])
        read += sum(last - first + 1 for first, last in whole)
        end = whole[-1][1] + 1 if whole else 0
        lost = end - sum(last - first + 1 for first, last in whole)
        tail += max(0, count - end) if partition.topic in still_read else 0
        if lost:
            after = [t for t, last in times[partition] if last > (whole[0][1] if whole[0][0] == 0 else -1)]
            problems.append(
                (min(after), f"{partition}: {counted(lost, 'record')} below {end - 1} never read")
            )
    problems += backwards(recording)
    unable = [
        life.name
        for life in recording.lives
        if life.ready is not None and not {"records", "committed"} <= {*life.ready.reports}
    ]
    if unable:
        return RecordsFound(
            read, total - read, tuple(backwards(recording)), f"{unable[0]} reports no records"
        )
    if tail and last is not None and last.settled:
        problems.append((last.began, f"{counted(tail, 'record')} not read by a settled group"))
    unclear = f"{counted(tail, 'record')} not read before the end" if tail and not problems else ""
    return RecordsFound(read, total - read, tuple(problems), unclear)


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
