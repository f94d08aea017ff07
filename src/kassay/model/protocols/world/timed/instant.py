"""What a classic world on the clock leaves as it is at T0: the steps that take no time.

The setting with its times, what main threads and the log have to do at once, and faults. Heartbeats, timers
and lateness are the clock's (`world_timed`).
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore import Action, Interned
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.coordinator.brokers import Brokers
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.world.models.classic import ClassicModel
from kassay.model.protocols.world.networks.n0_atomic import Direct
from kassay.model.protocols.world.parts.faults import FaultSteps
from kassay.model.protocols.world.parts.setting import BROKER, World, WorldContext, WorldMove
from kassay.model.protocols.world.parts.timers import Timers
from kassay.model.protocols.world.timed.clock import Timing


def on_the_clock(setting: WorldContext, timing: Timing, *, clocked: bool = True) -> None:
    """Let the clients and the coordinator of a setting take their times from a `Timing`.

    Without `clocked` the coordinator forgets when its timers are due: the world at T0 with the same times.
    """
    brokers = setting.brokers
    config = brokers.config._replace(
        initial_rebalance_delay=timing.initial_delay,
        new_member_join_timeout=timing.new_member_timeout,
        consumer_session_timeout=timing.session,
        consumer_heartbeat_interval=timing.heartbeat,
    )
    setting.brokers = Brokers(config, setting.interner, brokers.targets, brokers.member_id, clocked=clocked)
    setting.configs = tuple(
        config._replace(session_timeout=timing.session, rebalance_timeout=timing.rebalance_timeout)
        for config in setting.configs
    )


class _Acknowledgements(Timers):
    """What the coordinator does of itself without a timer."""

    def steps(self, state: World) -> Iterator[tuple[Action, World]]:
        if not state.broker.value.waiting:
            return
        logged = state.budget.value.failover > 0
        for after, mail in self.setting.brokers.acknowledge(state.broker, keeps_log=logged):
            clients = self.setting.post(state.clients, mail)
            yield Action(BROKER, "the assignment is stored"), state._replace(clients=clients, broker=after)


class _Nothing(FaultSteps):
    """No faults and no starts."""

    def steps(self, state: World, faults: Faults) -> Iterator[tuple[Action, World]]:  # noqa: ARG002
        return iter(())

    def starts(self, state: World) -> Iterator[tuple[Action, World]]:  # noqa: ARG002
        return iter(())


class _MainThread(Direct):
    """What main threads send, at N0; heartbeats wait for their interval."""

    def heartbeat(
        self,
        c: int,  # noqa: ARG002
        client: ClassicClient,  # noqa: ARG002
        broker: Interned,  # noqa: ARG002
        faults: Faults,  # noqa: ARG002
    ) -> Iterator[WorldMove]:
        """None at will."""
        return iter(())

    def consumer_heartbeat(
        self,
        c: int,  # noqa: ARG002
        client: ConsumerClient,  # noqa: ARG002
        broker: Interned,  # noqa: ARG002
        faults: Faults,  # noqa: ARG002
    ) -> Iterator[WorldMove]:
        """None at will."""
        return iter(())


def at_once(model: ClassicModel) -> ClassicModel:
    """The model with only those steps that take no time and wait for nothing: main threads, and the log."""
    model.faults = _Nothing(model.setting)
    model.timers = _Acknowledgements(model.setting)
    model.calls = _MainThread(model.setting, model.assign)
    return model
