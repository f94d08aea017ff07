"""The plan of a rehearsal: the rollout that `what-if` makes for a group, as a script for real clients.

Members, topics and subscriptions are those of the group; names are plain, and in the order of the group's
own. Racks are left out, of the plan as of the clients.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kassay.engines.clusters.clients.rules import ClientLibrary
from kassay.engines.clusters.mixes import Members
from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.rolled import PARTITIONS_MAX, PLAYED_MAX, StepRoll, is_played, rolled
from kassay.engines.clusters.rolling_scene import ClientSetting
from kassay.engines.clusters.rollout import POLICIES, POLICY, Rollout, rollout, setting_of
from kassay.engines.live.brokers import BrokerShape
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.program import Protocol
from kassay.engines.live.script import ALL, LiveAction, LiveScript, LiveSeat
from kassay.engines.targets.resolve import Target
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group

Owned = Mapping[str, tuple[TopicPartition, ...]]
_REMOTES: Final = ("uniform", "range")


@dataclass(frozen=True)
class RehearsedRoll:
    """All members restarted with one setting, one after the other, or, if it `stops` them all, at once.

    `planned` are the totals that `what-if` predicts; None for a stop, for which it predicts none.
    """

    setting: ClientSetting
    client: str
    planned: StepRoll | None
    stops: bool = False


@dataclass(frozen=True)
class RehearsalGoal:
    """What to roll out: an assignor, or another library with the assignor of today.

    `policy` is the brokers' migration policy that is wanted, "" for one under which the plan works.
    """

    start: Target
    goal: Target
    client: ClientLibrary
    next_client: ClientLibrary | None = None
    policy: str = ""


@dataclass(frozen=True)
class RehearsalPlan:
    """What is played: `rolls` in order; `names` are the script's names of the members by member id.

    `refused`: why a member is expected to be refused under this policy, "" if none is.
    """

    observed: ObservedGroup
    wanted: RehearsalGoal
    rolls: tuple[RehearsedRoll, ...]
    names: Mapping[str, str]
    policy: str
    refused: str = ""

    @property
    def first(self) -> ClientSetting:
        """The setting of today."""
        return setting_of(self.wanted.start)

    def script(self) -> LiveScript:
        """The members join one by one, then each roll restarts them in the order of the group."""
        seats = tuple(self._seats())
        order = [self.names[member.member_id] for member in self.observed.group.members]
        topics = {self.names[m.member_id]: m.topics for m in self.observed.group.members}
        static = {seat.name for seat in seats if seat.instance}
        actions = [LiveAction("join", name, topics[name]) for name in order]
        for roll in self.rolls:
            strategies, protocol = joined_as(roll.setting)
            new = LiveAction("join", client=roll.client, strategies=strategies, protocol=protocol)
            joins = [replace(new, member=name, topics=topics[name]) for name in order]
            if roll.stops:
                actions += [LiveAction("leave", ALL), replace(new, member=ALL)]
                continue
            for join in joins:
                if join.member in static:
                    actions.append(replace(join, do="restart", topics=()))
                else:
                    actions += [LiveAction("leave", join.member), join]
        settings = {POLICY: self.policy} if self.policy else {}
        read = {topic for member in self.observed.group.members for topic in member.topics}
        counts = {name: self.observed.cluster.counts[name] for name in sorted(read)}
        title = f"rehearsal of group {self.observed.name}"
        return LiveScript(counts, seats, tuple(actions), title=title, cluster=BrokerShape(settings=settings))

    @property
    def members(self) -> tuple[LiveSeat, ...]:
        """A member of each kind that the rolls have, for what its program needs."""
        seats = [*self._seats()]
        for roll in self.rolls:
            strategies, protocol = joined_as(roll.setting)
            seats.append(LiveSeat("after", roll.client, strategies, protocol))
        return tuple(seats)

    def _seats(self) -> Iterator[LiveSeat]:
        strategies, protocol = joined_as(self.first)
        for member in sorted(self.observed.group.members, key=lambda each: self.names[each.member_id]):
            name = self.names[member.member_id]
            instance = f"i-{name}" if member.instance_id is not None else None
            yield LiveSeat(name, self.wanted.client.name, strategies, protocol, instance)

    def steps_of(self, number: int) -> list[tuple[int, int, str]]:
        """The restarts of a roll: the first and the last action of each, from 0 on, and its member.

        A stop is one restart, of all members: its name is empty.
        """
        script = self.script()
        size, at = len(script.seats), len(script.seats)
        spans: list[tuple[int, int, str]] = []
        for index, roll in enumerate(self.rolls):
            if index == number and roll.stops:
                return [(at, at + 1, "")]
            for _ in range(0 if roll.stops else size):
                width = 1 if script.actions[at].do == "restart" else 2
                if index == number:
                    spans.append((at, at + width - 1, script.actions[at].member))
                at += width
            at += 2 * roll.stops
        return spans


def joined_as(setting: ClientSetting) -> tuple[tuple[str, ...], Protocol]:
    """The strategies and the protocol of a member with the setting, as a script has them."""
    return ((setting.remote,), "consumer") if setting.is_consumer else (setting.strategies, "classic")


def plan_of(observed: ObservedGroup, wanted: RehearsalGoal, programs: ClientPrograms) -> RehearsalPlan:
    """The plan that `what-if` makes, for these programs; raises `InputError` if it cannot be rehearsed."""
    if not is_played(observed):
        raise InputError(
            f"expected a group of at most {PLAYED_MAX} members and {PARTITIONS_MAX:,} partitions"
        )
    bare = without_racks(observed)
    labels = sorted(bare.group.members, key=lambda member: bare.labels[member.member_id])
    names = {member.member_id: f"m{number:02}" for number, member in enumerate(labels, start=1)}
    rolls, policy, refused = _rolls(bare, wanted)
    plan = RehearsalPlan(bare, wanted, rolls, names, policy, refused)
    _require_known(plan, programs)
    return plan


def without_racks(observed: ObservedGroup) -> ObservedGroup:
    """The group with members that say nothing of a rack."""
    members = tuple(member._replace(rack=None) for member in observed.group.members)
    return replace(observed, group=replace(observed.group, members=members))


def _require_known(plan: RehearsalPlan, programs: ClientPrograms) -> None:
    """Raise `InputError` for a setting that kassay's program of the library does not have."""
    wanted = [(plan.wanted.client.name, plan.first), *((roll.client, roll.setting) for roll in plan.rolls)]
    for client, setting in wanted:
        strategies, protocol = joined_as(setting)
        how = "+".join(strategies)
        programs.seats((f"{client}:consumer/{how}" if protocol == "consumer" else f"{client}:{how}",))


