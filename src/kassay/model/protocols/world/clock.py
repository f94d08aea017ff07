"""The integer clock (T1): durations of everything, and each client's own clock.

All times are in ticks, and always counted from now: a clock holds what is left, so that a world in which
nothing happens any more comes back to a state that it was in. What main threads and the log have to do at
once takes no time, and goes as in a world without a clock (`at_once`). Faults, heartbeats, timers and
lateness are left to the clock (`world.timed`).
Source: `Heartbeat` and the heartbeat thread of `AbstractCoordinator` in the Java client.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from kassay.model.errors import InputError
from kassay.model.explore.values import Action
from kassay.model.protocols.clients.classic_state import ClassicClient, ClassicState
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.clients.consumer import MEMBER, ConsumerClient, ConsumerState
from kassay.model.protocols.coordinator.brokers import Targets
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.requests import Config
from kassay.model.protocols.world.context import BROKER, ModelOptions, World, WorldContext, config_of
from kassay.model.protocols.world.groups import WorldParts
from kassay.model.protocols.world.networks import Direct
from kassay.model.protocols.world.timers import Timers

TICKS_MAX: Final = 600
POLLING: Final = -1
LATE: Final = -2


@dataclass(frozen=True)
class Timing:
    """Durations in ticks.

    `session` and `heartbeat` are session.timeout.ms and heartbeat.interval.ms, `max_poll` is
    max.poll.interval.ms; `rebalance` is the rebalance timeout, 0 for that of a consumer, which is `max_poll`.
    `initial_delay` is group.initial.rebalance.delay.ms. A heartbeat arrives up to `delay` ticks after it was
    sent. A new coordinator takes `load` ticks to read its log. At least `interval` ticks separate two targets
    of a consumer group (group.consumer.assignment.interval.ms).
    """

    session: int = 6
    heartbeat: int = 2
    max_poll: int = 8
    rebalance: int = 0
    initial_delay: int = 0
    delay: int = 0
    load: int = 0
    interval: int = 0

    @property
    def rebalance_timeout(self) -> int:
        """The time that the coordinator waits for members to rejoin."""
        return self.rebalance or self.max_poll

    @property
    def new_member_timeout(self) -> int:
        """The maximum time for which a new member's JoinGroup is parked: longer than any join phase.

        In Kafka the defaults of both are 5 minutes, and the order of its timers decides which fires first.
        """
        return self.rebalance_timeout + 1

    def check(self) -> None:
        """Raises InputError, which names the option, for a time that is out of range."""
        for option, ticks, low in (
            ("session.timeout.ms", self.session, 1),
            ("heartbeat.interval.ms", self.heartbeat, 1),
            ("max.poll.interval.ms", self.max_poll, 1),
            ("rebalance.timeout.ms", self.rebalance, 0),
            ("group.initial.rebalance.delay.ms", self.initial_delay, 0),
            ("heartbeat.delay.ms", self.delay, 0),
            ("coordinator.load.ms", self.load, 0),
            ("group.consumer.assignment.interval.ms", self.interval, 0),
        ):
            if not low <= ticks <= TICKS_MAX:
                raise InputError(f"{option}: {ticks} is out of range; expected {low} to {TICKS_MAX} ticks")
        if self.heartbeat >= self.session:
            raise InputError(
                f"heartbeat interval {self.heartbeat} ticks: expected more than 0 and less than the session "
                f"timeout, {self.session} ticks"
            )
        if self.delay >= self.heartbeat:
            raise InputError(
                f"heartbeat.delay.ms: {self.delay} ticks; expected less than heartbeat.interval.ms, "
                f"{self.heartbeat} ticks"
            )

    def keeps_members(self, faults: Faults, *, static: bool = False) -> bool:
        """Whether no live polling member can be removed, whatever these faults do.

        After so many consecutive lost heartbeats, the next must still arrive before the session and the join
        phase end. A process that was paused, or a `static` one that was silent after exceeding
        max.poll.interval.ms, has used up part of its session: a SyncGroup to a stable group does not renew
        it, and its next heartbeat may be late.
        """
        late = (faults.loss + 1) * self.heartbeat + self.delay
        silent = faults.pause or (static and faults.slow)
        return late <= min(self.session, self.rebalance_timeout) and not silent


class Clock(NamedTuple):
    """One client's clock. `beat`: ticks until its next heartbeat is sent, 0 if it sends none.

    A negative value counts the ticks since the heartbeat in flight was sent. `poll`: ticks until
    max.poll.interval.ms is over, while the main thread processes records; POLLING while it is in `poll`, LATE
    if it still processes after the interval. `rest`: ticks until the main thread retries, after it found the
    coordinator loading.
    """

    beat: int = 0
    poll: int = POLLING
    rest: int = 0


IDLE: Final = Clock()
BACKOFF: Final = 1
"""The ticks that a client waits before a retry (retry.backoff.ms)."""


def hurries(client: ClassicClient | ConsumerClient) -> bool:
    """Whether the client heartbeats before its interval is over: to join, or to acknowledge (KIP-848)."""
    return client.state in (ConsumerState.JOINING, ConsumerState.ACKNOWLEDGING)


def beats(client: ClassicClient | ConsumerClient) -> bool:
    """Whether the client sends heartbeats, even if the process is paused."""
    up = client.run in (Process.UP, Process.PAUSED)
    if isinstance(client, ConsumerClient):
        return up and client.state in MEMBER
    return up and client.generation >= 0 and client.state in (ClassicState.COMPLETING, ClassicState.STABLE)


def stepped(
    timing: Timing,
    clock: Clock,
    before: ClassicClient | ConsumerClient,
    after: ClassicClient | ConsumerClient,
) -> Clock:
    """The clock after a step of its client: heartbeats begin with JoinGroup's reply."""
    if after.run not in (Process.UP, Process.PAUSED):
        return IDLE
    if not beats(after):
        return clock._replace(beat=0)
    if not beats(before):
        return clock._replace(beat=timing.heartbeat)
    if after.run is Process.PAUSED:
        # A heartbeat in flight is sent again, late as it is, when the process resumes.
        return clock._replace(beat=max(clock.beat, 0))
    return clock


def waited(clock: Clock, client: ClassicClient | ConsumerClient, ticks: int) -> Clock:
    """The clock so many ticks later. A paused process handles what fell due when it resumes."""
    beat = clock.beat - ticks if beats(client) else 0
    if client.run is Process.PAUSED:
        beat = max(beat, 0)
    poll = max(clock.poll - ticks, 0) if clock.poll >= 0 else clock.poll
    return Clock(beat, poll, max(clock.rest - ticks, 0))


def sent(timing: Timing, clock: Clock) -> Clock:
    """The clock after the heartbeat arrived: the interval starts when it was sent."""
    return clock._replace(beat=timing.heartbeat + min(clock.beat, 0))


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
