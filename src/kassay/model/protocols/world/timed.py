"""The worlds of groups on an integer clock (T1): the same coordinator, clients and faults, plus time.

Of the coordinator's timers the due times are kept, of each client a clock. One step lets time pass;
three rules restrict it:

* Urgency. No time passes while a client that runs has something to do, a heartbeat must arrive, or a timer
  is due. A paused or crashed process has nothing to do; one that processes records for too long only sends
  heartbeats.
* Deliveries precede expiries: a timer fires only once everything else that is due at its instant is done.
* Faults, starts and resumptions happen whenever they like, before or after an expiry of their instant.

Heartbeats are sent at their interval and are one step, lost or not. A member of a consumer group (KIP-848)
heartbeats at its interval, and at once to join or to acknowledge; the coordinator fences it when its session
is over, or when it has not revoked in time what it must give up.

Symmetry over identical clients: a clock goes with its client. The coordinator's timers contain member
ids and are ordered by due time, then name, so they are sorted again with the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Self, TypeAlias

from kassay.model.explore.liveness import Deed, GroupSymmetry
from kassay.model.explore.states import Interned, Interner
from kassay.model.explore.values import Action
from kassay.model.protocols.census import Census
from kassay.model.protocols.clients import classic as cc
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.any_balanced import balanced_targets
from kassay.model.protocols.clients.classic_state import Assign, ClassicClient, ClassicState
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.clients.consumer import ConsumerClient, ConsumerState
from kassay.model.protocols.coordinator.brokers import Targets
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.groups import Role
from kassay.model.protocols.values.requests import ConsumerHeartbeatReply
from kassay.model.protocols.world.canonical import NUMBER, Places, RankOf, WorldRenaming, least, sources
from kassay.model.protocols.world.clock import (
    BACKOFF,
    IDLE,
    LATE,
    POLLING,
    Clock,
    Timing,
    at_once,
    beats,
    hurries,
    sent,
    stepped,
    timed_context,
    waited,
)
from kassay.model.protocols.world.context import (
    BROKER,
    HEARTBEAT_OFFSET,
    ModelOptions,
    World,
    WorldMove,
    labelled,
    put,
)
from kassay.model.protocols.world.faults import ConsumerFaults, FaultSteps
from kassay.model.protocols.world.groups import (
    ClassicModel,
    ConsumerModel,
    classic_parts,
    consumer_parts,
    coordinator_config,
    no_targets,
    only_consumers,
)
from kassay.model.protocols.world.networks import LOST
from kassay.model.protocols.world.symmetry import ClientSymmetry
from kassay.model.protocols.world.timers import timer_name

_Steps: TypeAlias = list[tuple[Action, World]]


class Timed(NamedTuple):
    """A world and its clients' clocks; a new coordinator has read its log `loads` ticks from now."""

    world: World
    clocks: tuple[Clock, ...]
    loads: int = 0

    @property
    def clients(self) -> tuple[Interned, ...]:
        """The world's clients."""
        return self.world.clients


