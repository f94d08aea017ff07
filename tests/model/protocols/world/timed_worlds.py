"""Running a timed model by hand, and looking at one of its states without its times."""

from __future__ import annotations

from functools import cache
from typing import Any

from kassay.model.explore.states import Interned
from kassay.model.protocols.values import requests
from kassay.model.protocols.world.clock import Timing, timed_context
from kassay.model.protocols.world.context import World, options
from kassay.model.protocols.world.groups import (
    ClassicModel,
    ConsumerModel,
    classic_parts,
    consumer_parts,
    coordinator_config,
    only_consumers,
)
from kassay.model.protocols.world.timed import TimedConsumerModel, TimedModel


class EveryTick(TimedModel):
    """Time passes tick by tick, whether anything can happen or not."""

    def _wait(self, state, loose):
        return min(super()._wait(state, loose), 1)


class EveryConsumerTick(EveryTick, TimedConsumerModel):
    """The same for KIP-848."""


def timed(timing: Timing, kind: type[TimedModel] = EveryTick, mode: str = "eager", **more: Any) -> Any:
    return kind.over(options(mode, **more), timing)


def timeless(model: TimedModel) -> ClassicModel:
    """The model at T0 with the same options and times."""
    options, assign, config = model.options, model.inner.assign, coordinator_config(model.options)
    targets = model.context.brokers.targets
    context = timed_context(options, model.timing, config, targets, clocked=False)
    if isinstance(model, TimedConsumerModel):
        return ConsumerModel(options, parts=consumer_parts(context, assign, only_consumers(options)))
    return ClassicModel(options, parts=classic_parts(context, assign))


def losses_survived(session_timeout: int, heartbeat_interval: int, delay: int = 0) -> int:
    """How many heartbeats in a row may be lost before the session expires.

    `delay` is how much later than the last one that arrived the next one may come. A heartbeat that
    arrives at the very instant of the expiry is in time.
    """
    return max((session_timeout - delay) // heartbeat_interval - 1, 0)


# By hand.


def wait(model: Any, state: Any, ticks: int, but: tuple[str, ...] = ()) -> Any:
    """The state so many ticks later, all done that is due; steps whose text has a word of `but` are not taken."""
    while True:
        steps = [(a, s) for a, s in model.steps(state) if not a.fault and not any(w in str(a) for w in but)]
        due = [after for action, after in steps if action.actor != "time"]
        if due:
            state = due[0]
        elif not ticks or not steps:
            return state
        else:
            ((_, state),) = steps
            ticks -= 1


def group(state: Any) -> Any:
    return state.world.broker.value.state.group


def members(state: Any) -> set[str]:
    found = group(state)
    return {member.member_id for member in found.members} if found is not None else set()


def client(state: Any, number: int) -> Any:
    return state.world.clients[number - 1].value


def due(state: Any, kind: str, member: str = "") -> int | None:
    """How long a timer of the coordinator still runs, None if it is not armed."""
    armed = {order.timer: order.due for order in state.world.broker.value.armed}
    return armed.get(requests.Timer(kind, member))


# Without times.


@cache
def _plain(cell: Interned) -> Any:
    return plain(cell.value)


def plain(value: Any) -> Any:
    """The value without cells, so that values of two models compare."""
    if isinstance(value, Interned):
        return _plain(value)
    if not isinstance(value, tuple):
        return value
    items = [plain(item) for item in value]
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def forgetful(model: ClassicModel, world: World) -> World:
    """The world, in the model's own cells, without due times and without timers that do nothing.

    A parked JoinGroup or SyncGroup excuses its member: its session timer does nothing, and is armed anew
    with the reply. Neither does the timer of an id that is no longer registered. The budgets of lost
    heartbeats and late polls are left out too: at T0 no heartbeat gets lost, and being late is paid for
    when it shows. And so is who adopted a partition that nobody else believes to own any more, which a
    world forgets at its next local step.
    """
    found, _, excused = model.timers.watched(world)
    cell = model.context.cell
    broker = world.broker.value
    known = {m.member_id for m in found.members} if found is not None else set()
    known.update(getattr(found, "pending_join", ()))
    watched = {requests.Timer(requests.SESSION, member) for member in known - set(excused)}
    armed = sorted(
        (
            order._replace(due=0)
            for order in broker.armed
            if order.timer.kind != requests.SESSION or order.timer in watched
        ),
        key=lambda order: order.timer,
    )
    quiet = broker._replace(coordinator=cell(broker.coordinator.value), armed=tuple(armed))
    budget = world.budget.value._replace(loss=0, slow=0)
    adopted = tuple(
        (tp, last)
        for tp, last in world.adopted
        if any(tp in c.value.owned for number, c in enumerate(world.clients) if number != last)
    )
    return world._replace(
        adopted=adopted,
        clients=tuple(cell(c.value) for c in world.clients),
        broker=cell(quiet),
        image=cell(world.image.value),
        budget=cell(budget),
    )
