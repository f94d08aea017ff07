"""What a classic world on the clock leaves as it is at T0: the steps that take no time.

The setting with its times, what main threads and the log have to do at once, and faults. Heartbeats, timers
and lateness are the clock's (`world_timed`).
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore import Action, Cell
from kassay.model.protocols import values as v
from kassay.model.protocols.broker import Brokers
from kassay.model.protocols.client_classic_values import Assign, Client
from kassay.model.protocols.clock import Timing
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.world import BROKER, Move, Options, Setting, World
from kassay.model.protocols.world_calls import Direct
from kassay.model.protocols.world_classic import ClassicModel
from kassay.model.protocols.world_faults import FaultSteps
from kassay.model.protocols.world_timers import Timers


class TimedSetting(Setting):
    """The setting in which clients and coordinator take their times from a `Timing`.

    Without `clocked` the coordinator forgets when its timers are due: the world at T0 with the same times.
    """

    def __init__(self, options: Options, timing: Timing, *, clocked: bool = True) -> None:
        config = v.Config(
            initial_rebalance_delay=timing.initial_delay,
            new_member_join_timeout=timing.new_member_timeout,
            switches=options.switches,
        )
        super().__init__(options, config, lambda _: ())
        self.brokers = Brokers(config, self.interner, lambda _: (), self.member_id, clocked=clocked)
        self.configs = tuple(
            config._replace(session_timeout=timing.session, rebalance_timeout=timing.rebalance_timeout)
            for config in self.configs
        )


class _Acknowledgements(Timers):
    """What the coordinator does of itself without a timer."""

    def steps(self, state: World) -> Iterator[tuple[Action, World]]:
        if not state.broker.value.unanswered:
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

    def heartbeat(self, c: int, client: Client, broker: Cell, faults: Faults) -> Iterator[Move]:  # noqa: ARG002
        """None at will."""
        return iter(())


class AtOnce(ClassicModel):
    """The steps of T0 that take no time and wait for nothing: what main threads and the log have to do."""

    def __init__(self, options: Options, assign: Assign | None, setting: Setting) -> None:
        super().__init__(options, assign, setting=setting, faults=_Nothing(setting))
        self.timers = _Acknowledgements(setting)
        self.calls = _MainThread(setting, self.assign)


class TimedFaults(FaultSteps):
    """The faults of T0; that a member polls too late is left to its clock."""

    def slow(self, state: World, c: int, client: Client) -> Iterator[tuple[Action, World]]:  # noqa: ARG002
        """None without the clock."""
        return iter(())
