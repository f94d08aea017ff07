"""The one player: the only place where a history meets an assignor.

Each member has an assignor object of its own, as in a real group. A rebalance is one round for an
eager target. A cooperative target is asked again, with the generation one higher, as long as a
member had to give something up, and once more to see that the group is at rest.
Source: KIP-429; the ground rules on rounds are in `docs/claims.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from kassay.model.calls import Failure, Look, Probe, failure_of
from kassay.model.cluster import Cluster
from kassay.model.groups.assignor import Assignor, RebalanceProtocol
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.history import Change, History, Reports
from kassay.model.groups.playing import GroupWorld, NewObject, Seat
from kassay.model.groups.step import Rebalanced, Step

ROUNDS_MAX: Final = 12
"""Rounds after which a group that still moves partitions counts as not converging."""


@dataclass(frozen=True)
class Player:
    """How histories are played: against whom, and how often the target is asked.

    `new` makes a configured assignor object. `looks` are the second looks to take at each step.
    `confirm` asks an eager target once more after each change, to see whether it is at rest; a
    cooperative one is always asked until it is. `step` is what a round is told as.
    """

    new: NewObject
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER
    looks: frozenset[Look] = frozenset()
    confirm: bool = False
    step: type[Step] = Step

    def play(self, history: History) -> Iterator[Rebalanced]:
        """The history's rebalances, one a change; a change that leaves no members gives none."""
        world = GroupWorld(history.cluster, self.new)
        resting: Assignment | None = None
        for index, change in enumerate(history.changes):
            world.failed_sync.clear()
            world.renamed.clear()
            try:
                changed = [world.apply(event) for event in change]
            except Exception as error:  # the target's own code, in a constructor or a callback
                broken = Step(world.cluster, Group(()), failure_of(error), world.generation, 0, self.protocol)
                yield Rebalanced(index, change, (broken,), settled=False, revocations=0)
                return
            if not world.seats:
                resting = None
                continue
            rebalanced = self._rebalance(world, history.reports, index, change, resting, any(changed))
            yield rebalanced
            last = rebalanced.steps[-1].answer
            if isinstance(last, Failure):
                return
            resting = last if rebalanced.settled else None

    def _rebalance(
        self,
        world: GroupWorld,
        reports: Reports,
        index: int,
        change: Change,
        resting: Assignment | None,
        changed: bool,
    ) -> Rebalanced:
        """Rounds until the group is at rest, the target fails, or the rounds are spent."""
        steps: list[Step] = []
        settled = False
        revocations = 0
        cooperative = self.protocol is RebalanceProtocol.COOPERATIVE
        for turn in range(ROUNDS_MAX):
            owned = {seat.member_id: seat.owned for seat in world.seats.values()}
            step = self._round(world, reports, turn)
            steps.append(step)
            if isinstance(step.answer, Failure):
                break
            gave_up = gained = False
            for member_id, had in owned.items():
                has = step.answer.get(member_id, ())
                if has != had and member_id not in step.failed_sync:
                    gave_up = gave_up or not frozenset(has).issuperset(had)
                    gained = gained or not frozenset(had).issuperset(has)
            if gave_up and (cooperative or turn):
                revocations += 1
            if step.failed_sync:
                continue
            if not (gave_up or gained) or not (cooperative or self.confirm):
                settled = True
                break
        return Rebalanced(
            index=index,
            change=change,
            steps=tuple(steps),
            settled=settled,
            revocations=revocations,
            quiet=not changed and resting is not None,
            before=resting,
            renamed=tuple(world.renamed),
        )

    def _round(self, world: GroupWorld, reports: Reports, turn: int) -> Step:
        """Ask the leader once, let every member learn what it got, and take the second looks."""
        world.generation += 1
        failed_sync = frozenset(world.failed_sync) if turn == 0 else frozenset()
        seats = list(world.seats.values())
        configs = {seat.member_id: seat.config for seat in seats if seat.config}
        group = Group(())
        probes: tuple[Probe[Assignment], ...] = ()
        mutated = None
        answer: Assignment | Failure
        try:
            members = tuple([seat.subscription() for seat in seats])
            group = Group(
                members, seats[0].member_id, assignable=world.assignable if world.withheld else None
            )
            leader = seats[0].assignor
            answer = leader.assign(world.cluster, group)
            mutated = getattr(leader, "mutated", None)
            if self.looks:
                probes = self._looks(world.cluster, group, seats[0], answer, turn)
            for seat in seats:
                if seat.member_id not in failed_sync:
                    got = answer.get(seat.member_id, ())
                    seat.learn(got, world.generation, answer.user_data.get(seat.member_id))
                elif reports is Reports.JOINED:
                    seat.generation = world.generation
        except Exception as error:  # whatever the target's own code throws is its verdict
            answer = failure_of(error)
        return self.step(
            world.cluster,
            group,
            answer,
            world.generation,
            turn,
            self.protocol,
            probes,
            mutated,
            failed_sync,
            configs,
        )

    def _looks(
        self, cluster: Cluster, group: Group, leader: Seat, answer: Assignment, turn: int
    ) -> tuple[Probe[Assignment], ...]:
        """The second looks at one answer.

        One call of another object serves PERMUTED and OTHER as long as it agrees, and stands
        between the two calls of the same object that AGAIN compares.
        """
        looks = tuple(self.looks)  # found by identity, without hashing an enum's name
        probes: list[Probe[Assignment]] = []

        def anew(cluster: Cluster, group: Group) -> Assignment | Failure:
            """What another object answers, if it comes to be at all."""
            return _asked(lambda: self.new(leader.config), cluster, group)

        if Look.PERMUTED in looks:
            other = anew(*permuted(cluster, group, turn))
            probes.append(Probe(Look.PERMUTED, other))
            agrees = not isinstance(other, Failure) and other.same_sets(answer)
            if Look.OTHER in looks:
                probes.append(Probe(Look.OTHER, other if agrees else anew(cluster, group)))
        elif Look.OTHER in looks:
            probes.append(Probe(Look.OTHER, anew(cluster, group)))
        if Look.AGAIN in looks:
            probes.append(Probe(Look.AGAIN, _asked(lambda: leader.assignor, cluster, group)))
        return tuple(probes)


def _asked(assignor: Callable[[], Assignor], cluster: Cluster, group: Group) -> Assignment | Failure:
    """What the object answers; a new one may fail to come to be."""
    try:
        return assignor().assign(cluster, group)
    except Exception as error:  # whatever the target's own code throws is its verdict
        return failure_of(error)


def permuted(cluster: Cluster, group: Group, turn: int) -> tuple[Cluster, Group]:
    """The same input in another order: reversed, or rotated by one where the turn is odd.

    A cluster keeps its other orders, since it is asked about in round after round.
    """
    members = tuple([m._replace(owned=m.owned[::-1], topics=m.topics[::-1]) for m in group.members])
    if turn % 2:
        cluster, members = cluster.rotated, members[1:] + members[:1]
    else:
        cluster, members = cluster.reversed, members[::-1]
    return cluster, Group(members, group.leader, group.assigned, group.subscription_type, group.assignable)
