"""Who owned what and when, by what the members reported; where two owned one partition at a time.

A member owns a partition from the end of its assigned callback to the start of its revoked or lost callback,
at most until it begins to leave or its process ends. A member that was stopped, or polled too rarely, for
longer than its session is a *zombie* until it next hears from the coordinator: its belief does not count.
Times of two processes are comparable, and a slow machine cannot swap them: a member reports the start of a
callback before its client may ask the coordinator for the next assignment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kassay.engines.live.program import Called, Closed, Closing, Failed, Timeouts
from kassay.engines.live.recording import MS, Life
from kassay.model.cluster import TopicPartition

Spans = list[tuple[int, int]]
FOREVER = 2**63
"""The end of a span that lasts beyond the recording."""


@dataclass(frozen=True)
class Tenure:
    """One member owned one partition from `since` until `until`, in nanoseconds."""

    life: Life
    partition: TopicPartition
    since: int
    until: int


@dataclass(frozen=True)
class Overlap:
    """Two members owned a partition at a time; `believed` if one of them was a zombie all the while."""

    first: Tenure
    second: Tenure
    since: int
    until: int
    believed: bool


def tenures(life: Life) -> list[Tenure]:
    """What the member owned, in the order of its ends."""
    since: dict[TopicPartition, int] = {}
    done: list[Tenure] = []

    def end(partitions: Iterable[TopicPartition], t: int) -> None:
        done.extend(Tenure(life, each, since.pop(each), t) for each in sorted(partitions) if each in since)

    for event in life.events:
        match event:
            case Called(t, "assigned", "end", partitions):
                for each in partitions:
                    since.setdefault(each, t)
            case Called(t, "revoked" | "lost", "begin", partitions):
                end(partitions, t)
            case Closing(t) | Closed(t) | Failed(t, True, _):
                end([*since], t)
    end([*since], FOREVER if life.ended is None else life.ended)
    return done


def owned_at(life: Life, t: int) -> frozenset[TopicPartition]:
    """What the member owned at this time."""
    return frozenset(each.partition for each in tenures(life) if each.since <= t < each.until)


def zombie_spans(life: Life, timeouts: Timeouts) -> Spans:
    """When what the member believed did not count."""
    session = (timeouts.session_ms - 2 * timeouts.heartbeat_ms) * MS
    spans = []
    for begin, end in life.pauses:
        until = FOREVER if end is None else end
        if until - begin >= session:
            spans.append((begin, _heard(life, until)))
    for begin, end in life.slow:
        spans.append((begin, _heard(life, begin if end is None else end)))
    return spans


def starved_spans(life: Life, timeouts: Timeouts) -> Spans:
    """When the member may have lost its session because its process did not run: what it shows is unknown."""
    session = (timeouts.session_ms - 2 * timeouts.heartbeat_ms) * MS
    return [(begin, _heard(life, end)) for begin, end in life.stalls if end - begin >= session]


def _heard(life: Life, after: int) -> int:
    """When the member next heard from the coordinator."""
    heard = life.next_callback(after)
    return FOREVER if heard is None else heard


def without(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> Spans:
    """The parts of a span that are in none of the others."""
    parts = [span]
    for begin, end in others:
        cut = [part for low, high in parts for part in ((low, min(high, begin)), (max(low, end), high))]
        parts = [(low, high) for low, high in cut if low < high]
    return parts


def covered(spans: Iterable[tuple[int, int]], begin: int, end: int) -> int:
    """How much of the time from `begin` to `end` is in the spans, in nanoseconds."""
    return end - begin - sum(high - low for low, high in without((begin, end), spans))


def touches(t: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether the time is in one of the spans, their ends included."""
    return any(begin <= t <= end for begin, end in spans)


def overlaps(lives: Iterable[Life], timeouts: Timeouts) -> list[Overlap]:
    """Every time at which two lives owned one partition, the earliest first."""
    by_partition: dict[TopicPartition, list[Tenure]] = defaultdict(list)
    zombies = {}
    for life in lives:
        zombies[life.name] = zombie_spans(life, timeouts)
        for tenure in tenures(life):
            by_partition[tenure.partition].append(tenure)
    shared = []
    for held in by_partition.values():
        held.sort(key=lambda each: (each.since, each.life.name))
        for index, first in enumerate(held):
            for second in held[index + 1 :]:
                if second.since >= first.until:
                    break
                if first.life.name != second.life.name and second.since < second.until:
                    shared.append(_overlap(first, second, zombies))
    return sorted(shared, key=lambda each: (each.since, each.first.partition))


def _overlap(first: Tenure, second: Tenure, zombies: dict[str, Spans]) -> Overlap:
    """The overlap of two tenures, cut to where neither member was a zombie, if there is such a part."""
    span = (second.since, min(first.until, second.until))
    counted = without(span, [*zombies[first.life.name], *zombies[second.life.name]])
    since, until = counted[0] if counted else span
    return Overlap(first, second, since, until, believed=not counted)
