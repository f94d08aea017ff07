"""Which assignor is in force in each mix of members that have been restarted and members that have not.

Between assignors of the classic protocol the coordinator's own vote is taken for every mix of all members;
between the protocols a few members are restarted one by one on the coordinator's model (`rolling_group`);
within the consumer protocol the assignor that most members want is in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from kassay.engines.clusters.rolling_group import RollingGroup
from kassay.engines.clusters.rolling_scene import PLAIN, ClientSetting, Restarted, RollingScene
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
    first: ClientSetting,
    way: Sequence[ClientSetting],
    config: Config,
    walked: int,
    *,
    static: bool,
    scene: RollingScene = PLAIN,
) -> list[list[Restarted]]:
    """The result of each restart of each step; stops at the first refusal."""
    group = RollingGroup(config, walked, first, static=static, scene=scene)
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
    """The assignors selected after each number of restarts, by the coordinator's own vote.

    Until the last restart the same names are common to all, and each restart takes a vote from one name and
    gives it to another: a vote that is the same at two numbers of restarts is the same between them.
    """
    vote = partial(_vote, before, setting, members, config)
    spans = _joined([*_between(vote, 1, members - 1), RuleSpan(vote(members), members, members)])
    return tuple(spans)


def _between(vote: Callable[[int], tuple[str, ...]], first: int, last: int) -> list[RuleSpan]:
    """The votes after `first` to `last` restarts."""
    if first > last:
        return []
    rules = vote(first)
    if first == last or rules == vote(last):
        return [RuleSpan(rules, first, last)]
    middle = (first + last) // 2
    return _joined([*_between(vote, first, middle), *_between(vote, middle + 1, last)])


def _joined(spans: Iterable[RuleSpan]) -> list[RuleSpan]:
    """The spans, neighbours with the same rules as one."""
    joined: list[RuleSpan] = []
    for each in spans:
        if joined and joined[-1].rules == each.rules:
            joined[-1] = joined[-1]._replace(last=each.last)
        else:
            joined.append(each)
    return joined


def _vote(
    before: ClientSetting, setting: ClientSetting, members: int, config: Config, done: int
) -> tuple[str, ...]:
    """The assignors of which the coordinator selects one after so many restarts."""
    options = _Options()
    new, old = (tuple((name, Subscription(())) for name in each.strategies) for each in (setting, before))
    group = ClassicGroup(
        STABLE,
        1,
        requests.CONSUMER_TYPE,
        before.strategies[0],
        "0",
        tuple(ClassicMember(str(i), "", "", 0, 0, new if i < done else old) for i in range(members)),
    )
    GroupBuilder(Effects(config, (), options), group).pick_protocol()
    return options.options