class TimedModel:
    """The classic protocol on the clock; see the module."""

    def __init__(self, inner: ClassicModel, faults: FaultSteps, timing: Timing) -> None:
        self.inner = inner
        self.faults = faults
        self.timing = timing
        self.options = inner.options
        self.context = inner.context

    @classmethod
    def over(cls, options: ModelOptions, timing: Timing, assign: Assign | None = None) -> Self:
        """The model with these options on the clock."""
        options = replace(options, loading=timing.load > 0)
        context = timed_context(options, timing, coordinator_config(options), no_targets)
        parts = classic_parts(context, assign)
        return cls(ClassicModel(options, parts=at_once(parts)), FaultSteps(context), timing)

    # The explorer's model.

    def initial(self) -> Iterator[Timed]:
        """No client has started."""
        for world in self.inner.initial():
            yield Timed(world, (IDLE,) * self.options.members)

    def steps(self, state: Timed) -> Iterator[tuple[Action, Timed]]:
        """Steps due at this instant, otherwise expiries or time; plus steps possible at any instant."""
        now = list(self.inner.steps(state.world))
        due = list(self._due(state, now))
        yield from due
        loose = list(self._loose(state, now))
        yield from loose
        if not any(not action.fault for action, _ in due):
            expiries = list(self._expiries(state))
            yield from expiries
            if not expiries and (ticks := self._wait(state, any(map(_matters, loose)))):
                yield self._pass(state, ticks)
        yield from self._early(state)

    def canonical(self, state: Timed) -> Timed:
        """The representative of the world; times are already relative to now."""
        world = self.inner.canonical(state.world)
        return state if world is state.world else state._replace(world=world)

    def converged(self, state: Timed) -> bool:
        """As without a clock."""
        return self.inner.converged(state.world)

    def public(self, state: Timed) -> Any:
        """The part of a state that a census reads."""
        return self.inner.public(state.world)

    def census(self, state: Timed) -> Census:
        """Ownership, by belief and by record."""
        return self.inner.census(state.world)

    # Due steps.

    def _due(self, state: Timed, now: _Steps) -> Iterator[tuple[Action, Timed]]:
        """Everything that must happen before time passes, and every possible loss of it."""
        world, clocks = state.world, state.clocks
        away = {f"c{c + 1}" for c, clock in enumerate(clocks) if clock.poll != POLLING or clock.rest}
        for action, after in now:
            if action.actor in away:
                continue
            yield action, self._tried(state, action, after)
        for c, clock in enumerate(clocks):
            client: ClassicClient | ConsumerClient = world.clients[c].value
            if client.run is not Process.UP:
                continue
            if beats(client) and (clock.beat <= -self.timing.delay or (hurries(client) and not clock.rest)):
                yield from self._heartbeat(state, c)
            if clock.poll == 0:
                yield from self._poll_expires(state, c)

    def _tried(self, state: Timed, action: Action, after: World) -> Timed:
        """After a main thread's step: a client that found the coordinator loading waits before a retry."""
        if action.reply != errors.COORDINATOR_LOAD_IN_PROGRESS:
            return self._at(state, after)
        c = int(action.actor[1:]) - 1
        return self._at(state, after, c, state.clocks[c]._replace(rest=BACKOFF))

    def _early(self, state: Timed) -> Iterator[tuple[Action, Timed]]:
        """Heartbeats in flight that arrive now, before the end of their delay."""
        for c, clock in enumerate(state.clocks):
            client: ClassicClient | ConsumerClient = state.world.clients[c].value
            if client.run is Process.UP and beats(client) and -self.timing.delay < clock.beat <= 0:
                yield from self._heartbeat(state, c)

    def _heartbeat(self, state: Timed, c: int) -> Iterator[tuple[Action, Timed]]:
        """One heartbeat: it arrives and is answered, or one of both is lost."""
        world, context = state.world, self.context
        client: ClassicClient = world.clients[c].value
        config, faults = context.configs[c], world.budget.value
        request = cc.heartbeat(config, HEARTBEAT_OFFSET + c, client)
        assert request is not None, "only those who beat send a heartbeat"
        action = Action(f"c{c + 1}", "Heartbeat", BROKER, f"generation {client.generation}")
        beaten = sent(self.timing, state.clocks[c])
        if faults.loss and state.clocks[c].beat == 0:
            # It makes no difference where it is lost: the loss happens when it is sent.
            label = action._replace(fault=True, reply="lost before the coordinator")
            lost = context.move(label, client, client, world.broker, costs=LOST)
            yield label, self._moved(state, c, beaten, lost)
        for broker, mail in context.brokers.handle(world.broker, request, keeps_log=faults.failover > 0):
            (body,) = (reply for number, reply in mail if number == request.correlation_id)
            heard = cc.on_heartbeat(config, client, request, body.error)
            label = action._replace(reply=body.error)
            yield label, self._moved(state, c, beaten, context.move(label, client, heard, broker))
            if faults.loss and (heard != client or broker is not world.broker):
                label = action._replace(fault=True, reply="reply lost")
                lost = context.move(label, client, client, broker, costs=LOST)
                yield label, self._moved(state, c, beaten, lost)

    def _moved(self, state: Timed, c: int, clock: Clock, move: WorldMove) -> Timed:
        """The state after a local step of client `c`, with its clock set to `clock`."""
        return self._at(state, self.inner.apply(state.world, c, move), c, clock)

    def _poll_expires(self, state: Timed, c: int) -> Iterator[tuple[Action, Timed]]:
        """max.poll.interval.ms is over: a dynamic member leaves, a static one becomes silent."""
        name, world = f"c{c + 1}", state.world
        client: ClassicClient = world.clients[c].value
        if self.context.configs[c].group_instance_id:
            silent = put(world, c, self.context.cell(client._replace(run=Process.PAUSED)))
            yield Action(name, "polls too late, falls silent"), self._at(state, silent, c, IDLE)
            return
        late = state.clocks[c]._replace(poll=LATE)
        after = put(world, c, self.context.cell(cc.poll_expired(client)))
        for action, left in self.faults.leave(
            Action(name, "polls too late, LeaveGroup", BROKER), after, c, client
        ):
            yield action, self._at(state, left, c, late)

    # Timers and time.

    def _expiries(self, state: Timed) -> Iterator[tuple[Action, Timed]]:
        """The coordinator's due timers, any of which may fire first; or its log is read."""
        world = state.world
        broker: CoordinatorHost = world.broker.value
        if _loading(world) and not state.loads:
            for action, loaded in self.inner.timers.load(world):
                yield action, self._at(state, loaded)
        logged = world.budget.value.failover > 0
        for order in broker.armed:
            if order.due > 0:
                break
            for after, mail in self.context.brokers.fire(world.broker, order, keeps_log=logged):
                clients = self.context.post(world.clients, mail)
                label = labelled(Action(BROKER, timer_name(*order.timer)), world.broker, after)
                yield label, self._at(state, world._replace(clients=clients, broker=after))

    def _wait(self, state: Timed, loose: bool) -> int:
        """The number of ticks of one time step: to the next instant at which anything can happen; 0 if none.

        Between two such instants nothing reads a clock, so the omitted states differ only in the clocks. A
        step that may happen at any instant and sets a timer (`loose`) makes every tick such an instant; a
        crash or a pause does not: it can equally happen right after the last step.
        """
        world, clocks = state.world, state.clocks
        left = [order.due for order in world.broker.value.armed]
        under_way = False
        for cell, clock in zip(world.clients, clocks):
            if beats(cell.value) and (clock.beat > 0 or cell.value.run is Process.UP):
                under_way = under_way or clock.beat <= 0
                left.append(max(clock.beat, 1))
            left += [ticks for ticks in (clock.poll, clock.rest) if ticks > 0]
        if state.loads:
            left.append(state.loads)
        if not left:
            return 0
        return 1 if loose or under_way else min(left)

    def _pass(self, state: Timed, ticks: int) -> tuple[Action, Timed]:
        world = state.world
        clocks = tuple(waited(clock, cell.value, ticks) for clock, cell in zip(state.clocks, world.clients))
        later = world._replace(broker=self.context.brokers.wait(world.broker, ticks))
        action = Action("time", "passes", detail=f"{ticks} tick" + "s" * (ticks > 1))
        return action, Timed(later, clocks, max(state.loads - ticks, 0))

    # Steps possible at any instant.

    def _loose(self, state: Timed, now: _Steps) -> Iterator[tuple[Action, Timed]]:
        """Faults, starts, resumptions; a late client polls; a polling one may begin to process too long."""
        world, clocks = state.world, state.clocks
        faults: Faults = world.budget.value
        # A client's clock determines when it polls too late.
        if any(others := faults._replace(slow=0)):
            for action, after in self.faults.steps(world, others):
                yield action, self._at(state, after)
        for action, after in self.faults.starts(world):
            yield action, self._at(state, after)
        for c, (cell, clock) in enumerate(zip(world.clients, clocks)):
            name = f"c{c + 1}"
            mine = [(action, after) for action, after in now if action.actor == name]
            if clock.poll == LATE:
                for action, after in mine:
                    yield action, self._at(state, after, c, clock._replace(poll=POLLING))
            elif faults.slow and clock.poll == POLLING and _reads(cell.value) and not mine:
                less = world._replace(budget=self.context.spent(world.budget, "slow"))
                long = clock._replace(poll=self.timing.max_poll)
                yield Action(name, "processes for too long", fault=True), self._at(state, less, c, long)

    def _at(self, state: Timed, after: World, c: int = -1, clock: Clock = IDLE) -> Timed:
        """The state with the world `after`, at the same instant, and with client c's clock set to `clock`."""
        clocks = state.clocks if c < 0 else (*state.clocks[:c], clock, *state.clocks[c + 1 :])
        before = state.world.clients
        if after.clients is not before:
            clocks = tuple(
                shown if old is new else stepped(self.timing, shown, old.value, new.value)
                for shown, old, new in zip(clocks, before, after.clients)
            )
        moved = _loading(after) and not _loading(state.world)
        return Timed(after, clocks, self.timing.load if moved else state.loads)

    def polling(self, state: Timed) -> tuple[tuple[str, str], ...]:
        """Clients that run and poll, with the member ids that they believe they have."""
        return tuple(
            (f"c{c + 1}", cell.value.member_id)
            for c, (cell, clock) in enumerate(zip(state.world.clients, state.clocks))
            if cell.value.run is Process.UP and clock.poll == POLLING
        )