def _rolls(observed: ObservedGroup, wanted: RehearsalGoal) -> tuple[tuple[RehearsedRoll, ...], str, str]:
    """The rolls, the brokers' policy or "", and why a member is expected to be refused or ""."""
    start, goal, client = wanted.start, wanted.goal, wanted.client
    path = path_of(observed, wanted)
    if path is None:
        after = client if wanted.next_client is None else wanted.next_client
        planned = _plain_roll(observed, start)
        return (RehearsedRoll(setting_of(start), after.name, planned),), wanted.policy, ""
    if path.blocked is not None:
        raise InputError(f"--to {goal.spec}: {path.blocked}")
    if path.is_stop:
        return (RehearsedRoll(path.goal, client.name, None, stops=True),), wanted.policy, ""
    policy = wanted.policy or (path.policies[-1] if path.policies else "")
    refused = ""
    if path.policies and policy not in path.policies:
        refused = f"under {POLICY}={policy} the group does not get there: expected {', '.join(path.policies)}"
    return (
        tuple(
            RehearsedRoll(step.setting, client.name, None if refused else step.roll) for step in path.steps
        ),
        policy,
        refused,
    )


def path_of(observed: ObservedGroup, wanted: RehearsalGoal) -> Rollout | None:
    """The rollout that `what-if` plans; None where all members restart with the setting that they have."""
    if setting_of(wanted.start) == setting_of(wanted.goal):
        return None
    members = observed.group.members
    static = sum(member.instance_id is not None for member in members)
    return rollout(wanted.start, wanted.goal, Members(len(members), static), observed, wanted.client)


def _plain_roll(observed: ObservedGroup, start: Target) -> StepRoll | None:
    """The totals of a restart of all members with the setting that they have."""
    setting = setting_of(start)
    config = POLICIES["bidirectional"]._replace(assignors=_REMOTES)
    steps = rolled(observed, (start,), setting, (setting,), config)
    return None if steps is None else steps[0]


def planned_from(plan: RehearsalPlan, owned: Owned) -> tuple[StepRoll | None, ...]:
    """What `what-if` predicts for each roll if the members own this at first, by the script's names."""
    members = tuple(
        member._replace(owned=owned.get(plan.names[member.member_id], ()))
        for member in plan.observed.group.members
    )
    group = Group(members, plan.observed.group.leader)
    start = replace(plan.observed, group=group)
    if plan.refused or any(roll.stops for roll in plan.rolls):
        return (None,) * len(plan.rolls)
    path = path_of(start, plan.wanted)
    if path is None:
        return (_plain_roll(start, plan.wanted.start),)
    return tuple(step.roll for step in path.steps)
