"""Which member of a share group held which records, and when; where two held one at a time.

A member holds a record from its delivery by a poll until its acknowledgement was accepted, at most as long
as the lock lasts. The lock began when the broker acquired the record for the member, which is not before the
poll that came before. A broker that ends gives up its locks. Source: KIP-932, acquisition locks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from kassay.engines.live.owners import without, zombie_spans
from kassay.engines.live.program import Acknowledged, Closed, Failed, RecordsRead
from kassay.engines.live.recording import MS, Life, Recording
from kassay.engines.live.script import OF_BROKERS
from kassay.model.cluster import TopicPartition

NEVER: Final = 2**63


@dataclass(frozen=True)
class Hold:
    """One member held the records `first` to `last` of a partition from `since` until `until`."""

    life: Life
    partition: TopicPartition
    first: int
    last: int
    since: int
    until: int


@dataclass(frozen=True)
class DoubleHold:
    """Two members held these records of a partition at a time, from `since` on."""

    one: Hold
    other: Hold
    first: int
    last: int
    since: int
    until: int


def holds(life: Life, lock_ms: int) -> Iterator[Hold]:
    """What the member held; the lock is taken to last so long."""
    pending: list[Hold] = []
    for event in life.events:
        match event:
            case RecordsRead(t, spans, since):
                limit = (t if since is None else since) + lock_ms * MS
                pending += [Hold(life, each.partition, each.first, each.last, t, limit) for each in spans]
            case Acknowledged(t, _, spans):
                for span in spans:
                    left = []
                    for hold in pending:
                        done, rest = _split(hold, span.partition, span.first, span.last)
                        yield from (replace(each, until=min(each.until, t)) for each in done)
                        left += rest
                    pending = left
            case Closed(t) | Failed(t, True, _):
                yield from (replace(each, until=min(each.until, t)) for each in pending)
                pending = []
    end = NEVER if life.ended is None else life.ended
    yield from (replace(each, until=min(each.until, end)) for each in pending)


def _split(hold: Hold, partition: TopicPartition, first: int, last: int) -> tuple[list[Hold], list[Hold]]:
    """The part of a hold that is in the range, and the parts that are not."""
    if hold.partition != partition or last < hold.first or hold.last < first:
        return [], [hold]
    low, high = max(first, hold.first), min(last, hold.last)
    rest = [(hold.first, low - 1), (high + 1, hold.last)]
    outside = [replace(hold, first=begin, last=end) for begin, end in rest if begin <= end]
    return [replace(hold, first=low, last=high)], outside


def double_holds(recording: Recording) -> list[DoubleHold]:
    """Every record that two members held at a time, the earliest first."""
    timeouts = recording.script.timeouts
    breaks = [(each.began, each.ended) for each in recording.steps if each.action.do in OF_BROKERS]
    by_partition: dict[TopicPartition, list[Hold]] = defaultdict(list)
    for life in recording.lives:
        zombie = zombie_spans(life, timeouts)
        for hold in holds(life, timeouts.session_ms):
            for since, until in without((hold.since, _cut(hold, breaks)), zombie)[:1]:
                if since == hold.since:
                    by_partition[hold.partition].append(replace(hold, until=until))
    doubles: list[DoubleHold] = []
    for mine in by_partition.values():
        doubles += _overlapping(sorted(mine, key=lambda each: (each.since, each.life.name)))
    return sorted(doubles, key=lambda each: (each.since, each.one.partition, each.first))


def _cut(hold: Hold, breaks: list[tuple[int, int]]) -> int:
    """The end of a hold, at most the next end of a broker; none at all for one that begins meanwhile."""
    until = hold.until
    for began, ended in breaks:
        if began <= hold.since <= ended:
            return hold.since
        if began > hold.since:
            until = min(until, began)
    return until


def _overlapping(mine: list[Hold]) -> Iterator[DoubleHold]:
    held: list[Hold] = []
    for hold in mine:
        held = [each for each in held if each.until > hold.since]
        for each in held:
            first, last = max(each.first, hold.first), min(each.last, hold.last)
            if each.life is not hold.life and first <= last and hold.until > hold.since:
                yield DoubleHold(each, hold, first, last, hold.since, min(each.until, hold.until))
        held.append(hold)
