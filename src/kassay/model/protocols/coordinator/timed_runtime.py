"""A broker around the coordinator: a clock, timers, a log that may acknowledge late, and writes that fail.

Pure as well: `Broker` is a value, and every function returns the next one with what happened. The
conformance check runs the genuine traces through it, and timed scenarios use it; the explorer, which
has no clock, drives `coordinator.step` itself.
Source: `CoordinatorRuntime` (write operations, the deferred event queue, timers, unloading).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from kassay.model.protocols.coordinator.classic.rebalance import write_error
from kassay.model.protocols.coordinator.step import (
    CoordinatorStep,
    Event,
    Load,
    Unload,
    error_reply,
    step,
)
from kassay.model.protocols.values.choices import Choices
from kassay.model.protocols.values.groups import Continuation, CoordinatorState, Persist, Persisted
from kassay.model.protocols.values.records import Log, LogRecord, compact
from kassay.model.protocols.values.requests import (
    Config,
    Reply,
    Request,
    SetTimer,
    Timer,
    TimerFired,
)
from kassay.model.protocols.values.timers import Armed, after, without

Waiting: TypeAlias = Reply | Continuation


class Broker(NamedTuple):
    """A coordinator with everything around it; `now` in ms.

    `log` holds what is acknowledged, `unacknowledged` what is appended but not yet. `waiting` is what
    follows once all of that is acknowledged; it comes in order of appending.
    """

    coordinator: CoordinatorState = CoordinatorState()
    armed: Armed = ()
    now: int = 0
    log: Log = ()
    unacknowledged: tuple[LogRecord, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    deferring: bool = False
    durable: int = 0


class Happened(NamedTuple):
    """What one call brought about, in order."""

    broker: Broker
    replies: tuple[Reply, ...] = ()
    records: tuple[LogRecord, ...] = ()
    fired: tuple[Timer, ...] = ()


Machine: TypeAlias = Callable[[Config, CoordinatorState, Event, Choices], CoordinatorStep]
"""Something that steps as `coordinator.step` does."""


class Run:
    """One call on a broker under way."""

    def __init__(self, runtime: Runtime, broker: Broker, choices: Choices) -> None:
        self.runtime = runtime
        self.broker = broker
        self.choices = choices
        self.replies: list[Reply] = []
        self.records: list[LogRecord] = []
        self.fired: list[Timer] = []

    def done(self) -> Happened:
        """What came of it."""
        return Happened(self.broker, tuple(self.replies), tuple(self.records), tuple(self.fired))

    def step(self, event: Event, write_fails: str = "") -> None:
        """Let the coordinator take one step, and carry out its outputs."""
        runtime = self.runtime
        result = runtime.machine(runtime.config, self.broker.coordinator, event, self.choices)
        armed = after(self.broker.armed, result.outputs)
        self.broker = self.broker._replace(coordinator=result.state, armed=armed)
        writes = any(isinstance(output, Persist) and output.records for output in result.outputs)
        failed = write_fails if writes else ""
        for output in result.outputs:
            if isinstance(output, Persist):
                self._append(output, failed)
            elif isinstance(output, Reply):
                self._answer(output, event, failed)

    def _answer(self, reply: Reply, event: Event, failed: str) -> None:
        broker = self.broker
        if failed and reply.when_durable and isinstance(event, Request):
            self.replies.append(Reply(reply.request, error_reply(event, write_error(failed))))
        elif reply.when_durable and broker.unacknowledged:
            self.broker = broker._replace(waiting=(*broker.waiting, reply))
        else:
            self.replies.append(reply)

    def _append(self, persist: Persist, failed: str) -> None:
        """Append, or fail: then nothing was written, and the coordinator is told."""
        broker, records = self.broker, persist.records
        if failed:
            self.step(Persisted(persist.then, failed, persist.undo, broker.now))
            return
        self.records += records
        if broker.deferring:
            broker = broker._replace(unacknowledged=broker.unacknowledged + records)
        else:
            broker = broker._replace(log=compact(broker.log, records), durable=broker.durable + len(records))
        if persist.then is not None and broker.unacknowledged:
            broker = broker._replace(waiting=(*broker.waiting, persist.then))
        self.broker = broker
        if persist.then is not None and not broker.unacknowledged:
            self.step(Persisted(persist.then, now=broker.now))

    def release(self) -> None:
        """Everything appended is acknowledged; tell who waited for it."""
        broker = self.broker
        lasting = broker.unacknowledged
        self.broker = broker._replace(
            log=compact(broker.log, lasting),
            durable=broker.durable + len(lasting),
            unacknowledged=(),
            waiting=(),
            deferring=False,
        )
        for item in broker.waiting:
            if isinstance(item, Reply):
                self.replies.append(item)
            else:
                self.step(Persisted(item, now=broker.now))


def _earliest(due: Armed) -> SetTimer:
    return due[0]


class Runtime(NamedTuple):
    """How brokers run: with which configuration, and which coordinator."""

    config: Config = Config()
    machine: Machine = step

    def deliver(self, broker: Broker, event: Event, choices: Choices, write_fails: str = "") -> Happened:
        """Hand over a request or a new image; with `write_fails`, its append fails with that error."""
        run = Run(self, broker, choices)
        run.step(event, write_fails)
        return run.done()

    def advance(
        self, broker: Broker, millis: int, choices: Choices, first: Callable[[Armed], SetTimer] = _earliest
    ) -> Happened:
        """Let time pass, but no further than to the first instant at which a timer is due; fire those.

        `first` picks which of several timers due at one instant fires first: the one armed earliest,
        unless told otherwise.
        """
        now = broker.now + millis
        if broker.armed:
            now = min(now, max(broker.armed[0].due, broker.now))
        run = Run(self, broker._replace(now=now), choices)
        while due := tuple(order for order in run.broker.armed if order.due <= now):
            order = first(due)
            run.broker = run.broker._replace(armed=without(run.broker.armed, order))
            run.fired.append(order.timer)
            run.step(TimerFired(order.timer, order.payload, now))
        return run.done()

    def flush(self, broker: Broker, choices: Choices) -> Happened:
        """Acknowledge everything that was appended, and end `defer`."""
        run = Run(self, broker, choices)
        run.release()
        return run.done()

    def reload(self, broker: Broker, choices: Choices) -> Happened:
        """Fail over: the old coordinator answers what is parked, a new one reads what was acknowledged.

        What waited for an acknowledgement is never answered.
        """
        run = Run(self, broker._replace(unacknowledged=(), waiting=(), deferring=False), choices)
        run.step(Unload(broker.now))
        run.broker = run.broker._replace(armed=())
        run.step(Load(broker.log, broker.now))
        return run.done()


def defer(broker: Broker) -> Broker:
    """From now on appended records stay unacknowledged, until `flush`."""
    return broker._replace(deferring=True)
