"""The player: the only place where a history meets an assignor.

Each member has its own assignor object, as in a real group. For an eager target, a rebalance is one round. A
cooperative target runs another round, one generation higher, as long as a member had to revoke something, and
one more round to verify that the group is stable. Source: KIP-429; `docs/claims.md` states the rules for
rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Final, NamedTuple

from kassay.model.calls import Failure, Look, Probe, failure_of
from kassay.model.cluster import Cluster
from kassay.model.groups.assignor import AssignCall, Assignor, Learned, Rounds
from kassay.model.groups.group import MEMBER_OF, Assignment, Group
from kassay.model.groups.history import Change, History, Reports
from kassay.model.groups.playing import METADATA_OF, GroupWorld, NewObject, Seat, joining, of_group
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import RebalanceProtocol
from kassay.model.lazy import lazy

ROUNDS_MAX: Final = 12
"""A group that still moves partitions after this many rounds counts as not converging."""


class _Seconds(NamedTuple):
    """The repeat calls, and one of their answers known to give every member the same partitions."""

    probes: tuple[Probe[Assignment], ...]
    agreed: Assignment | None


_NONE_ASKED: Final = _Seconds((), None)


@dataclass(frozen=True)
class Player:
    """How to run histories: the target, and how often to call it.

    `new` makes a configured assignor object. `looks` are the repeat calls to make at each step. `confirm`
    runs one more round of an eager target after each change to check that it is stable; a cooperative target
    always runs until it is. `step` is the class that records a round.
    """

    new: NewObject
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER
    looks: frozenset[Look] = frozenset()
    confirm: bool = False
    step: type[Step] = Step

    def play(self, history: History) -> Iterator[Rebalanced]:
        """The rebalances of the history, one per change; a change that leaves no members yields none."""
        world = GroupWorld(history.cluster, of_group(self.new))
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
        """Run rounds until the group is stable, the target fails, or `ROUNDS_MAX` is reached."""
        steps: list[Step] = []
        settled = False
        revocations = 0
        cooperative = self.protocol is RebalanceProtocol.COOPERATIVE
        until_rest = cooperative or self.confirm
        for turn in range(ROUNDS_MAX):
            step = self._round(world, reports, turn)
            steps.append(step)
            if isinstance(step.answer, Failure):
                break
            # A single round of an eager target needs no comparison of old and new partitions.
            gave_up, gained = _changes(step) if until_rest or turn else (False, False)
            if gave_up and (cooperative or turn):
                revocations += 1
            if step.failed_sync:
                continue
            if not (gave_up or gained) or not until_rest:
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
        """Call the leader once, deliver the assignments, and make the repeat calls."""
        world.generation += 1
        failed_sync = frozenset(world.failed_sync) if turn == 0 else frozenset()
        seats = list(world.seats.values())
        configs = {seat.member_id: seat.config for seat in seats if seat.config}
        group = Group(())
        seconds, mutated = _NONE_ASKED, None
        answer: Assignment | Failure
        rounds, leader = _door(seats), world.leader if world.appointed else seats[0]
        try:
            if rounds is None or not rounds.asks:
                data = [
                    s.assignor.subscription_user_data(s.topics) if s.sends_user_data else None for s in seats
                ]
                group = world.group(joining(seats, data), leader)
                answer = leader.assignor.assign(world.cluster, group)
                mutated = getattr(leader.assignor, "mutated", None)
                if self.looks:
                    looks = self._looks(leader, world.cluster, group, turn)
                    seen = [_answer_of(look) for look in looks]
                    seconds = self._seconds(world.cluster, group, leader, answer, seen)
            else:
                group, answer, seconds, mutated = self._at_once(rounds, world, leader, turn)
            if not isinstance(answer, Failure):
                _learn(world, seats, answer, failed_sync, reports, rounds)
        except Exception as error:  # any exception of the target's code becomes its verdict
            answer = failure_of(error)
        step = self.step(
            world.cluster,
            group,
            answer,
            world.generation,
            turn,
            self.protocol,
            seconds.probes,
            mutated,
            failed_sync,
            configs,
            world.facts,
            seconds.agreed,
        )
        world.facts = None if isinstance(answer, Failure) else step.facts
        return step

    def _at_once(
        self, rounds: Rounds, world: GroupWorld, leader: Seat, turn: int
    ) -> tuple[Group, Assignment | Failure, _Seconds, str | None]:
        """The joined group, the leader's answer, the repeat calls and any mutations, in one request."""
        seats = world.seats.values()
        joined = joining(seats, repeat(None))
        without = world.group(joined, leader)
        looks = [
            AssignCall(new(), cluster, group)
            for new, cluster, group in self._looks(leader, world.cluster, without, turn)
        ]
        answers = rounds.ask(
            AssignCall(leader.assignor, world.cluster, without), [seat.assignor for seat in seats], looks
        )
        group = without
        if any(data is not None for data in answers.user_data):
            members = [member._replace(user_data=data) for member, data in zip(joined, answers.user_data)]
            group = world.group(tuple(members), leader)
        if isinstance(answers.answer, Failure) or not self.looks:
            return group, answers.answer, _NONE_ASKED, answers.mutated
        seconds = self._seconds(world.cluster, group, leader, answers.answer, answers.looks)
        return group, answers.answer, seconds, answers.mutated

    def _looks(
        self, leader: Seat, cluster: Cluster, group: Group, turn: int
    ) -> list[tuple[Callable[[], Assignor], Cluster, Group]]:
        """The repeat calls that do not depend on answers: first another object, then the same one again."""
        looks = self._listed_looks
        another = partial(self._another(leader), leader.config)
        calls: list[tuple[Callable[[], Assignor], Cluster, Group]] = []
        if Look.PERMUTED in looks:
            calls.append((another, *permuted(cluster, group, turn)))
        elif Look.OTHER in looks:
            calls.append((another, cluster, group))
        if Look.AGAIN in looks:
            calls.append((lambda: leader.assignor, cluster, group))
        return calls

    @lazy
    def _listed_looks(self) -> tuple[Look, ...]:
        """The repeat calls as a tuple: it is searched by identity, without hashing enum names."""
        return tuple(self.looks)

    def _another(self, leader: Seat) -> NewObject:
        """A factory for another object of the leader's implementation."""
        another: NewObject = getattr(leader.assignor, "another", self.new)
        return another

    def _seconds(
        self,
        cluster: Cluster,
        group: Group,
        leader: Seat,
        answer: Assignment,
        seen: Sequence[Assignment | Failure],
    ) -> _Seconds:
        """The repeat calls for one answer, given the results in `seen`.

        One call of another object serves PERMUTED and OTHER as long as it agrees. It also runs between the
        two calls of the same object that AGAIN compares.
        """
        looks, agreed = self._listed_looks, None
        probes: list[Probe[Assignment]] = []
        if Look.PERMUTED in looks:
            other = seen[0]
            probes.append(Probe(Look.PERMUTED, other))
            if Look.OTHER in looks:
                if not isinstance(other, Failure) and other.same_sets(answer):
                    agreed = other
                else:
                    other = _answer_of((partial(self._another(leader), leader.config), cluster, group))
                probes.append(Probe(Look.OTHER, other))
        elif Look.OTHER in looks:
            probes.append(Probe(Look.OTHER, seen[0]))
        if Look.AGAIN in looks:
            probes.append(Probe(Look.AGAIN, seen[-1]))
        return _Seconds(tuple(probes), agreed)


