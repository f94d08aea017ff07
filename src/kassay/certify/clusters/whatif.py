"""The result of `kassay what-if`: the group today, and every candidate against the certified optimum.

A candidate assignor is played on the group as it is, and on what happens to it then, step by step. The
group comes together with what its members own now, as it does where the rule alone changes; a rolling
restart, in which members come without anything, is `rollout`'s. Each event runs through the same player
as any history. Figures of a group's assignment: loads, idle members, rack matches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kassay.assignors import registry
from kassay.certify.clusters.events import PlannedChange
from kassay.certify.clusters.figures import Loads, Racks, Scales, loads_of, racks_of
from kassay.certify.clusters.observed import ObservedGroup
from kassay.certify.clusters.rollout import Members, Rollout, rollout
from kassay.certify.processes.host import Host, Maker
from kassay.certify.targets.resolve import Target, resolve
from kassay.kinds.words import listed
from kassay.model.calls import Failure, Look
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment
from kassay.model.groups.history import History, Join
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.metrics import moved
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.properties.groups.validity import difference
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import solve_consumers
from kassay.solver.results import Solved

SWITCH: Final = "switch"


@dataclass(frozen=True)
class PlayedStep:
    """One rebalance of a group.

    `moved`: partitions that leave a member who stays; `orphaned`: partitions whose owner left the group;
    `unassigned`: partitions without an owner afterwards; `paused`: partitions that a member stops reading,
    even if it resumes them. `rounds`: rebalance rounds until the group is stable, None if it never is.
    """

    text: str
    loads: Loads
    moved: int
    orphaned: int
    unassigned: int
    paused: int
    rounds: int | None
    racks: Racks | None

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this step."""
        return {
            "step": self.text,
            "loads": self.loads.to_json(),
            "moved": self.moved,
            "orphaned": self.orphaned,
            "unassigned": self.unassigned,
            "paused": self.paused,
            "rounds": self.rounds,
            "racks": None if self.racks is None else self.racks.to_json(),
        }


@dataclass(frozen=True)
class PlayedCandidate:
    """An assignor, its rebalances, its answer after each, and the reason for a failure, if any."""

    spec: str
    protocol: RebalanceProtocol
    kind: Kind
    steps: tuple[PlayedStep, ...]
    answers: tuple[Assignment, ...]
    failure: str | None

    @property
    def switch(self) -> PlayedStep | None:
        """The rebalance that switches the group to this assignor."""
        return self.steps[0] if self.steps else None

    @property
    def worst_paused(self) -> int:
        """The most partitions paused in one step."""
        return max((step.paused for step in self.steps), default=0)

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this candidate."""
        return {
            "target": self.spec,
            "protocol": self.protocol.value if self.kind is CLIENT else "consumer",
            "failure": self.failure,
            "steps": [step.to_json() for step in self.steps],
        }


def play_candidate(
    target: Target, observed: ObservedGroup, changes: Sequence[PlannedChange]
) -> PlayedCandidate:
    """Play the group and the changes against the target; opens and closes the target."""
    with target.open() as host:
        return play_on(host, target, observed, changes)


def play_on(
    host: Host, target: Target, observed: ObservedGroup, changes: Sequence[PlannedChange]
) -> PlayedCandidate:
    """Play the group and the changes against the target on this open host."""
    joins = tuple(Join(member) for member in observed.group.members)
    texts = (SWITCH, *(each.text for each in changes))
    history = History(observed.cluster, (joins, *(each.change for each in changes)))
    steps: list[PlayedStep] = []
    answers: list[Assignment] = []
    failure = None
    before = observed.assignment
    for rebalanced in Player(Maker(host), target.protocol, _looks(target)).play(history):
        failure = _failure(rebalanced)
        if failure is not None:
            failure = f"{texts[rebalanced.index]}: {failure}"
            break
        after = rebalanced.steps[-1].given
        steps.append(_step(texts[rebalanced.index], target, rebalanced, before, after, observed.scales))
        answers.append(after)
        before = after
    return PlayedCandidate(target.spec, target.protocol, target.kind, tuple(steps), tuple(answers), failure)


def _looks(target: Target) -> frozenset[Look]:
    """The repeat calls of a user's target, whose figures would mean nothing if it answered differently each
    time; a reference needs none.
    """
    return frozenset((Look.AGAIN, Look.OTHER)) if registry.find(target.spec) is None else frozenset()


def _failure(rebalanced: Rebalanced) -> str | None:
    """Why the target's answer is not an assignment, or not the only one; None if it is."""
    last = rebalanced.steps[-1]
    if isinstance(last.answer, Failure):
        return last.answer.message
    for step in rebalanced.steps:
        for probe in step.departing:
            if isinstance(probe.answer, Failure):
                return f"called again: {probe.answer.message}"
            for subject, first, then in difference(step.given, probe.answer):
                return (
                    f"answers one request in two ways: {subject} gets {listed(_several(first))}, "
                    f"then {listed(_several(then))}"
                )
    return _fault(last)


