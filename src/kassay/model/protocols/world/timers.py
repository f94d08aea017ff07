"""The coordinator's own steps: a timer fires once its guard allows, a write is acknowledged, a task ends.

What a coordinator has under way in the background: expressions to resolve, a target to write, an interval to
wait for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kassay.model.explore.states import Interned, Memo
from kassay.model.explore.values import Action
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.coordinator.brokers import Mail
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.coordinator.step import Event
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup, CoordinatorState, Role
from kassay.model.protocols.values.records import Background, ResolutionApplied, ResolutionRun, TargetApplied
from kassay.model.protocols.values.requests import OF_CLASSIC_GROUPS, JoinGroupReply, SetTimer
from kassay.model.protocols.values.streams import INITIAL_REBALANCE, STREAMS_SESSION
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup
from kassay.model.protocols.world.context import (
    BROKER,
    CONNECTION,
    Client,
    World,
    WorldContext,
    labelled,
    listing,
    reading,
    unwritten,
)

_SESSIONS: Final = (requests.SESSION, requests.CONSUMER_SESSION, STREAMS_SESSION)


class Timers:
    """The steps of the coordinator without a request."""

    def __init__(self, context: WorldContext) -> None:
        self.context = context
        self._present: Memo[tuple[int, Interned], tuple[str, str, int]] = Memo()
        self._firings: Memo[Any, tuple[tuple[Action, Interned, Mail], ...]] = Memo()

    def steps(self, state: World) -> Iterator[tuple[Action, World]]:
        """The possible steps of the coordinator."""
        broker: CoordinatorHost = state.broker.value
        if broker.state.role is Role.LOADING:
            yield from self.load(state)
        if not broker.armed and not broker.waiting:
            return
        known = self._present.get
        presence = tuple([known(place) or self._presence(*place) for place in enumerate(state.clients)])
        faults: Faults = state.budget.value
        logged, failing = faults.failover > 0, faults.write > 0
        key = (state.broker, presence, logged, failing)
        firings = self._firings.get(key)
        if firings is None:
            firings = self._firings[key] = tuple(self._fire(state.broker, presence, logged, failing))
        for action, after, mail in firings:
            clients = self.context.post(state.clients, mail) if mail else state.clients
            budget = self.context.spent(state.budget, "write") if action.fault else state.budget
            yield (
                action,
                World(clients, after, state.image, budget, state.adopted, state.offsets),
            )

    def load(self, state: World) -> Iterator[tuple[Action, World]]:
        """A new coordinator has read its log."""
        logged = state.budget.value.failover > 0
        for loaded in self.context.brokers.load(state.broker, keeps_log=logged):
            label = Action(BROKER, "has loaded the group", reply=reading(loaded))
            yield label, state._replace(broker=loaded)

    def _presence(self, c: int, cell: Interned) -> tuple[str, str, int]:
        """Whether a client polls ("up"), only heartbeats ("stalled") or neither; its id and request."""
        presence = self._present[c, cell] = _present(c, cell.value)
        return presence

    def _fire(
        self, cell: Interned, presence: tuple[tuple[str, str, int], ...], logged: bool, failing: bool
    ) -> Iterator[tuple[Action, Interned, Mail]]:
        """The possible steps of the coordinator; those that need a failing write are faults."""
        broker: CoordinatorHost = cell.value
        if broker.waiting:
            for after, mail in self.context.brokers.acknowledge(cell, keeps_log=logged):
                yield Action(BROKER, "the assignment is stored"), after, mail
        group = broker.state.group
        if group is None:
            return
        polling, beating = set(), set()
        parked: dict[int, str] = {}
        if isinstance(group, ClassicGroup):
            parked = {m.awaiting_join: m.member_id for m in group.members if m.awaiting_join >= 0}
            parked |= {m.awaiting_sync: m.member_id for m in group.members if m.awaiting_sync >= 0}
        for run, member, number in presence:
            if run == "absent":
                continue
            ids = {member, parked.get(number, member)}
            beating |= ids
            if run == "up":
                polling |= ids
        for timer in broker.armed:
            kind, member_id = timer.timer
            due = _outlived(group, timer) or _due(group, kind, member_id, polling, beating)
            if due or (kind == requests.JOIN and (timer.payload or _waits_for_more(group))):
                action = Action(BROKER, timer_name(kind, member_id))
                for after, mail in self.context.brokers.fire(cell, timer, keeps_log=logged):
                    if after is not cell:
                        yield labelled(action, cell, after), after, mail
                if failing:
                    for after, mail in self.context.brokers.fire(cell, timer, keeps_log=logged, fails=True):
                        if after is not cell:
                            yield labelled(unwritten(action), cell, after), after, mail

    def watched(self, state: World) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
        """The group, the members that an armed timer would remove, and those whose expiry is ignored.

        In addition to the session timer, that is one that removes its member whatever it sends: the
        revocation timer of its current epoch, which is all that is left after such a removal could not be
        written.
        """
        broker: CoordinatorHost = state.broker.value
        group = broker.state.group
        modern = () if group is None or isinstance(group, ClassicGroup) else group.members
        epochs = {member.member_id: member.epoch for member in modern}
        armed = tuple(
            order.timer.member_id
            for order in broker.armed
            if (order.timer.kind in _SESSIONS and not _outlived(group, order))
            or (
                order.timer.kind == requests.REVOCATION
                and order.payload == (epochs.get(order.timer.member_id),)
            )
        )
        members = group.members if isinstance(group, ClassicGroup) else ()
        excused = tuple(
            m.member_id for m in members if (m.awaiting_join >= 0 and not m.is_new) or m.awaiting_sync >= 0
        )
        return group, armed, excused


def _present(c: int, client: Client) -> tuple[str, str, int]:
    run = client.run.value if client.run in (Process.UP, Process.STALLED) else "absent"
    member = client.member_id
    if client.inbox and isinstance(client.inbox[0], JoinGroupReply):
        member = client.inbox[0].member_id or member
    waits = isinstance(client, ClassicClient) and client.waits
    return run, member, c + CONNECTION * client.connection if waits else -1


def timer_name(kind: str, member: str) -> str:
    """The name of a timer's firing."""
    if kind in (requests.SESSION, requests.CONSUMER_SESSION, STREAMS_SESSION):
        return f"session of {member} expires"
    if kind in (requests.JOIN, requests.SYNC):
        return f"{kind} timer fires"
    if kind == INITIAL_REBALANCE:
        return "the initial rebalance delay is over"
    word = "revocation timer" if kind == requests.REVOCATION else kind
    return f"{word} of {member} fires"


