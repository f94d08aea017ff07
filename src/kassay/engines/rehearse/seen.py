"""What a rehearsal showed of each roll, from its recording, in the figures in which `what-if` plans."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.engines.clusters.played import Extent
from kassay.engines.live.owners import Tenure, overlaps, tenures
from kassay.engines.live.program import Called, RecordsRead
from kassay.engines.live.recording import MS, LiveStep, Recording
from kassay.model.cluster import TopicPartition

Window = tuple[int, int]


@dataclass(frozen=True)
class RollSeen:
    """The totals of a roll as seen. `rebalances` is None if the coordinator's count is not known.

    `moved`: partitions that have left a member who stays by the end of a restart; `restarted`: those of the
    members that restart; `revoked`: each revocation of a member who stays. `pauses_ms`: how long each
    partition was without an owner. `unsettled`: actions after which the group had not settled in time.
    """

    rebalances: int | None
    moved: int
    restarted: int
    revoked: int
    loads: Extent
    pauses_ms: tuple[float, ...]
    double_owners: int
    read_twice: int
    unsettled: int

    @property
    def paused(self) -> int:
        """The pauses, as `what-if` counts them."""
        return self.restarted + self.revoked

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the totals."""
        pauses = sorted(self.pauses_ms)
        return {
            "rebalances": self.rebalances,
            "moved": self.moved,
            "restarted": self.restarted,
            "revoked": self.revoked,
            "loads": list(self.loads),
            "without_owner": len(pauses),
            "longest_ms": round(pauses[-1]) if pauses else 0,
            "median_ms": round(pauses[len(pauses) // 2]) if pauses else 0,
            "double_owners": self.double_owners,
            "read_twice": self.read_twice,
            "unsettled": self.unsettled,
        }


def owned_after(step: LiveStep) -> Mapping[str, tuple[TopicPartition, ...]]:
    """What each member was assigned when the step ended."""
    return {name: tuple(sorted(owned)) for name, owned in step.group.members.items()}


def roll_seen(recording: Recording, restarts: Sequence[tuple[int, int, str]]) -> RollSeen:
    """The totals of the restarts, each the first and the last of its actions and its member."""
    steps = recording.steps
    before, last = steps[restarts[0][0] - 1], steps[restarts[-1][1]]
    later = restarts[-1][1] + 1
    window = (steps[restarts[0][0]].began, steps[later].began if later < len(steps) else last.ended)
    moved = restarted = revoked = 0
    for first, end, member in restarts:
        was, then = steps[first - 1], steps[end]
        moved += _moved(was, then, member) if member else 0
        restarted += len(was.group.members.get(member, ())) if member else _all_owned(was)
        until = steps[end + 1].began if end + 1 < len(steps) else then.ended
        revoked += _revoked(recording, member, (steps[first].began, until)) if member else 0
    known = before.group.epoch >= 0 and last.group.epoch >= 0
    loads = [len(owned) for owned in last.group.members.values()] or [0]
    return RollSeen(
        last.group.epoch - before.group.epoch if known else None,
        moved,
        restarted,
        revoked,
        Extent(min(loads), max(loads)),
        tuple(_pauses(recording, window)),
        _double_owners(recording, window),
        _read_twice(recording, window),
        sum(not step.settled for step in steps[restarts[0][0] : later]),
    )


def _all_owned(step: LiveStep) -> int:
    return sum(map(len, step.group.members.values()))


def _owners(step: LiveStep) -> dict[TopicPartition, str]:
    return {each: name for name, owned in step.group.members.items() for each in owned}


def _moved(was: LiveStep, then: LiveStep, member: str) -> int:
    """The partitions that have left a member who stays."""
    now = _owners(then)
    return sum(now.get(tp) not in (owner, None) for tp, owner in _owners(was).items() if owner != member)


def _revoked(recording: Recording, member: str, window: Window) -> int:
    """The partitions of the revocations of all other members."""
    return sum(
        len(event.partitions)
        for life in recording.lives
        if life.seat.name != member
        for event in life.events
        if isinstance(event, Called)
        and event.kind != "assigned"
        and event.phase == "begin"
        and window[0] <= event.t < window[1]
    )


def _pauses(recording: Recording, window: Window) -> list[float]:
    """How long a partition was without an owner each time that one gave it up, in milliseconds."""
    held: dict[TopicPartition, list[Tenure]] = defaultdict(list)
    for life in recording.lives:
        for tenure in tenures(life):
            held[tenure.partition].append(tenure)
    pauses = []
    for each in held.values():
        starts = sorted(tenure.since for tenure in each)
        for tenure in each:
            if window[0] <= tenure.until < window[1]:
                at = bisect_left(starts, tenure.until)
                if at < len(starts):
                    pauses.append((starts[at] - tenure.until) / MS)
    return pauses


def _double_owners(recording: Recording, window: Window) -> int:
    """The times at which two members owned one partition."""
    shared = overlaps(recording.lives, recording.script.timeouts)
    return sum(window[0] <= each.since < window[1] and not each.believed for each in shared)


def _read_twice(recording: Recording, window: Window) -> int:
    """The records that were read in the window and had been read before."""
    events = [event for life in recording.lives for event in life.events if isinstance(event, RecordsRead)]
    next_of: dict[TopicPartition, int] = defaultdict(int)
    twice = 0
    for event in sorted(events, key=lambda each: each.t):
        for span in event.spans:
            if window[0] <= event.t < window[1]:
                twice += max(0, min(span.last + 1, next_of[span.partition]) - span.first)
            next_of[span.partition] = max(next_of[span.partition], span.last + 1)
    return twice
