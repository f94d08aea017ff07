"""The safe migration from one assignor to another by rolling restarts, on the coordinator's model.

Paths are tried in order of their number of restarts: the new setting alone; the new assignor before the
old one in the list, then alone; the old one before the new, then alone. A path is safe if no member is
refused on it.

Which assignor is in force follows from the mix of members that have been restarted and members that have not.
Between assignors of the classic protocol the coordinator's own vote is taken for every mix of all members;
between the protocols a few members are restarted one by one on the coordinator's model (`rolling_group`);
within the consumer protocol the assignor that most members want is in force.

A member's rebalance protocol follows from its list: Kafka's client takes the highest one that all its
assignors support (KIP-429, `ConsumerCoordinator`). The selected assignor is in every list, so no member
keeps its partitions under an assignor that expects them to be revoked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kassay.certify.clusters.rolling_group import ClientSetting, Restarted, RollingGroup
from kassay.certify.targets.resolve import Target
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.model.kinds import RebalanceProtocol
from kassay.model.protocols.coordinator.classic.rebalance import GroupBuilder
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.choices import Effects, TargetAsk, WithoutStreams
from kassay.model.protocols.values.choices import Target as TargetAssignment
from kassay.model.protocols.values.groups import STABLE, ClassicGroup, ClassicMember
from kassay.model.protocols.values.requests import Config, Subscription

MIXES_WALKED_MAX: Final = 12
"""Members explored if every mix of both protocols is checked."""


class RuleSpan(NamedTuple):
    """The assignors in force after `first` to `last` restarts of a step; several mean a tie."""

    rules: tuple[str, ...]
    first: int
    last: int


class Members(NamedTuple):
    """The number of members, and of static members among them."""

    total: int
    static: int


def walk_mixes(
    first: ClientSetting, way: Sequence[ClientSetting], config: Config, walked: int, *, static: bool
) -> list[list[Restarted]]:
    """The result of each restart of each step; stops at the first refusal."""
    group = RollingGroup(config, walked, first, static=static)
    steps: list[list[Restarted]] = []
    for setting in way:
        steps.append([])
        for index in range(walked):
            steps[-1].append(group.restart(index, setting))
            if steps[-1][-1].error:
                return steps
    return steps


def kinds_of(members: Members) -> tuple[bool, ...]:
    """Which kinds of members to explore: static (True), dynamic (False)."""
    return tuple(
        kind for kind, count in ((False, members.total - members.static), (True, members.static)) if count
    )


def in_force(
    first: ClientSetting, way: Sequence[ClientSetting], number: int, config: Config, members: Members
) -> tuple[RuleSpan, ...]:
    """The assignors in force after each number of restarts of the step."""
    before, setting = way[number - 1] if number else first, way[number]
    if before.is_consumer and setting.is_consumer:
        half = members.total // 2
        tie = (RuleSpan(tuple(sorted((before.remote, setting.remote))), half, half),)
        wanted = (RuleSpan((before.remote,), 1, (members.total - 1) // 2),)
        spans = (*wanted, *(tie if 2 * half == members.total else ()))
        return (
            *(each for each in spans if each.last > 0),
            RuleSpan((setting.remote,), half + 1, members.total),
        )
    if before.is_consumer or setting.is_consumer:
        return _mixed(first, way, number, config, members)
    return _spans(before, setting, members.total, config)


def _mixed(
    first: ClientSetting, way: Sequence[ClientSetting], number: int, config: Config, members: Members
) -> tuple[RuleSpan, ...]:
    """The assignors in force after each number of restarts between the protocols, checked for every mix.

    A large group is represented by a bounded number of members: those between the first and the last change
    nothing.
    """
    walked = min(members.total, MIXES_WALKED_MAX)
    selected: list[set[str]] = [set() for _ in range(walked)]
    for static in kinds_of(members):
        steps = walk_mixes(first, way[: number + 1], config, walked, static=static)
        for rules, restarted in zip(selected, steps[number]):
            rules.add(restarted.rule)
    spans: list[RuleSpan] = []
    for done, rules in enumerate(selected, start=1):
        names = tuple(sorted(rules))
        at = members.total if done == walked else done
        if spans and spans[-1].rules == names:
            spans[-1] = spans[-1]._replace(last=at)
        else:
            if spans:
                spans[-1] = spans[-1]._replace(last=at - 1)
            spans.append(RuleSpan(names, at, at))
    return tuple(spans)


class _Options(WithoutStreams):
    """Records the options of each choice."""

    def __init__(self) -> None:
        self.options: tuple[str, ...] = ()

    def pick(self, kind: str, options: Sequence[str]) -> str:  # noqa: ARG002 - only one choice occurs here
        self.options = tuple(options)
        return options[0]

    def member_id(self, prefix: str) -> str:
        return prefix

    def target(self, ask: TargetAsk) -> TargetAssignment:
        return tuple((member.member_id, ()) for member in ask.members)


def _spans(
    before: ClientSetting, setting: ClientSetting, members: int, config: Config
) -> tuple[RuleSpan, ...]:
    """The assignors selected after each number of restarts, by the coordinator's own vote."""
    spans: list[RuleSpan] = []
    for done in range(1, members + 1):
        options = _Options()
        lists = [setting] * done + [before] * (members - done)
        group = ClassicGroup(
            STABLE,
            1,
            requests.CONSUMER_TYPE,
            before.strategies[0],
            "0",
            tuple(
                ClassicMember(
                    str(i), "", "", 0, 0, tuple((name, Subscription(())) for name in each.strategies)
                )
                for i, each in enumerate(lists)
            ),
        )
        GroupBuilder(Effects(config, (), options), group).pick_protocol()
        if spans and spans[-1].rules == options.options:
            spans[-1] = spans[-1]._replace(last=done)
        else:
            spans.append(RuleSpan(options.options, done, done))
    return tuple(spans)


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

    `rebalances`: total of all restarts. `eager`: members that revoke all partitions at each rebalance, before
    the first restart and after the last. `back`: the number of restarts up to which a member may still return
    to the initial setting: up to all, or 0. `never_settles`: the number of restarts after which rebalance
    follows rebalance without end, None if the group is stable after each.
    """

    setting: ClientSetting
    restarts: int
    rebalances: int
    spans: tuple[RuleSpan, ...]
    eager: tuple[int, int]
    back: int
    never_settles: int | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this step."""
        return {
            "setting": str(self.setting),
            "restarts": self.restarts,
            "rebalances": self.rebalances,
            "in_force": [[list(span.rules), span.first, span.last] for span in self.spans],
            "eager_members": list(self.eager),
            "back_until": self.back,
            "never_settles_after": self.never_settles,
        }