def _loading(world: World) -> bool:
    """Whether the coordinator has not read its log yet."""
    broker: CoordinatorHost = world.broker.value
    return broker.state.role is Role.LOADING


def _reads(client: ClassicClient | ConsumerClient) -> bool:
    """Whether `poll` may return records to the application."""
    return client.run is Process.UP and client.state in (ClassicState.STABLE, ConsumerState.STABLE)


def _matters(step: tuple[Action, Timed]) -> bool:
    """Whether the tick of this step matters: all but crashes and pauses set a timer or a clock."""
    return step[0].name not in ("crashes", "pauses")


class TimedConsumerModel(TimedModel):
    """Clients of KIP-848 on the clock."""

    @classmethod
    def over(
        cls,
        options: ModelOptions,
        timing: Timing,
        assign: Assign | None = None,
        targets: Targets = balanced_targets,
    ) -> Self:
        """The model with these options on the clock."""
        options = replace(options, loading=timing.load > 0)
        context = timed_context(options, timing, coordinator_config(options), targets)
        kinds = only_consumers(options)
        parts = consumer_parts(context, assign, kinds)
        return cls(ConsumerModel(options, parts=at_once(parts)), ConsumerFaults(context, kinds), timing)

    def _heartbeat(self, state: Timed, c: int) -> Iterator[tuple[Action, Timed]]:
        """One heartbeat: it arrives and is answered, or one of both is lost."""
        world, context, clock = state.world, self.context, state.clocks[c]
        config, faults = context.configs[c], world.budget.value
        client: ConsumerClient = world.clients[c].value
        turn = cm.heartbeat(config, c, client)
        assert turn is not None, "only those who beat send a heartbeat"
        after_sending, request = turn
        action = Action(f"c{c + 1}", "heartbeat", BROKER, self.inner.calls.talk.carried(request))
        beaten = sent(self.timing, clock)
        unheard = cm.failed(config, after_sending)
        if faults.loss and clock.beat >= 0:
            label = action._replace(fault=True, reply="lost before the coordinator")
            lost = context.move(label, client, unheard, world.broker, costs=LOST)
            yield label, self._moved(state, c, beaten, lost)
        for broker, mail in context.brokers.handle(world.broker, request, keeps_log=faults.failover > 0):
            (body,) = (reply for number, reply in mail if number == request.correlation_id)
            assert isinstance(body, ConsumerHeartbeatReply), "a heartbeat gets a heartbeat's reply"
            heard = cm.on_reply(config, after_sending, body)
            label = labelled(action, world.broker, broker)._replace(reply=self.inner.calls.talk.answer(body))
            shown = beaten if body.error == errors.NONE else beaten._replace(rest=BACKOFF)
            yield label, self._moved(state, c, shown, context.move(label, client, heard, broker))
            if faults.loss:
                label = label._replace(fault=True, reply="reply lost")
                lost = context.move(label, client, unheard, broker, costs=LOST)
                yield label, self._moved(state, c, beaten, lost)

    def _poll_expires(self, state: Timed, c: int) -> Iterator[tuple[Action, Timed]]:
        """max.poll.interval.ms is over: a member leaves."""
        world, late = state.world, state.clocks[c]._replace(poll=LATE)
        client: ConsumerClient = world.clients[c].value
        action = Action(f"c{c + 1}", "polls too late, leaves", BROKER)
        if client.state not in cm.MEMBER:
            yield action, self._at(state, world, c, late)
            return
        after = put(world, c, self.context.cell(cm.poll_expired(client)))
        for label, left in self.faults.leave(action, after, c, client):
            yield label, self._at(state, left, c, late)


class TimedClientSymmetry(GroupSymmetry[Timed]):
    """The representative of a world on a clock under all renamings of its clients (`ClientSymmetry`)."""

    def __init__(self, interner: Interner, order: RankOf = NUMBER) -> None:
        self._clients = ClientSymmetry(interner, order)

    def __call__(self, state: Timed) -> Timed:
        """The same, with its clients in an order that depends on no name."""
        return self.renamed(state, self.ways(state)[0].places)

    def ways(self, state: Timed) -> tuple[WorldRenaming, ...]:
        """All renamings to the representative."""
        return least(self._clients.ways(state.world), lambda way: _clocks(state, way.places))

    def deed(self, action: Action, way: WorldRenaming) -> Deed:
        """Actor and name of an action, every client under its new name."""
        return self._clients.deed(action, way)

    def renamed(self, state: Timed, places: Places) -> Timed:
        """The same with every client, and its clock, at its new position."""
        return state._replace(
            world=self._clients.world(state.world, WorldRenaming(places)), clocks=_clocks(state, places)
        )


def _clocks(state: Timed, places: Places) -> tuple[Clock, ...]:
    return tuple(state.clocks[c] for c in sources(places))
