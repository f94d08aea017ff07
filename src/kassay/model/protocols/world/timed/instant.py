"""The steps that take no time, which a world on the clock shares with one without.

These are the steps that main threads and the log must take at once. The clock (`timed.classic`) handles
faults, heartbeats, timers and max.poll.interval.ms.
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore.graph import Action
from kassay.model.protocols.coordinator.brokers import Targets
from kassay.model.protocols.values.requests import Config
from kassay.model.protocols.world.models.classic import WorldParts
from kassay.model.protocols.world.networks.n0_atomic import Direct
from kassay.model.protocols.world.parts.context import BROKER, ModelOptions, World, WorldContext, config_of
from kassay.model.protocols.world.parts.timers import Timers
from kassay.model.protocols.world.timed.clock import Timing


def timed_context(
    options: ModelOptions, timing: Timing, config: Config, targets: Targets, *, clocked: bool = True
) -> WorldContext:
    """The context of a world whose clients and coordinator take their times from a `Timing`.

    Without `clocked` the coordinator drops the due times of its timers: the same times, and no clock.
    """
    config = config._replace(
        initial_rebalance_delay=timing.initial_delay,
        new_member_join_timeout=timing.new_member_timeout,
        consumer_session_timeout=timing.session,
        consumer_heartbeat_interval=timing.heartbeat,
        assignment_interval=timing.interval,
    )
    configs = tuple(
        config_of(options, c)._replace(
            session_timeout=timing.session, rebalance_timeout=timing.rebalance_timeout
        )
        for c in range(options.members)
    )
    return WorldContext(options, config, targets, configs, clocked=clocked)


class _Acknowledgements(Timers):
    """The coordinator's own steps that need no timer."""

    def steps(self, state: World) -> Iterator[tuple[Action, World]]:
        if not state.broker.value.waiting:
            return
        logged = state.budget.value.failover > 0
        for after, mail in self.context.brokers.acknowledge(state.broker, keeps_log=logged):
            clients = self.context.post(state.clients, mail)
            yield Action(BROKER, "the assignment is stored"), state._replace(clients=clients, broker=after)


def at_once(parts: WorldParts) -> WorldParts:
    """The parts of a world with only those steps that take no time and wait for nothing."""
    context = parts.context
    calls = Direct(context, parts.assign, beats=False)
    return parts._replace(calls=calls, timers=_Acknowledgements(context), faults=None)
