"""The result of `kassay what-if`: the group today, and every candidate against the certified optimum.

A candidate assignor is played on the group as it is, and on what happens to it then, step by step. Figures
of a group's assignment: loads, idle members, rack matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from kassay.engines.clusters.capacities import CapacityAnswer, best_with, strain_of
from kassay.engines.clusters.clients.rules import ClientLibrary
from kassay.engines.clusters.events import PlannedChange, other_places
from kassay.engines.clusters.figures import Loads, Racks, loads_of, racks_of
from kassay.engines.clusters.growth import LateReader, TopicGrowth, growths_of, late_reader
from kassay.engines.clusters.mixes import Members
from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.played import PlayedCandidate, places_max, play_candidate
from kassay.engines.clusters.rollout import Rollout, rollout
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.cluster import TopicPartition
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import solve_consumers
from kassay.solver.results import Solved
from kassay.writing.text import counted

SCHEMA: Final = "kassay/what-if/1"
KAFKAS: Final = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "server-range")
"""Kafka's own assignors of consumer groups, as target specs."""
OPTIMUM: Final = "optimal-sticky"
ORDER: Final = ("balance", "movement", "rack")


@dataclass(frozen=True)
class UnownedUse:
    """A partition without an owner today, and the member that owns it in the optimum."""

    partition: TopicPartition
    member: str


@dataclass(frozen=True)
class WhatIf:
    """A group today, each candidate on it and on the events, and the certified optimum.

    `best` holds the certificate of the optimum for the group as it is now; `optimum` is played like a
    candidate. `fetch_from`: the replicas whose racks count, None for both. `alarm`: that today's rule would
    not leave the group as it is, so that facts are missing. `growths`: the topics that get more partitions,
    `reader`: how late a member learns of them. `capacity`: the group as it is by its members' capacities.
    """

    observed: ObservedGroup
    changes: tuple[PlannedChange, ...]
    today: Loads
    racks: Racks | None
    unowned: tuple[UnownedUse, ...]
    candidates: tuple[PlayedCandidate, ...]
    optimum: PlayedCandidate
    best: Solved
    paths: tuple[Rollout, ...] = ()
    fetch_from: str | None = None
    alarm: str | None = None
    growths: tuple[TopicGrowth, ...] = ()
    reader: LateReader | None = None
    capacity: CapacityAnswer | None = None

    @property
    def failed(self) -> tuple[PlayedCandidate, ...]:
        """The candidates that returned no assignment at some step."""
        return tuple(each for each in self.candidates if each.failure is not None)

    @property
    def never_settles(self) -> bool:
        """Whether a rolling restart leaves the group without a stable assignment on the way."""
        return any(path.never_settles for path in self.paths)

    def to_json(self) -> dict[str, Any]:
        """The document of `kassay what-if --json`."""
        observed = self.observed
        return {
            "schema": SCHEMA,
            **observed.to_json(),
            "topics": len(observed.cluster.topics),
            "alarm": self.alarm,
            "events": [each.text for each in self.changes],
            "today": {
                "loads": self.today.to_json(),
                "racks": None if self.racks is None else self.racks.to_json(),
                "unowned": [
                    [use.partition.topic, use.partition.partition, use.member] for use in self.unowned
                ],
            },
            "candidates": [each.to_json() for each in self.candidates],
            "optimum": {
                **self.optimum.to_json(),
                "status": self.best.figures["status"],
                "bound": self.best.figures["bound"],
            },
            "paths": [path.to_json() for path in self.paths],
            "growths": [growth.to_json() for growth in self.growths],
            "capacity": None if self.capacity is None else self.capacity.to_json(),
            "new_partitions": None if self.reader is None else self.reader.to_json(),
        }


def best_of(observed: ObservedGroup) -> Solved:
    """The certified best assignment of the group as it is; all partitions weigh the same."""
    problem = Problem.of(observed.cluster, observed.group).unweighted()
    named = Problem(
        problem.members, problem.topics, problem.previous, problem.copartition, observed.name or "group"
    )
    solved = solve_consumers(named, ORDER, "flow", None)
    assert isinstance(solved, Solved), "without a limit nothing is late"
    return solved


def what_if(
    observed: ObservedGroup,
    targets: Sequence[Target],
    changes: Sequence[PlannedChange] = (),
    start: Target | None = None,
    report: Callable[[int], object] = lambda _: None,
    fetch_from: str | None = None,
    client: ClientLibrary | None = None,
    capacities: Mapping[str, Fraction] | None = None,
) -> WhatIf:
    """The complete result, with the migration paths from `start` if it is known, for the members' library.

    `report` is called with the number of targets done.
    """
    optimum = play_candidate(resolve(OPTIMUM), observed, changes)
    owners = optimum.answers[0].owners()
    candidates = []
    others = other_places(changes, observed, places_max(observed, changes))
    for number, target in enumerate(targets, start=1):
        candidates.append(play_candidate(target, observed, changes, others))
        report(number)
    return WhatIf(
        observed,
        tuple(changes),
        loads_today(observed),
        racks_of(observed.cluster, observed.group, observed.assignment, observed.scales),
        tuple(UnownedUse(tp, owners[tp]) for tp in observed.unowned),
        tuple(candidates),
        optimum,
        best_of(observed),
        () if start is None else tuple(_paths(observed, start, targets, client)),
        fetch_from,
        None if start is None else alarm_of(observed, start, candidates),
        growths := growths_of(changes, observed.cluster.counts),
        late_reader(client, is_consumer=observed.is_consumer_group) if growths else None,
        None if capacities is None else _capacity(observed, capacities, candidates),
    )


def _capacity(
    observed: ObservedGroup, capacities: Mapping[str, Fraction], candidates: Iterable[PlayedCandidate]
) -> CapacityAnswer:
    """The group as it is, with the members' capacities."""
    strains = tuple(
        (each.spec, strain_of(each.answers[0], capacities)) for each in candidates if each.answers
    )
    best = best_with(observed, capacities)
    return CapacityAnswer(capacities, strain_of(observed.assignment, capacities), strains, best)


def loads_today(observed: ObservedGroup) -> Loads:
    """What the members have today."""
    members = [member.member_id for member in observed.group.members]
    return loads_of(members, observed.assignment, observed.group.subscribers, observed.scales)


def alarm_of(
    observed: ObservedGroup, start: Target, candidates: Iterable[PlayedCandidate] = ()
) -> str | None:
    """That today's rule would move partitions of a stable group: then facts are missing. Else None.

    The rule has answered this very group before, and each of Kafka's rules answers a stable group with what
    it has. Partitions without an owner mean that something has changed since.
    """
    if observed.unowned or not observed.stability.is_stable:
        return None
    played = next((each for each in candidates if each.spec == start.spec), None)
    step = (played or play_candidate(start, observed, ())).switch
    if step is None or not step.moved:
        return None
    return (
        f"today's rule would move {counted(step.moved, 'partition')} of a stable group: "
        "racks or subscriptions are missing"
    )


def _paths(
    observed: ObservedGroup, start: Target, targets: Sequence[Target], client: ClientLibrary | None
) -> Iterable[Rollout]:
    """The path to each target."""
    members = observed.group.members
    counts = Members(len(members), sum(member.instance_id is not None for member in members))
    return (rollout(start, target, counts, observed, client) for target in targets)
