"""What was recorded of one played script: the lives of the members, the steps, what the producer sent.

Times are nanoseconds of CLOCK_MONOTONIC. A member that leaves and joins again has two lives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

from kassay.engines.live.group_types import type_of
from kassay.engines.live.program import Called, Event, Ready, RecordsRead, Stall, event_document
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat
from kassay.model.cluster import TopicPartition

MS: Final = 1_000_000
"""Nanoseconds in a millisecond."""
OwnedSet = frozenset[TopicPartition]


@dataclass(frozen=True)
class Life:
    """One process of a member, from its start to its end, with what it reported in order.

    `ended` is when it was killed or had ended by itself, None if it ran to the end of the recording. `pauses`
    are the spans in which the script had stopped the process or its coordinator, `slow` those with longer
    between two polls than the client may take; a span without an end lasts to the end of the recording.
    """

    seat: LiveSeat
    number: int
    started: int
    events: tuple[Event, ...]
    ended: int | None = None
    pauses: tuple[tuple[int, int | None], ...] = ()
    slow: tuple[tuple[int, int | None], ...] = ()

    @property
    def name(self) -> str:
        """The member's name; from its second life on with its number."""
        return self.seat.name if self.number == 1 else f"{self.seat.name}#{self.number}"

    @property
    def ready(self) -> Ready | None:
        """How the program introduced itself; None if it never did."""
        return next((each for each in self.events if isinstance(each, Ready)), None)

    def reports(self, kind: str) -> bool:
        """Whether the program says that it reports events of this kind."""
        return self.ready is not None and kind in self.ready.reports

    @property
    def stalls(self) -> list[tuple[int, int]]:
        """The spans in which the program's canary did not tick."""
        return [(each.t - each.ms * MS, each.t) for each in self.events if isinstance(each, Stall)]

    def next_callback(self, after: int) -> int | None:
        """When the client next heard of its assignment after this time; None if it never did.

        One that has a callback for each partition has heard when the first run of revocations is over; one
        that has no callback, when it is delivered records.
        """
        if not type_of(self.seat).callbacks:
            reads = (each.t for each in self.events if isinstance(each, RecordsRead))
            return next((t for t in reads if t > after), None)
        later = [each for each in self.events if isinstance(each, Called) and each.t > after]
        if not later:
            return None
        if not type_of(self.seat).one_by_one:
            return later[0].t
        run = [*takewhile(lambda each: each.kind != "assigned", later)]
        return (run or later)[-1 if run else 0].t


@dataclass(frozen=True)
class GroupSeen:
    """The group as its coordinator describes it: the state, and what each member is assigned.

    `coordinator` is the id of that broker, `epoch` the generation of the group, -1 if it is not known; `type`
    is its protocol, empty if it is not known.
    """

    t: int
    state: str
    members: Mapping[str, OwnedSet]
    coordinator: int = -1
    epoch: int = -1
    type: str = ""


@dataclass(frozen=True)
class LiveStep:
    """An action, and the group when it had settled, or when the limit was reached.

    `present` has the members that run and that the group is to have, with the topics that they read.
    """

    action: LiveAction
    began: int
    ended: int
    settled: bool
    topics: Mapping[str, int]
    present: Mapping[str, frozenset[str]]
    group: GroupSeen

    @property
    def seconds(self) -> float:
        """The time from the action to the end."""
        return (self.ended - self.began) / 1e9


@dataclass(frozen=True)
class Recording:
    """A played script. `produced`: acknowledged records by partition, numbered from offset 0.

    `drained`: whether all of them had been read before the end; `stalls` are kassay's own. `starts`: of each
    partition the first offset with which the coordinator says that a share group has not done.
    """

    script: LiveScript
    lives: tuple[Life, ...]
    steps: tuple[LiveStep, ...]
    produced: Mapping[TopicPartition, int]
    drained: bool = True
    stalls: tuple[tuple[int, int], ...] = ()
    starts: Mapping[TopicPartition, int] = field(default_factory=dict)

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the libraries, as the clients reported them."""
        return {life.ready.library: life.ready.version for life in self.lives if life.ready is not None}

    def document(self) -> dict[str, Any]:
        """The recording as JSON."""
        return {
            "lives": [
                {
                    "member": life.name,
                    "client": life.seat.client,
                    "started": life.started,
                    "ended": life.ended,
                    "pauses": life.pauses,
                    "events": [event_document(event) for event in life.events],
                }
                for life in self.lives
            ],
            "steps": [
                {
                    "action": step.action.words,
                    "began": step.began,
                    "ended": step.ended,
                    "settled": step.settled,
                    "topics": dict(step.topics),
                    "present": {name: sorted(topics) for name, topics in step.present.items()},
                    "state": step.group.state,
                    "coordinator": step.group.coordinator,
                    "epoch": step.group.epoch,
                    "type": step.group.type,
                    "members": {name: sorted(map(list, owned)) for name, owned in step.group.members.items()},
                }
                for step in self.steps
            ],
            "produced": [[*partition, count] for partition, count in self.produced.items()],
            "drained": self.drained,
            "starts": [[*partition, offset] for partition, offset in self.starts.items()],
            "stalls": self.stalls,
        }
