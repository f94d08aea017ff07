"""A candidate assignor, played on an observed group and on the events that follow.

The group starts with the partitions that its members own now, as when only the assignor changes. `rollout`
covers rolling restarts, in which members join with nothing. Each event runs through the same player as any
history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kassay.assignors import registry
from kassay.certify.clusters.events import PlannedChange
from kassay.certify.clusters.figures import Loads, Racks, loads_of, racks_of
from kassay.certify.clusters.observed import ObservedGroup
from kassay.certify.processes.host import Host, Maker
from kassay.certify.targets.resolve import Target
from kassay.kinds.answers import listed
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
        steps.append(_step(texts[rebalanced.index], target, rebalanced, before, after))
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
    text: str, target: Target, rebalanced: Rebalanced, before: Assignment, after: Assignment
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
        loads_of(staying, after),
        len(moves),
        len(owners) - len(kept),
        len(everything - given),
        len(kept) if eager else len(moves),
        _rounds(rebalanced, eager),
        racks_of(last.cluster, last.group, after),
    )


def _rounds(rebalanced: Rebalanced, eager: bool) -> int | None:
    """Rounds until the group is stable, without the last round, which only confirms that."""
    if eager or len(rebalanced.steps) == 1:
        return len(rebalanced.steps)
    return rebalanced.revocations + 1 if rebalanced.settled else None