def _waits_for_more(group: Any) -> bool:
    """Whether a join phase continues after all members joined: the first one, until its timer fires."""
    return isinstance(group, ClassicGroup) and group.initial


def _outlived(group: Any, order: SetTimer) -> bool:
    """Whether a timer dates from before a conversion of the group, and so waits for no member of it.

    It may have been armed at any earlier time. If the group is of another kind now, it has no effect.
    """
    return order.outlived or (order.timer.kind in OF_CLASSIC_GROUPS) is not isinstance(group, ClassicGroup)


def _due(group: Any, kind: str, member: str, polling: set[str], beating: set[str]) -> bool:
    """Whether a timer's guard lets it fire."""
    if not isinstance(group, ClassicGroup):
        sessions = (requests.CONSUMER_SESSION, STREAMS_SESSION)
        return kind == INITIAL_REBALANCE or member not in (beating if kind in sessions else polling)
    if kind == requests.SESSION:
        return member not in beating
    if kind == requests.JOIN:
        awaited = {m.member_id for m in group.members if m.awaiting_join < 0} | set(group.pending_join)
        return bool(awaited - polling)
    return bool(set(group.pending_sync) - polling)


def background_steps(context: WorldContext, state: World) -> Iterator[tuple[Action, World]]:
    """The next step of each current task, which may come arbitrarily late."""
    logged = state.budget.value.failover > 0
    coordinator: CoordinatorState = state.broker.value.state
    group = coordinator.group
    waits = isinstance(group, ConsumerGroup | StreamsTaskGroup) and group.target_time > 0
    if context.options.late_targets and waits:
        over = context.brokers.interval_over(state.broker)
        yield Action(BROKER, "the assignment interval is over"), state._replace(broker=over)
    for action, event in _tasks(coordinator.background):
        for broker, _ in context.brokers.handle(state.broker, event, keeps_log=logged):
            yield labelled(action, state.broker, broker), state._replace(broker=broker)


def _tasks(background: Background) -> Iterator[tuple[Action, Event]]:
    """The current tasks with the events that continue them; a result is described by what is written."""
    for task in background.tasks:
        if not task.result:
            yield (
                Action(BROKER, "resolves regular expressions", detail=", ".join(task.regexes)),
                ResolutionRun(),
            )
        for result in task.result:
            matches = (f"{regex}: {','.join(each.topics) or 'nothing'}" for regex, each in result)
            yield Action(BROKER, "writes what they match", detail="; ".join(matches)), ResolutionApplied()
    for computed in background.targets:
        target = "; ".join(f"{member}: {listing(tps)}" for member, _, tps in computed.target)
        detail = f"epoch {computed.epoch}; {target}"
        yield Action(BROKER, "writes the target computed in the background", detail=detail), TargetApplied()
