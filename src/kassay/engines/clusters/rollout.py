"""The safe migration from one assignor to another by rolling restarts, on the coordinator's model.

Paths are tried in order of their number of restarts: the new setting alone; the new assignor before the
old one in the list, then alone; the old one before the new, then alone. A path is safe if no member is
refused on it.

Which assignor is in force follows from the mix of members that have been restarted and members that have not
(`mixes`).

A member's rebalance protocol follows from its list: Kafka's client takes the highest one that all its
assignors support (KIP-429, `ConsumerCoordinator`). The selected assignor is in every list, so no member
keeps its partitions under an assignor that expects them to be revoked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kassay.engines.clusters.clients.rules import NOT_MEASURED, ClientLibrary
from kassay.engines.clusters.mixes import Members, RuleSpan, in_force, kinds_of, walk_mixes
from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.played import Extent
from kassay.engines.clusters.rolled import PARTITIONS_MAX, PLAYED_MAX, StepRoll, rolled
from kassay.engines.clusters.rolling_group import RollingGroup
from kassay.engines.clusters.rolling_scene import ClientSetting, Restarted, RollingScene
from kassay.engines.targets.resolve import Target
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.model.kinds import RebalanceProtocol
from kassay.model.protocols.values.groups import ClassicGroup
from kassay.model.protocols.values.requests import Config

NOT_PLAYED: Final = (
    f"moves and pauses are known for groups of up to {PLAYED_MAX} members and {PARTITIONS_MAX} partitions"
)
POLICY: Final = "group.consumer.migration.policy"
POLICIES: Final = {
    "disabled": Config(),
    "upgrade": Config(upgrade=True),
    "downgrade": Config(downgrade=True),
    "bidirectional": Config(upgrade=True, downgrade=True),
}
"""The brokers' migration policies; Kafka's default is bidirectional (`GroupCoordinatorConfig`)."""
WALKED_MAX: Final = 4
"""Members played one by one; more members only repeat the same steps."""


@dataclass(frozen=True)
class RollingStep:
    """One rolling restart of all members.

    `rebalances_range`: total of all restarts. `eager`: members that revoke all partitions at each rebalance,
    before the first restart and after the last. `back`: the number of restarts up to which a member may still
    return to the initial setting: up to all, or 0. `never_settles`: the number of restarts after which
    rebalance follows rebalance without end, None if the group is stable after each. `is_early`: the last
    assignor is in force once the last old member has left, before it is back. `roll`: the totals of all
    restarts, None if the group was not played.
    """

    setting: ClientSetting
    restarts: int
    rebalances_range: Extent
    spans: tuple[RuleSpan, ...]
    eager: tuple[int, int]
    back: int
    never_settles: int | None = None
    is_early: bool = False
    roll: StepRoll | None = None

    @property
    def rebalances(self) -> int:
        """The most rebalances."""
        return self.rebalances_range.most

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this step; no figure of rebalances for a step that never settles."""
        endless = self.never_settles is not None
        return {
            "setting": str(self.setting),
            "restarts": self.restarts,
            "rebalances": None if endless else self.rebalances,
            "rebalances_range": None if endless else list(self.rebalances_range),
            "in_force": [[list(span.rules), span.first, span.last] for span in self.spans],
            "eager_members": list(self.eager),
            "back_until": self.back,
            "never_settles_after": self.never_settles,
            "in_force_when_last_left": self.is_early,
            "totals": None if self.roll is None else self.roll.to_json(),
            "not_played": None if self.roll is not None else NOT_PLAYED,
        }


