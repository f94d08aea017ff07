"""Assignors as the choices of a protocol model: any-balanced, a reference, or a user's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from kassay.assignors import registry
from kassay.model.cluster import Cluster, Topic
from kassay.model.errors import InputError, KafkaError, TargetNotLoadable
from kassay.model.groups.assignor import Assignor
from kassay.model.groups.group import Group, Member
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.model.kinds import RebalanceProtocol
from kassay.model.protocols.clients.any_balanced import (
    AnyBalanced,
    balanced_targets,
    balanced_tasks,
    owned_of,
)
from kassay.model.protocols.clients.classic_state import Ask, Assign, Given
from kassay.model.protocols.clients.config import COOPERATIVE, EAGER
from kassay.model.protocols.values.choices import Target, TargetAsk
from kassay.model.protocols.values.requests import Image, Subscription, partitions
from kassay.model.protocols.values.streams import TaskRoles, TaskTarget
from kassay.model.streams.group import MemberTasks, StreamsGroup
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import GroupTaskAssignor
from kassay.reading.specs import RuleSpec, parse, printed

ANY: Final = "any-balanced"


class ClientSide(NamedTuple):
    """A client-side assignor: its name, supported modes, choices, and whether it keeps user data."""

    name: str
    modes: tuple[str, ...]
    assign: Assign
    remembers: bool


def client_side(assignor: str | Assignor | None, mode: str | None, switches: frozenset[str]) -> ClientSide:
    """The client-side assignor with this name, or a user's; raises InputError for an unsupported mode."""
    if mode not in (None, EAGER, COOPERATIVE):
        raise InputError(f"--protocol: unknown mode {mode!r}; expected {EAGER} or {COOPERATIVE}")
    if assignor is None or assignor == ANY:
        sticky = "sticky_no_generation" in switches
        modes = (EAGER, COOPERATIVE) if mode == COOPERATIVE else (EAGER,)
        return ClientSide(ANY, modes, AnyBalanced(modes[-1], sticky=sticky, switches=switches), sticky)
    if isinstance(assignor, str):
        rule = registry.find(assignor)
        if rule is None or rule.kind is not CLIENT:
            raise InputError(
                f"--assignor: {assignor!r} is not a client-side assignor (see kassay list assignors)"
            )
        target: Assignor = rule.factory()
        cooperative = rule.protocol is RebalanceProtocol.COOPERATIVE
    else:
        target = assignor
        cooperative = RebalanceProtocol.COOPERATIVE in assignor.protocols
    if mode == COOPERATIVE and not cooperative:
        raise InputError(f"--protocol: {target.name} does not support {COOPERATIVE}")
    modes = (EAGER, COOPERATIVE) if cooperative and mode != EAGER else (EAGER,)
    return ClientSide(target.name, modes, _one_answer(target), target.name in ("sticky", "optimal-sticky"))


def _cluster(image: Image) -> Cluster:
    return Cluster(tuple(Topic(topic.name, topic.partitions) for topic in image))


def _one_answer(assignor: Assignor) -> Assign:
    """An assignor's single answer as the model's choices; none if it throws one of Kafka's errors."""

    @cache
    def assign(ask: Ask) -> tuple[Given, ...]:
        members = []
        for member_id, instance, metadata in ask.members:
            assert isinstance(metadata, Subscription), "only consumers are explored"
            owned, generation = owned_of(metadata)
            members.append(Member(member_id, metadata.topics, owned, generation, None, instance or None))
        try:
            answer = assignor.assign(_cluster(ask.image), Group(tuple(members)))
        except KafkaError:
            return ()
        return (tuple((m.member_id, partitions(answer.get(m.member_id, ()))) for m in members),)

    return assign


def _of_brokers(name: str) -> str:
    """The reference that a broker means by a name: there are two called range."""
    spec = parse(name)
    if isinstance(spec, RuleSpec) and spec.rule == "range":
        return printed(replace(spec, name="server-range"))
    return name


def server_side(assignor: str | Assignor | None) -> Callable[[TargetAsk], tuple[Target, ...]]:
    """The server-side assignor with this name as the model's choices; raises InputError if there is none."""
    if assignor is None or assignor == ANY:
        return balanced_targets
    name = _of_brokers(assignor) if isinstance(assignor, str) else assignor.name
    rule = registry.find(name)
    if rule is None or rule.kind is not SERVER:
        raise InputError(f"--assignor: {name!r} is not a server-side assignor; expected uniform or range")
    target: Assignor = rule.factory()

    @cache
    def assign(ask: TargetAsk) -> tuple[Target, ...]:
        members = tuple(
            Member(m.member_id, m.subscribed, m.target, -1, None, m.group_instance_id or None)
            for m in ask.members
        )
        answer = target.assign(_cluster(ask.topics), Group(members))
        return (tuple((m.member_id, partitions(answer.get(m.member_id, ()))) for m in members),)

    return assign


class UsersTasks(GroupTaskAssignor):
    """Adapts a user's assignor of tasks to members."""

    def __init__(self, name: str, ask: Callable[[StreamsGroup], Mapping[str, MemberTasks]]) -> None:
        self.name = name
        self._ask = ask

    def assign_group(self, group: StreamsGroup) -> Mapping[str, MemberTasks]:
        """Its answer; raises `TargetNotLoadable` for a nonexistent task, which no member could run."""
        answer = self._ask(group)
        for who, given in answer.items():
            for task in (*given.active, *given.standby):
                if task not in group.tasks:
                    listed = ", ".join(map(str, group.tasks))
                    raise TargetNotLoadable(f"{self.name}: assigns {task} to {who}; expected one of {listed}")
        return answer


def of_tasks(
    assignor: str | Assignor | GroupTaskAssignor | None,
) -> Callable[[StreamsGroup], tuple[TaskTarget, ...]]:
    """The task assignor, or the one with this name, as the model's choices; raises InputError if unknown.

    A broker's assignor assigns tasks to the members of a group; those of Kafka Streams itself assign them to
    processes.
    """
    if assignor is None or assignor == ANY:
        return balanced_tasks
    target: object = assignor
    if isinstance(assignor, str):
        rule = registry.find(assignor)
        target = None if rule is None or rule.kind is not STREAMS else rule.factory()
    if not isinstance(target, GroupTaskAssignor):
        name = assignor if isinstance(assignor, str) else assignor.name
        raise InputError(f"--assignor: {name!r} assigns no tasks to members; expected streams-group-sticky")
    answers = target.assign_group

    @cache
    def assign(ask: StreamsGroup) -> tuple[TaskTarget, ...]:
        if not ask.members:
            return ((),)
        answer = answers(ask)
        given = ((member.member_id, answer.get(member.member_id, MemberTasks())) for member in ask.members)
        return (tuple(sorted((who, _roles(tasks)) for who, tasks in given)),)

    return assign


def _roles(tasks: MemberTasks) -> TaskRoles:
    return TaskRoles(tuple(sorted(tasks.active)), tuple(sorted(tasks.standby)))
