"""A rolling restart played on the group itself: its members, its partitions, the assignors' own answers.

What a rollout costs depends on what the assignors answer at each of its rebalances: a cooperative member that
loses a partition joins a second time (KIP-429), and each of them moves partitions. A group of more than
`PLAYED_MAX` members is not played: its figures are not known.

Ids of the consumer protocol are random, and the brokers' assignors go by their order. So such a restart is
played with several orders of ids, and a figure that differs is a range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final, NamedTuple

from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.played import Extent
from kassay.engines.clusters.rolling_group import RollingGroup
from kassay.engines.clusters.rolling_scene import (
    Answer,
    ClientSetting,
    Restarted,
    RollingScene,
    RollingSeat,
    RollingShare,
)
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.calls import Failure
from kassay.model.groups.group import Group, Member
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.model.protocols.values.requests import Config

PLAYED_MAX: Final = 16
"""The most members of a group whose rollouts are played."""
PARTITIONS_MAX: Final = 2_000
_ORDERS: Final[tuple[Callable[[str, int], str], ...]] = (
    lambda name, number: f"{name}-{number}",
    lambda name, number: f"{99_999 - number}-{name}",
    lambda name, number: f"{number * 7919 % 10_007:05}-{name}",
)


STICKY: Final = frozenset({"sticky", "cooperative-sticky", "uniform"})
"""Rules that give a member who is back partitions of others: which, by the order of Kafka's hash maps."""


class StepRoll(NamedTuple):
    """The totals of a step of a rollout, all its restarts together.

    `quick` counts the rebalances if each member is back before the others have joined again. `moved` are
    the partitions that have left a member who stays by the end of a restart; `restarted` those of the members
    that restart, `revoked` each revocation of a member who stays: both are close, not exact, under a sticky
    rule. `loads` are the least and the most partitions of a member after the step.
    """

    rebalances: Extent
    quick: int
    moved: Extent
    restarted: int
    revoked: int
    loads: Extent

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the totals."""
        return {
            "rebalances": list(self.rebalances),
            "rebalances_if_quick": self.quick,
            "moved": list(self.moved),
            "restarted_about": self.restarted,
            "revoked_about": self.revoked,
            "loads": list(self.loads),
        }


def is_played(observed: ObservedGroup) -> bool:
    """Whether the group is small enough to play its rollouts."""
    partitions = sum(observed.cluster.counts.values())
    return len(observed.group.members) <= PLAYED_MAX and partitions <= PARTITIONS_MAX


def rolled(
    observed: ObservedGroup,
    targets: Sequence[Target],
    first: ClientSetting,
    way: Sequence[ClientSetting],
    config: Config,
) -> tuple[StepRoll, ...] | None:
    """The totals of each step of the way; None if the group cannot be played with these targets."""
    if not is_played(observed):
        return None
    by_protocol = first.is_consumer or any(setting.is_consumer for setting in way)
    walks = []
    with scene_of(observed, targets) as scene:
        for uuid in _ORDERS if by_protocol else _ORDERS[:1]:
            walk = _walk(scene(uuid), first, way, config)
            if walk is None:
                return None
            walks.append(walk)
    return tuple(_totals([walk[number] for walk in walks]) for number in range(len(way)))


class _Walked(NamedTuple):
    """The restarts of a step, and the loads after it."""

    restarts: list[Restarted]
    loads: Extent


def _walk(
    scene: RollingScene, first: ClientSetting, way: Sequence[ClientSetting], config: Config
) -> list[_Walked] | None:
    try:
        group = RollingGroup(config, len(scene.seats), first, static=False, scene=scene)
        steps = []
        for setting in way:
            restarts = [group.restart(index, setting) for index in range(len(scene.seats))]
            if any(each.error for each in restarts):
                return None
            steps.append(_Walked(restarts, Extent(min(group.loads), max(group.loads))))
    except (_NoAnswer, RuntimeError):
        return None
    return steps


def _totals(steps: Sequence[_Walked]) -> StepRoll:
    def span(count: Callable[[_Walked], int]) -> Extent:
        counts = [count(step) for step in steps]
        return Extent(min(counts), max(counts))

    return StepRoll(
        span(lambda step: sum(each.rebalances for each in step.restarts if each.is_settled)),
        min(sum(min(1, each.rebalances) for each in step.restarts) for step in steps),
        Extent(
            min(sum(_moved(each).least for each in step.restarts) for step in steps),
            max(sum(_moved(each).most for each in step.restarts) for step in steps),
        ),
        max(sum(each.totals.orphaned for each in step.restarts) for step in steps),
        max(sum(each.totals.revoked for each in step.restarts) for step in steps),
        Extent(min(step.loads.least for step in steps), max(step.loads.most for step in steps)),
    )


def _moved(restart: Restarted) -> Extent:
    """The partitions that a restart moves.

    A sticky rule gives a member who is back as many as it had: its own, or those of others.
    """
    moved, own = restart.totals.moved, restart.totals.orphaned
    if not restart.rebalances or restart.rule not in STICKY:
        return Extent(moved, moved)
    return Extent(max(0, moved - own), max(moved, own))


class _NoAnswer(Exception):
    """The assignor returned no assignment."""


@contextmanager
def scene_of(
    observed: ObservedGroup, targets: Sequence[Target]
) -> Iterator[Callable[[Callable[[str, int], str]], RollingScene]]:
    """The group as a scene, for a way to make ids; its targets are open within the context."""
    modes = {target.name: target.protocol for target in targets if target.kind is CLIENT}
    seats = tuple(
        RollingSeat(
            observed.labels[member.member_id],
            member.instance_id or "",
            member.topics,
            tuple(sorted(member.owned)),
        )
        for member in observed.group.members
    )
    racks = {observed.labels[member.member_id]: member.rack for member in observed.group.members}
    with ExitStack() as stack:
        clients = {t.name: stack.enter_context(t.open()).new({}) for t in targets if t.kind is CLIENT}
        remotes = {"uniform": resolve("uniform"), "range": resolve("server-range")}
        remotes |= {t.name.removeprefix("server-"): t for t in targets if t.kind is not CLIENT}
        servers = {name: stack.enter_context(t.open()).new({}) for name, t in remotes.items()}

        def by(assignors: Mapping[str, Any]) -> Callable[[str, Sequence[RollingShare]], Answer]:
            return lambda rule, shares: _answer(observed, assignors[rule], shares, racks)

        yield lambda uuid: RollingScene(
            tuple(sorted(observed.cluster.counts.items())),
            seats,
            by(clients),
            by(servers),
            lambda names: any(modes[name] is RebalanceProtocol.EAGER for name in names),
            uuid,
        )


def _answer(
    observed: ObservedGroup, assignor: Any, shares: Sequence[RollingShare], racks: Mapping[str, str | None]
) -> Answer:
    """The assignor's answer for these members; raises `_NoAnswer`."""
    members = tuple(
        Member(each.member_id, each.topics, each.owned, each.generation, racks.get(each.client))
        for each in shares
    )
    try:
        answer = assignor.assign(observed.cluster, Group(members, members[0].member_id))
    except Exception as error:
        raise _NoAnswer(str(error)) from error
    if isinstance(answer, Failure):
        raise _NoAnswer(answer.message)
    return {member_id: tuple(tps) for member_id, tps in answer.items()}
