"""Threads of Kafka Streams: what an intention of one means now (`resolve` asks for it).

A history is about one application; its threads may also bring another version of it, or another topology.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kassay.engines.conform.intentions import FIXED, FIXED_STATE, STATE, THROUGH, Decisions
from kassay.engines.genuine import events as e

Document: TypeAlias = Mapping[str, Any]
ROLES: Final = ("active", "standby", "warmup")


def _part(name: str, *sources: str, **more: Any) -> Document:
    """A subtopology as a thread sends it."""
    names = ("changelogs", "repartition_sinks", "repartition_sources", "copartition")
    return {"id": name, "sources": list(sources)} | {each: [] for each in names} | more


def _joined(sources: Sequence[int], repartitions: Sequence[int]) -> list[Document]:
    return [{"sources": list(sources), "repartition_sources": list(repartitions)}]


TOPOLOGIES: Final[tuple[tuple[Document, ...], ...]] = (
    (_part("0", "foo"),),
    (_part("0", "foo", changelogs=[STATE]),),
    (_part("0", "foo", changelogs=[STATE]), _part("1", "bar")),
    (_part("0", "foo", "bar", changelogs=[STATE], copartition=_joined([0, 1], [])),),
    (
        _part("0", "foo", repartition_sinks=[FIXED]),
        _part("1", changelogs=[FIXED_STATE], repartition_sources=[[FIXED, 3]]),
    ),
    (
        _part("0", "foo", repartition_sinks=[THROUGH]),
        _part("1", changelogs=[STATE], repartition_sources=[[THROUGH, 0]]),
    ),
    (
        _part("0", "foo", repartition_sinks=[THROUGH]),
        _part("1", "bar", repartition_sources=[[THROUGH, 0]], copartition=_joined([0], [0])),
    ),
    (_part("0", "gone"), _part("1", "foo")),
    (_part("0", "foo"), _part("1", repartition_sources=[["app-unwritten-repartition", 0]])),
    (_part("0", "foo"), _part("1")),
    (_part("0", "foo", regex=["f.*"]),),
)
"""Applications: without and with state, two parts, a join, repartition topics of a fixed and of a derived
width, one that is joined with a source; and those that are never ready, or refused."""
_ORDINARY: Final = 7
"""The first so many topologies are valid, and drawn more often."""
_GROUP_CONFIGS: Final[tuple[Mapping[str, str], ...]] = (
    {"streams.num.standby.replicas": "1"},
    {"streams.num.standby.replicas": "0"},
    {"streams.num.standby.replicas": "1", "streams.num.warmup.replicas": "1"},
    {"streams.num.warmup.replicas": "0"},
    {"streams.session.timeout.ms": "20000", "streams.heartbeat.interval.ms": "3000"},
    {"streams.initial.rebalance.delay.ms": "1000", "streams.assignment.interval.ms": "5000"},
    {"streams.rack.aware.assignment.tags": "zone", "streams.num.standby.replicas": "1"},
    {},
)


def application(number: int) -> int:
    """The topology of a history, mostly an ordinary one."""
    return number % _ORDINARY if number % 8 else number // 8 % len(TOPOLOGIES)


@dataclass
class Thread:
    """What a thread is, apart from what every client has; `process` numbers the process that it runs in."""

    slot: int
    application: int
    version: int = 1
    process: int = 0
    endpoint: str | None = None
    rack: str | None = None
    tags: Mapping[str, str] | None = None

    def alter(self, decisions: Decisions) -> None:
        """Change what the thread is."""
        what = decisions.of(
            *("process", "endpoint", "tags", "rack") * 2, "version", "version", "version", "application"
        )
        if what == "version":
            self.version = decisions.of(2, 1, 1, 1, 0)
        elif what == "process":
            self.process = decisions.of(0, 1, 2)
        elif what == "endpoint":
            self.endpoint = decisions.of(f"h{self.slot}:1", f"h{self.slot}:2", None)
        elif what == "tags":
            self.tags = decisions.of({"zone": "a"}, {"zone": "b"}, {})
        elif what == "rack":
            self.rack = decisions.of("r1", "r2", None)
        else:
            self.application = decisions.mostly(self.application, *range(len(TOPOLOGIES)))

    def topology(self) -> Document:
        """The topology that the thread sends."""
        return {"epoch": self.version, "subtopologies": list(TOPOLOGIES[self.application])}


def heartbeat(
    thread: Thread,
    decisions: Decisions,
    present: Document,
    group: Document,
    *,
    member: str,
    epoch: int,
    instance: str | None,
    rebalance_timeout: int,
    fails: str,
) -> e.StreamsHeartbeatEvent:
    """A StreamsGroupHeartbeat of a thread; `present` is the member in the state, `group` the state."""
    joins = epoch == 0
    full = decisions.of(joins, joins, True)
    topology = decisions.of(*(joins,) * 24, not joins)
    offsets, ends = _offsets(decisions, present)
    roles = ({}, {}, {}) if joins and decisions.of(*(True,) * 14, False) else _reported(decisions, present)
    active, standby, warmup = roles
    return e.StreamsHeartbeatEvent(
        member=member,
        epoch=epoch,
        endpoint_epoch=decisions.of(group.get("endpoint_epoch", 0), 0),
        instance=instance,
        rack=thread.rack if full else None,
        rebalance_timeout=rebalance_timeout if full else None,
        topology=thread.topology() if topology else None,
        active=active,
        standby=standby,
        warmup=warmup,
        process=f"p{thread.process or thread.slot % 3}" if full else None,
        endpoint=thread.endpoint if full else None,
        tags=thread.tags if full else None,
        task_offsets=offsets,
        task_end_offsets=ends,
        shutdown=decisions.of(*(False,) * 30, True),
        api_version=decisions.of(1, 1, 1, 0),
        write_fails=fails,
    )


Roles: TypeAlias = tuple[e.Numbers | None, e.Numbers | None, e.Numbers | None]


def _reported(decisions: Decisions, present: Document) -> Roles:
    """The tasks that a thread reports: what it has, what it is to give up as well, others, or nothing."""
    assigned, pending = present.get("assigned") or {}, present.get("pending") or {}
    has = tuple(dict(assigned.get(role) or {}) for role in ROLES)
    what = decisions.of(*("assigned",) * 5, "nothing", "nothing", "pending", "pending", "fewer", "other")
    if what == "nothing":
        return None, None, None
    if what == "pending":
        return _both(has[0], pending, 0), _both(has[1], pending, 1), _both(has[2], pending, 2)
    if what == "fewer":
        return dict(list(has[0].items())[1:]), has[1], {}
    if what == "other":
        return decisions.of({"0": [0, 1]}, {"0": [9]}, {"7": [0]}, has[0]), decisions.of({}, {}, {}, None), {}
    return has[0], has[1], has[2]


def _both(has: e.Numbers, pending: Document, place: int) -> dict[str, list[int]]:
    both = {name: {*numbers} for name, numbers in has.items()}
    for name, numbers in (pending.get(ROLES[place]) or {}).items():
        both.setdefault(name, set()).update(numbers)
    return {name: sorted(numbers) for name, numbers in both.items()}


Offsets: TypeAlias = list[tuple[str, int, int]] | None


def _offsets(decisions: Decisions, present: Document) -> tuple[Offsets, Offsets]:
    """Offsets of the copies that a thread has, mostly none."""
    what = decisions.of(*("none",) * 16, *("behind", "caught up") * 2, "twice")
    if what == "none":
        return None, None
    assigned = present.get("assigned") or {}
    tasks = [
        (name, number)
        for role in ("standby", "warmup", "active")
        for name, numbers in (assigned.get(role) or {}).items()
        for number in numbers
    ] or [("0", 0)]
    ends = [(name, number, 100) for name, number in tasks]
    if what == "twice":
        return [*ends, *ends], decisions.of(ends, None)
    return [(*task, 100 if what == "caught up" else 5) for task in tasks], decisions.of(ends, None)


def group_config(decisions: Decisions) -> e.GroupConfigEvent:
    """New settings of the group."""
    return e.GroupConfigEvent(decisions.of(*_GROUP_CONFIGS))


def read_topics(thread: Thread, present: Document) -> list[str]:
    """The topics that the active tasks of a thread read; `present` is the member in the state."""
    active = (present.get("assigned") or {}).get("active") or {}
    parts = [part for part in TOPOLOGIES[thread.application] if part["id"] in active]
    return [name for part in parts for name in (*part["sources"], *dict(part["repartition_sources"]))]
