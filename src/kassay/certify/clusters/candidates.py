"""What an assignor would make of a group as it is, and of what happens to it then: played, step by step.

The group comes together with what its members own now, as it does where the rule alone changes; a rolling
restart, in which members come without anything, is `rollout`'s. Each event is then played through the same
player as any history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from kassay.certify.clusters.events import PlannedChange
from kassay.certify.clusters.figures import Loads, Racks, loads_of, racks_of
from kassay.certify.clusters.observed import ObservedGroup
from kassay.certify.processes.host import Host, Maker
from kassay.certify.targets.resolve import Target
from kassay.model.calls import Failure
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment
from kassay.model.groups.history import History, Join
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.metrics import moved
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced
from kassay.model.kinds import Kind, RebalanceProtocol

SWITCH: Final = "switch"


@dataclass(frozen=True)
class PlayedStep:
    """One rebalance of a group.

    `moved` are the partitions that leave a member who stays, `orphaned` those whose member went, `unassigned`
    those that nobody has afterwards. `paused`: how many a member stops reading, if only to read on. `rounds`
    are those until the group is at rest, None where it does not come to rest.
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
        """Its part of a document."""
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
    """An assignor, the steps that it was asked, its answer after each, and why it failed, if it did."""

    spec: str
    protocol: RebalanceProtocol
    kind: Kind
    steps: tuple[PlayedStep, ...]
    answers: tuple[Assignment, ...]
    failure: str | None

    @property
    def switch(self) -> PlayedStep | None:
        """What switching to it comes to."""
        return self.steps[0] if self.steps else None

    @property
    def worst_paused(self) -> int:
        """The most partitions paused in one step."""
        return max((step.paused for step in self.steps), default=0)

    def to_json(self) -> dict[str, Any]:
        """Its part of a document."""
        return {
            "target": self.spec,
            "protocol": self.protocol.value if self.kind is CLIENT else "consumer",
            "failure": self.failure,
            "steps": [step.to_json() for step in self.steps],
        }


def play_candidate(
    target: Target, observed: ObservedGroup, changes: Sequence[PlannedChange]
) -> PlayedCandidate:
    """What the target makes of the group and of the changes; it is opened and closed here."""
    with target.open() as host:
        return play_on(host, target, observed, changes)


def play_on(
    host: Host, target: Target, observed: ObservedGroup, changes: Sequence[PlannedChange]
) -> PlayedCandidate:
    """What the target on this host makes of the group and of the changes."""
    joins = tuple(Join(member) for member in observed.group.members)
    texts = (SWITCH, *(each.text for each in changes))
    history = History(observed.cluster, (joins, *(each.change for each in changes)))
    steps: list[PlayedStep] = []
    answers: list[Assignment] = []
    failure = None
    before = observed.assignment
    for rebalanced in Player(Maker(host), target.protocol).play(history):
        failure = _failure(rebalanced)
        if failure is not None:
            failure = f"{texts[rebalanced.index]}: {failure}"
            break
        after = rebalanced.steps[-1].given
        steps.append(_step(texts[rebalanced.index], target, rebalanced, before, after))
        answers.append(after)
        before = after
    return PlayedCandidate(target.spec, target.protocol, target.kind, tuple(steps), tuple(answers), failure)


def _failure(rebalanced: Rebalanced) -> str | None:
    """Why the target's answer is no assignment, None where it is one."""
    last = rebalanced.steps[-1]
    if isinstance(last.answer, Failure):
        return last.answer.message
    read = {member.member_id: frozenset(member.topics) for member in last.group.members}
    given = Counter(tp for tps in last.answer.values() for tp in tps)
    for member_id, tps in last.answer.items():
        if member_id not in read:
            return f"gives partitions to {member_id!r}, who is not in the group"
        for tp in tps:
            if tp.topic not in read[member_id]:
                return f"gives {tp} to {member_id!r}, who does not read {tp.topic}"
            if not last.cluster.has(tp):
                return f"gives {tp} to {member_id!r}, which is no partition"
            if given[tp] > 1:
                return f"gives {tp} to {given[tp]} members"
    return None


def _step(
    text: str, target: Target, rebalanced: Rebalanced, before: Assignment, after: Assignment
) -> PlayedStep:
    """What a rebalance came to, from what members had before it."""
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
    """Rounds until the group is at rest: the look that sees that it is counts for none."""
    if eager or len(rebalanced.steps) == 1:
        return len(rebalanced.steps)
    return rebalanced.revocations + 1 if rebalanced.settled else None