@dataclass(frozen=True)
class Rollout:
    """The path between two settings; without steps if they are equal, `safe` is False if no path is.

    `policies`: the values of the brokers' policy under which the path works, empty if the policy does not
    matter; `refused`: shorter paths, each with the error that a member receives. `client`: the members'
    library; `unstartable`: settings with which none of its members starts, each with the library's words;
    `blocked`: why the library cannot have the goal at all.
    """

    start: ClientSetting
    goal: ClientSetting
    steps: tuple[RollingStep, ...]
    safe: bool
    walked: int
    policies: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())
    client: ClientLibrary | None = None
    unstartable: tuple[tuple[str, str], ...] = ()
    blocked: str | None = None

    def written(self, setting: ClientSetting) -> str:
        """The setting as the members' library has it."""
        return str(setting) if self.client is None else self.client.rules.written(setting)

    def must_go(self, setting: ClientSetting) -> tuple[str, ...]:
        """Settings with which a member of the library does not start under this one."""
        return () if self.client is None else self.client.must_go(setting)

    @property
    def is_stop(self) -> bool:
        """Whether the way is to stop all members, then to start them with the goal."""
        return not self.safe and self.blocked is None

    @property
    def never_settles(self) -> bool:
        """Whether the group does not become stable after a restart of some step."""
        return any(step.never_settles is not None for step in self.steps)

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this path."""
        return {
            "from": str(self.start),
            "to": str(self.goal),
            "safe": self.safe,
            "walked_members": self.walked,
            "policies": list(self.policies),
            "steps": [step.to_json() for step in self.steps],
            "refused": [list(each) for each in self.refused],
            "notes": list(self.notes),
            "client": None if self.client is None else [self.client.name, self.client.origin],
            "unstartable": [list(each) for each in self.unstartable],
            "blocked": self.blocked,
            "must_go": sorted({name for step in self.steps for name in self.must_go(step.setting)}),
        }


def start_of(strategy: str | None, *, is_consumer_group: bool) -> str | None:
    """The target spec of the group's strategy as the coordinator names it; None if unknown."""
    if strategy is None or not is_consumer_group:
        return strategy
    return "server-range" if strategy == "range" else strategy


def setting_of(target: Target) -> ClientSetting:
    """The client configuration that uses the target."""
    if target.kind is SERVER:
        return ClientSetting(remote=target.name.removeprefix("server-"))
    return ClientSetting((target.name,))


def rollout(
    start: Target,
    goal: Target,
    members: Members,
    observed: ObservedGroup | None = None,
    client: ClientLibrary | None = None,
) -> Rollout:
    """The shortest safe path between two targets, both assignors of consumer groups.

    With the group itself, if it is small enough, each step has the totals of its restarts. With the members'
    library, no step has a setting with which the library does not start.
    """
    first, last = setting_of(start), setting_of(goal)
    if first == last:
        return Rollout(first, last, (), True, 0, client=client)
    blocked = _blocked(last, client)
    if blocked is not None:
        return Rollout(first, last, (), False, 0, client=client, blocked=blocked)
    modes = {target.name: target.protocol for target in (start, goal) if target.kind is CLIENT}
    refused: list[tuple[str, str]] = []
    walked = min(members.total, WALKED_MAX)
    remotes = tuple(dict.fromkeys(("uniform", "range", *(s.remote for s in (first, last) if s.remote))))
    ways, unstartable = _startable(first, tuple(_ways(first, last)), client)
    for way in ways:
        policies = _policies(first, way, walked, members, remotes)
        if not policies:
            error = _error(first, way, walked, members, remotes)
            refused.append((", then ".join(map(str, way)), error))
            continue
        config = POLICIES[policies[-1]]._replace(assignors=remotes)
        played = None if observed is None else rolled(observed, (start, goal), first, way, config)
        steps = tuple(_steps(first, way, config, members, modes, played))
        needed = () if len(policies) == len(POLICIES) else policies
        notes = (*_notes(first, last, modes, goal), *_client_notes(first, last, client))
        return Rollout(first, last, steps, True, walked, needed, tuple(refused), notes, client, unstartable)
    notes = (*_client_notes(first, last, client),)
    return Rollout(first, last, (), False, walked, (), tuple(refused), notes, client, unstartable)