def _changes(step: Step) -> tuple[bool, bool]:
    """Whether any member loses partitions through the answer, and whether any member gains some."""
    ids, before = step.group.ids, [member[2] for member in step.group.members]
    after = step.given.each(ids)
    gave_up = gained = False
    if before == after:
        return gave_up, gained
    for member_id, had, has in zip(ids, before, after):
        if has is not had and has != had and member_id not in step.failed_sync:
            if had and has:
                # Frozen sets cache their hashes, so they compare faster with each other than with lists.
                old, new = frozenset(had), frozenset(has)
                gave_up = gave_up or not new >= old
                gained = gained or not old >= new
            else:
                gave_up, gained = gave_up or bool(had), gained or bool(has)
            if gave_up and gained:
                break
    return gave_up, gained


def _door(seats: Sequence[Seat]) -> Rounds | None:
    """The shared `Rounds` of all members' objects, if there is one."""
    rounds: Rounds | None = getattr(seats[0].assignor, "rounds", None)
    return rounds if rounds is not None and rounds.holds([seat.assignor for seat in seats]) else None


def _learn(
    world: GroupWorld,
    seats: Sequence[Seat],
    answer: Assignment,
    failed_sync: frozenset[str],
    reports: Reports,
    rounds: Rounds | None,
) -> None:
    """Deliver the assignments, except to members whose SyncGroup fails."""
    learned: list[Learned] = []
    data, generation = answer.user_data.get, world.generation
    for seat, owned in zip(seats, answer.each([seat.member_id for seat in seats])):
        if failed_sync and seat.member_id in failed_sync:
            if reports is Reports.JOINED:
                seat.generation = generation
        elif rounds is not None:
            learned.append(Learned(seat.assignor, *seat.own(owned, generation, data(seat.member_id))))
        elif seat.learns:
            # `Seat.learn` inlined: this loop runs for every member in every round.
            seat.owned, seat.generation = owned, generation
            metadata = METADATA_OF((generation, seat.member_id, seat.instance_id))
            seat.assignor.on_assignment(owned, data(seat.member_id), metadata)
        else:
            seat.owned, seat.generation = owned, generation
    if rounds is not None:
        rounds.tell(learned)


def _answer_of(look: tuple[Callable[[], Assignor], Cluster, Group]) -> Assignment | Failure:
    """The answer of the object; creating a new object may fail too."""
    assignor, cluster, group = look
    try:
        return assignor().assign(cluster, group)
    except Exception as error:  # any exception of the target's code becomes its verdict
        return failure_of(error)


def permuted(cluster: Cluster, group: Group, turn: int) -> tuple[Cluster, Group]:
    """The same input in another order: reversed, or rotated by one in odd turns.

    The cluster caches its reordered copies, because every round uses them.
    """
    ids, listed, owned, *rest = zip(*group.members)
    topics = [listed[0][::-1]] * len(listed) if group.lists_alike else [of[::-1] for of in listed]
    joined = [of[::-1] for of in owned]
    # Build the members column by column: `_replace` takes ten times as long.
    members = tuple(map(MEMBER_OF, zip(ids, topics, joined, *rest)))
    if turn % 2:
        cluster, members = cluster.rotated, members[1:] + members[:1]
    else:
        cluster, members = cluster.reversed, members[::-1]
    return cluster, Group(members, group.leader, group.assigned, group.subscription_type, group.assignable)