@dataclass(frozen=True)
class Rollout:
    """The path between two settings; without steps if they are equal, `safe` is False if no path is.

    `policies`: the values of the brokers' policy under which the path works, empty if the policy does not
    matter; `refused`: shorter paths, each with the error that a member receives.
    """

    start: ClientSetting
    goal: ClientSetting
    steps: tuple[RollingStep, ...]
    safe: bool
    walked: int
    policies: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())

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


def rollout(start: Target, goal: Target, members: Members) -> Rollout:
    """The shortest safe path between two targets, both assignors of consumer groups."""
    first, last = setting_of(start), setting_of(goal)
    if first == last:
        return Rollout(first, last, (), True, 0)
    modes = {target.name: target.protocol for target in (start, goal) if target.kind is CLIENT}
    refused: list[tuple[str, str]] = []
    walked = min(members.total, WALKED_MAX)
    remotes = tuple(dict.fromkeys(("uniform", "range", *(s.remote for s in (first, last) if s.remote))))
    for way in _ways(first, last):
        policies = _policies(first, way, walked, members, remotes)
        if not policies:
            error = _error(first, way, walked, members, remotes)
            refused.append((", then ".join(map(str, way)), error))
            continue
        config = POLICIES[policies[-1]]._replace(assignors=remotes)
        steps = tuple(_steps(first, way, config, members, modes))
        needed = () if len(policies) == len(POLICIES) else policies
        return Rollout(
            first, last, steps, True, walked, needed, tuple(refused), _notes(first, last, modes, goal)
        )
    return Rollout(first, last, (), False, walked, (), tuple(refused))


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
) -> Iterator[RollingStep]:
    walked = min(members.total, WALKED_MAX)
    walks = {static: walk_mixes(first, way, config, walked, static=static) for static in kinds_of(members)}
    before = first
    for number, setting in enumerate(way):
        rebalances = 0
        for static, steps in walks.items():
            count = members.static if static else members.total - members.static
            rebalances += _scaled([each.rebalances for each in steps[number] if each.is_settled], count)
        yield RollingStep(
            setting,
            members.total,
            rebalances,
            in_force(first, way, number, config, members),
            (_eager(before, modes) * members.total, _eager(setting, modes) * members.total),
            _back(first, way, number, config, members),
            _never_settles([steps[number] for steps in walks.values()], members.total),
        )
        before = setting


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