def _blocked(last: ClientSetting, client: ClientLibrary | None) -> str | None:
    """Why the library cannot have the last setting; None if it can, or if no library is given."""
    if client is None or (reason := client.rules.objection(last)) is None:
        return None
    if reason == NOT_MEASURED:
        return f"{last} is {NOT_MEASURED} with {client.rules.version}"
    return f"not with {client.rules.version}: {reason}"


def _startable(
    first: ClientSetting, ways: Sequence[tuple[ClientSetting, ...]], client: ClientLibrary | None
) -> tuple[list[tuple[ClientSetting, ...]], tuple[tuple[str, str], ...]]:
    """The ways on which the library starts at every step, and the settings with which it does not."""
    if client is None:
        return [*ways], ()
    objections: dict[str, str] = {}
    kept = []
    for way in ways:
        reasons = {str(each): client.rules.objection(each) for each in way}
        rolls = zip((first, *way), way)
        reasons |= {f"{a}, then {b}": client.rules.objection_to_roll(a, b) for a, b in rolls}
        objections |= {setting: reason for setting, reason in reasons.items() if reason is not None}
        if not any(reasons.values()):
            kept.append(way)
    return kept, tuple(objections.items())


def _ways(first: ClientSetting, last: ClientSetting) -> Iterator[tuple[ClientSetting, ...]]:
    """The settings of every member, restart by restart, shortest path first."""
    yield (last,)
    if not first.is_consumer and not last.is_consumer:
        yield (ClientSetting((*last.strategies, *first.strategies)), last)
        yield (ClientSetting((*first.strategies, *last.strategies)), last)


def _policies(
    first: ClientSetting,
    way: Sequence[ClientSetting],
    walked: int,
    members: Members,
    remotes: tuple[str, ...],
) -> tuple[str, ...]:
    """The brokers' policies under which no member is refused and the group reaches the goal's protocol."""
    good = []
    for name, config in POLICIES.items():
        configured = config._replace(assignors=remotes)
        if all(_arrives(first, way, configured, walked, static=static) for static in kinds_of(members)):
            good.append(name)
    return tuple(good)


def _arrives(
    first: ClientSetting, way: Sequence[ClientSetting], config: Config, walked: int, *, static: bool
) -> bool:
    group = RollingGroup(config, walked, first, static=static)
    for setting in way:
        for index in range(walked):
            if group.restart(index, setting).error:
                return False
    return isinstance(group.group, ClassicGroup) is not way[-1].is_consumer


def _error(
    first: ClientSetting,
    way: Sequence[ClientSetting],
    walked: int,
    members: Members,
    remotes: tuple[str, ...],
) -> str:
    """The error of the refused member, under the most permissive policy."""
    config = POLICIES["bidirectional"]._replace(assignors=remotes)
    for static in kinds_of(members):
        last = walk_mixes(first, way, config, walked, static=static)[-1][-1]
        if last.error:
            return last.error
    return "the group stays in the other protocol"


def _steps(
    first: ClientSetting,
    way: Sequence[ClientSetting],
    config: Config,
    members: Members,
    modes: dict[str, RebalanceProtocol],
    played: Sequence[StepRoll] | None,
) -> Iterator[RollingStep]:
    walked = min(members.total, WALKED_MAX)
    kinds = kinds_of(members)
    walks = {static: walk_mixes(first, way, config, walked, static=static) for static in kinds}
    # A cooperative member that loses a partition joins a second time: at most at each restart.
    scene = RollingScene(is_eager=lambda names: any(modes[name] is RebalanceProtocol.EAGER for name in names))
    most = {static: walk_mixes(first, way, config, walked, static=static, scene=scene) for static in kinds}
    before = first
    for number, setting in enumerate(way):
        counts = [_rebalances(each, number, members) for each in (walks, most)]
        roll = None if played is None else played[number]
        yield RollingStep(
            setting,
            members.total,
            Extent(min(counts), max(counts)) if roll is None else roll.rebalances,
            in_force(first, way, number, config, members),
            (_eager(before, modes) * members.total, _eager(setting, modes) * members.total),
            _back(first, way, number, config, members),
            _never_settles([steps[number] for steps in walks.values()], members.total),
            _is_early(walks.get(False), number),
            roll,
        )
        before = setting