def _several(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else [value]


def _fault(last: Step) -> str | None:
    """Why the answer is not an assignment; None if it is one."""
    read = {member.member_id: frozenset(member.topics) for member in last.group.members}
    given = Counter(tp for tps in last.given.values() for tp in tps)
    for member_id, tps in last.given.items():
        if member_id not in read:
            return f"assigns partitions to {member_id!r}, which is not in the group"
        for tp in tps:
            if tp.topic not in read[member_id]:
                return f"assigns {tp} to {member_id!r}, which does not subscribe to {tp.topic}"
            if not last.cluster.has(tp):
                return f"assigns {tp}, which does not exist, to {member_id!r}"
            if given[tp] > 1:
                return f"assigns {tp} to {given[tp]} members"
    return None


def _step(
    text: str,
    target: Target,
    rebalanced: Rebalanced,
    before: Assignment,
    after: Assignment,
    scales: Scales,
) -> PlayedStep:
    """The figures of a rebalance, compared with what members owned before it."""
    first, last = rebalanced.steps[0], rebalanced.steps[-1]
    staying = first.group.by_id
    owners = {tp: member for tp, member in before.owners().items() if last.cluster.has(tp)}
    kept = {tp: member for tp, member in owners.items() if member in staying}
    moves = moved(after, kept)
    eager = target.kind is CLIENT and target.protocol is RebalanceProtocol.EAGER
    given = set().union(*after.values()) if len(after) else set[TopicPartition]()
    everything = {
        tp for name, tps in last.cluster.partitions.items() if name in last.group.subscribers for tp in tps
    }
    return PlayedStep(
        text,
        loads_of(staying, after, last.group.subscribers, scales),
        len(moves),
        len(owners) - len(kept),
        len(everything - given),
        len(kept) if eager else len(moves),
        _rounds(rebalanced, eager),
        racks_of(last.cluster, last.group, after, scales),
    )


def _rounds(rebalanced: Rebalanced, eager: bool) -> int | None:
    """Rounds until the group is stable, without the last round, which only confirms that."""
    if eager or len(rebalanced.steps) == 1:
        return len(rebalanced.steps)
    return rebalanced.revocations + 1 if rebalanced.settled else None


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
    candidate. `fetch_from`: the replicas whose racks count, None for both.
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
    report: Callable[[int], None] = lambda _: None,
    fetch_from: str | None = None,
) -> WhatIf:
    """The complete result, with the migration paths from `start` if it is known.

    `report` is called with the number of targets done.
    """
    optimum = play_candidate(resolve(OPTIMUM), observed, changes)
    owners = optimum.answers[0].owners()
    candidates = []
    for number, target in enumerate(targets, start=1):
        candidates.append(play_candidate(target, observed, changes))
        report(number)
    members = [member.member_id for member in observed.group.members]
    return WhatIf(
        observed,
        tuple(changes),
        loads_of(members, observed.assignment, observed.group.subscribers, observed.scales),
        racks_of(observed.cluster, observed.group, observed.assignment, observed.scales),
        tuple(UnownedUse(tp, owners[tp]) for tp in observed.unowned),
        tuple(candidates),
        optimum,
        best_of(observed),
        () if start is None else tuple(_paths(observed, start, targets)),
        fetch_from,
    )


def _paths(observed: ObservedGroup, start: Target, targets: Sequence[Target]) -> Iterable[Rollout]:
    """The path to each target."""
    members = observed.group.members
    counts = Members(len(members), sum(member.instance_id is not None for member in members))
    return (rollout(start, target, counts) for target in targets)