def _rebalances(walks: Mapping[bool, Sequence[Sequence[Restarted]]], number: int, members: Members) -> int:
    """The rebalances of a step, extrapolated to all dynamic and all static members."""
    total = 0
    for static, steps in walks.items():
        count = members.static if static else members.total - members.static
        total += _scaled([each.rebalances for each in steps[number] if each.is_settled], count)
    return total


def _is_early(steps: Sequence[Sequence[Restarted]] | None, number: int) -> bool:
    """Whether the last assignor is in force once the last dynamic member has left, before it is back."""
    if steps is None or len(steps[number]) < 2:
        return False
    previous, last = steps[number][-2:]
    return last.left_by == last.rule != previous.rule


def _never_settles(walks: Sequence[Sequence[Restarted]], members: int) -> int | None:
    """The first restart after which the group does not become stable, scaled to all members."""
    for walk in walks:
        for done, restarted in enumerate(walk, start=1):
            if not restarted.is_settled:
                return round(done * members / len(walk))
    return None


def _scaled(counts: Sequence[int], members: int) -> int:
    """Rebalances extrapolated to all members: the most frequent count per restart, plus the exceptions."""
    if not counts:
        return 0
    usual = Counter(counts).most_common(1)[0][0]
    return max(0, usual * members + sum(count - usual for count in counts))


def _eager(setting: ClientSetting, modes: dict[str, RebalanceProtocol]) -> int:
    """1 if a member with the setting revokes all partitions at each rebalance, else 0."""
    return int(any(modes[name] is RebalanceProtocol.EAGER for name in setting.strategies))


def _back(
    first: ClientSetting, way: Sequence[ClientSetting], number: int, config: Config, members: Members
) -> int:
    """The restarts of a step after which a member may return to the first setting, scaled to all members."""
    walked = min(members.total, WALKED_MAX)
    static = all(kinds_of(members))
    for done in range(walked, 0, -1):
        group = RollingGroup(config, walked, first, static=static)
        for setting in way[:number]:
            for index in range(walked):
                group.restart(index, setting)
        for index in range(done):
            group.restart(index, way[number])
        if not group.restart(done - 1, first).error:
            return members.total if done == walked else done
    return 0


def _notes(
    first: ClientSetting, last: ClientSetting, modes: dict[str, RebalanceProtocol], goal: Target
) -> tuple[str, ...]:
    """Limits of the model."""
    notes = []
    listed = RebalanceProtocol.COOPERATIVE in modes.values() and RebalanceProtocol.EAGER in modes.values()
    if listed and not first.is_consumer and goal.name != "cooperative-sticky":
        notes.append(
            "a cooperative assignor is assumed to support the eager protocol as well, like Kafka's own: "
            "otherwise it cannot share a list with an eager one"
        )
    if last.is_consumer and last.remote not in ("uniform", "range"):
        notes.append(f"the brokers must have {last.remote} in group.consumer.assignors")
    return tuple(notes)


def _client_notes(first: ClientSetting, last: ClientSetting, client: ClientLibrary | None) -> Iterator[str]:
    """What the library's members have by default, and a start that they cannot have."""
    if client is None:
        return
    reason = client.rules.objection(first)
    if reason is not None:
        yield f"this group has {first}: {client.rules.version}: {reason}"
    sent = client.rules.sent.protocols
    listed = {*first.strategies, *last.strategies}
    if len(listed) > 1 and listed <= {*sent}:
        yield (
            f"members without any setting send {', '.join(sent)} ({client.rules.version}): "
            "for them only the last restart is left"
        )
