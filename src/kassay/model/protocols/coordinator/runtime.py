"""One group's coordinator with its environment, and the execution of its outputs.

`CoordinatorHost` is a value: the coordinator's state, armed timers, log, unacknowledged writes, and what
waits for these. The present is always 0: the due time of an armed timer is its remaining time.
`CoordinatorCall` takes steps and carries out their outputs, both for `ClockedRuntime`, which replays genuine
traces, and for `Brokers`, which the explorer uses. Source: `CoordinatorRuntime` (write operations, the
deferred event queue, timers, unloading).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, Protocol, TypeAlias

from kassay.model.explore.states import Interned, Interner, constant
from kassay.model.protocols.coordinator.classic.rebalance import write_error
from kassay.model.protocols.coordinator.step import CoordinatorStep, Event, LoadAsLeft, Output, Unload, step
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.choices import Choices
from kassay.model.protocols.values.groups import (
    Continuation,
    CoordinatorState,
    Persist,
    Persisted,
    ReplacedStatic,
)
from kassay.model.protocols.values.marks import RequestId
from kassay.model.protocols.values.records import Background, Log, LogHistory, LogRecord, compact
from kassay.model.protocols.values.streams import INITIAL_REBALANCE, STREAMS_SESSION

NO_HISTORY: Final = constant(LogHistory())
NOT_RETRIED: Final = frozenset({*requests.OF_CLASSIC_GROUPS, INITIAL_REBALANCE})
"""All other timers are armed once more if their write fails."""


class CoordinatorHost(NamedTuple):
    """`coordinator` is interned separately, since many hosts differ only in timers and log.

    `log` holds acknowledged records, `unacknowledged` the appended ones that are not acknowledged yet, as all
    are while `deferring`. `waiting` has the continuations after acknowledgement, in order of appending.
    `history`, an interned `LogHistory`, is what a cleaner may have left of the log, if that is tracked.
    """

    coordinator: Interned
    armed: requests.Armed = ()
    log: Log = ()
    unacknowledged: tuple[LogRecord, ...] = ()
    waiting: tuple[requests.Reply | Continuation, ...] = ()
    deferring: bool = False
    history: Interned = NO_HISTORY

    @property
    def state(self) -> CoordinatorState:
        """The coordinator's own state."""
        state: CoordinatorState = self.coordinator.value
        return state

    def without(self, order: requests.SetTimer) -> CoordinatorHost:
        """The host after a timer has fired."""
        return self._replace(armed=tuple(other for other in self.armed if other.timer != order.timer))

    def later(self, ticks: int) -> CoordinatorHost:
        """The host so many ticks later."""
        return self._replace(armed=tuple(order._replace(due=order.due - ticks) for order in self.armed))

    def deserted(self) -> CoordinatorHost:
        """The host when the coordinator moves: no timer is armed, unacknowledged records are lost."""
        return self._replace(armed=(), unacknowledged=(), waiting=(), deferring=False)


Result: TypeAlias = tuple[Interned, tuple[Output, ...]]
"""The coordinator's cell after a step, and its outputs."""


class Runtime(Protocol):
    """What differs between the runtimes of a coordinator."""

    @property
    def config(self) -> requests.Config:
        """The configuration of the coordinator."""

    def result(self, host: CoordinatorHost, event: Event) -> Result:
        """The coordinator's step."""

    @property
    def arranged(self) -> Callable[[requests.Armed], requests.Armed]:
        """How this runtime stores armed timers, ordered by due time."""

    def holds(self, then: Continuation) -> bool:
        """Whether the continuation waits although its records are acknowledged."""

    def recorded(self, history: Interned, records: tuple[LogRecord, ...]) -> Interned:
        """The log as a cleaner may have left it, after appending these records."""


class CoordinatorCall:
    """One call of a coordinator in progress: `host` is the current result."""

    __slots__ = ("acknowledged", "fired", "host", "keeps_log", "lost", "records", "replies", "runtime")

    def __init__(self, runtime: Runtime, host: CoordinatorHost, *, keeps_log: bool = True) -> None:
        self.runtime = runtime
        self.host = host
        self.keeps_log = keeps_log
        self.replies: list[requests.Reply] = []
        self.records: list[LogRecord] = []
        self.lost: list[LogRecord] = []
        self.fired: list[requests.Timer] = []
        self.acknowledged = 0

    def take(self, event: Event, write_fails: str = "") -> None:
        """Take one coordinator step; with `write_fails`, its append fails with that error."""
        self.carry_out(self.runtime.result(self.host, event), event, write_fails)

    def carry_out(self, result: Result, event: Event, write_fails: str = "") -> None:
        """Carry out a step: timers, log, replies, and continuations of acknowledged or failed writes.

        A failed write undoes no timer. A timer whose write failed is armed again, unless it is one of
        `NOT_RETRIED`.
        """
        coordinator, outputs = result
        before = self.host
        armed = rearmed(before.armed, outputs)
        if armed is not before.armed:
            armed = self.runtime.arranged(armed)
        self.host = CoordinatorHost(coordinator, armed, *before[2:])
        failed = write_fails
        if failed and not appends(outputs):
            failed = ""
        follow: list[Persisted] = []
        durable: list[requests.Reply] = []
        for output in outputs:
            if isinstance(output, requests.Reply):
                if output.when_durable:
                    durable.append(output)
                else:
                    self.replies.append(output)
            elif isinstance(output, Persist):
                if failed:
                    self.lost += output.records
                    follow.append(Persisted(output.then, failed, output.undo, output.left_topics))
                else:
                    follow += self._append(output)
        # A reply that waits for the writes of its step waits for all of them, whatever its position.
        for reply in durable:
            self._answer(reply, event, failed)
        for stored in follow:
            self.take(stored)
        if failed and isinstance(event, requests.TimerFired):
            self._retry(event)

    def _retry(self, event: requests.TimerFired) -> None:
        """Arm a timer again whose write failed."""
        dropped = "failed_expiry_dropped" in self.runtime.config.switches
        if event.timer.kind not in NOT_RETRIED and not dropped:
            again = requests.SetTimer(event.timer, requests.RETRY_BACKOFF, event.payload)
            self.host = self.host._replace(armed=self.runtime.arranged(rearmed(self.host.armed, (again,))))

    def _answer(self, reply: requests.Reply, event: Event, failed: str) -> None:
        """Send a reply that needs durability, or the error of the failed write."""
        host = self.host
        if failed and isinstance(event, requests.Request):
            self.replies.append(
                requests.Reply(reply.correlation_id, requests.error_reply(event, write_error(failed)))
            )
        elif host.unacknowledged:
            self.host = host._replace(waiting=(*host.waiting, reply))
        else:
            self.replies.append(reply)

    def _append(self, persist: Persist) -> tuple[Persisted, ...]:
        """Append; returns the immediate continuations."""
        host, records, then = self.host, persist.records, persist.then
        self.records += records
        if host.deferring:
            host = self.host = host._replace(unacknowledged=host.unacknowledged + records)
        else:
            self._acknowledge(records)
        if then is None:
            return ()
        if host.unacknowledged or self.runtime.holds(then):
            self.host = self.host._replace(waiting=(*host.waiting, then))
            return ()
        return (Persisted(then),)

    def _acknowledge(self, records: tuple[LogRecord, ...]) -> None:
        self.acknowledged += len(records)
        if self.keeps_log and records:
            host = self.host
            history = self.runtime.recorded(host.history, records)
            self.host = host._replace(log=compact(host.log, records), history=history)

    def release(self) -> None:
        """Acknowledge everything appended and run the continuations."""
        host = self.host
        self.host = host._replace(unacknowledged=(), waiting=(), deferring=False)
        self._acknowledge(host.unacknowledged)
        for item in host.waiting:
            if isinstance(item, requests.Reply):
                self.replies.append(item)
            else:
                self.take(Persisted(item))

    def abandon(self, behind: Mapping[RequestId, requests.ReplyBody]) -> frozenset[RequestId]:
        """The coordinator moves: what waits for acknowledgement gets an error. Returns the requests answered.

        `behind` are requests that wait without having an answer yet, with the error that each gets. A static
        member that returned gets it with the group's generation, as after any failed write.
        """
        waiting = self.host.waiting
        self.host = self.host._replace(unacknowledged=(), waiting=())
        for item in waiting:
            if isinstance(item, ReplacedStatic):
                self.take(Persisted(item, _MOVED))
        answered = {reply.correlation_id for reply in self.replies}
        replies = [item for item in waiting if isinstance(item, requests.Reply)]
        ended = {**behind, **{item.correlation_id: _refused(item.body) for item in replies}}
        self.replies += [
            requests.Reply(request, body) for request, body in ended.items() if request not in answered
        ]
        return frozenset((*ended, *answered))


_MOVED: Final = "NOT_LEADER_OR_FOLLOWER"
"""The error of a write whose coordinator moves."""


def _refused(body: requests.ReplyBody) -> requests.ReplyBody:
    """The answer to the same request when its write has failed because the coordinator moves."""
    error = write_error(_MOVED)
    if isinstance(body, requests.JoinGroupReply):
        return requests.JoinGroupReply(error, requests.UNKNOWN_MEMBER)
    return type(body)(error)


def appends(outputs: Iterable[Output]) -> bool:
    """Whether a step writes anything, so that its write can fail."""
    return any(isinstance(output, Persist) and output.records for output in outputs)


_SAME_KEY: Final = {requests.CONSUMER_SESSION: STREAMS_SESSION, STREAMS_SESSION: requests.CONSUMER_SESSION}
"""Timers to which Kafka gives one key: a member of either kind of group has one of the two."""


def rearmed(armed: requests.Armed, outputs: Iterable[Output]) -> requests.Armed:
    """The armed timers after the `SetTimer` and `CancelTimer` among the outputs are carried out."""
    orders = {order.timer: order for order in armed}
    changed = False
    for output in outputs:
        if isinstance(output, requests.SetTimer):
            if output.if_absent and output.timer in orders:
                continue
            orders.pop(output.timer, None)
            if other := _SAME_KEY.get(output.timer.kind):
                orders.pop(output.timer._replace(kind=other), None)
            orders[output.timer] = output._replace(if_absent=False) if output.if_absent else output
            changed = True
        elif isinstance(output, requests.CancelTimer):
            changed = orders.pop(output.timer, None) is not None or changed
            if other := _SAME_KEY.get(output.timer.kind):
                changed = orders.pop(output.timer._replace(kind=other), None) is not None or changed
    return tuple(sorted(orders.values(), key=_due)) if changed else armed


def _due(order: requests.SetTimer) -> int:
    return order.due


def as_armed(armed: requests.Armed) -> requests.Armed:
    """Armed timers by due time; at one instant, in the order of arming."""
    return armed


def timeless(armed: requests.Armed) -> requests.Armed:
    """Armed timers without a clock: by kind and member, without due times."""
    orders = [order._replace(due=0) if order.due else order for order in armed]
    return tuple(sorted(orders, key=lambda order: order.timer))


def by_due(armed: requests.Armed) -> requests.Armed:
    """Armed timers by due time, at one instant by name: which of those fires first is left open."""
    return tuple(sorted(armed, key=lambda order: (order.due, order.timer)))


class Happened(NamedTuple):
    """The results of one call, in order; `elapsed` time, and the number of acknowledged records.

    `lost` are the records whose write failed.
    """

    host: CoordinatorHost
    replies: tuple[requests.Reply, ...] = ()
    records: tuple[LogRecord, ...] = ()
    fired: tuple[requests.Timer, ...] = ()
    elapsed: int = 0
    acknowledged: int = 0
    lost: tuple[LogRecord, ...] = ()


CoordinatorTarget: TypeAlias = Callable[[requests.Config, CoordinatorState, Event, Choices], CoordinatorStep]
"""Anything that steps as `coordinator.step` does."""


def _earliest(due: requests.Armed) -> requests.SetTimer:
    return due[0]


class ClockedRuntime:
    """A coordinator in real milliseconds: a single outcome per event, selected by `choices`."""

    arranged = staticmethod(as_armed)

    def __init__(self, config: requests.Config, choices: Choices, target: CoordinatorTarget = step) -> None:
        self.config = config
        self.choices = choices
        self.target = target
        self._cell = Interner().cell
        self._behind: dict[RequestId, requests.ReplyBody] = {}

    def first(self, image: requests.Image) -> CoordinatorHost:
        """A coordinator without any knowledge of the group."""
        state = CoordinatorState(image=image, now=0, background=Background(1, 1))
        return CoordinatorHost(self._cell(state))

    def result(self, host: CoordinatorHost, event: Event) -> Result:
        """The coordinator's step."""
        delaying = any(order.timer.kind == INITIAL_REBALANCE for order in host.armed)
        state = host.state._replace(background=host.state.background._replace(delaying=delaying))
        after = self.target(self.config, state, event, self.choices)
        return self._cell(after.state), after.outputs

    def holds(self, then: Continuation) -> bool:  # noqa: ARG002 - only `deferring` delays
        """Never."""
        return False

    def recorded(self, history: Interned, records: tuple[LogRecord, ...]) -> Interned:
        """All that was ever appended: no cleaner runs."""
        kept: LogHistory = history.value
        return Interned(LogHistory((*kept.batches, records)))

    def deliver(self, host: CoordinatorHost, event: Event, write_fails: str = "") -> Happened:
        """Deliver a request or a new image; with `write_fails`, its append fails with that error."""
        call = CoordinatorCall(self, host)
        call.take(event, write_fails)
        if isinstance(event, requests.JoinGroup | requests.SyncGroup) and call.host.unacknowledged:
            error = write_error(_MOVED)
            self._behind[event.correlation_id] = requests.error_reply(event, error)
        return self._happened(call)

    def advance(
        self,
        host: CoordinatorHost,
        millis: int,
        first: Callable[[requests.Armed], requests.SetTimer] = _earliest,
        write_fails: str = "",
    ) -> Happened:
        """Let time pass, at most to the first instant at which a timer is due; fire the timers due then.

        `first` selects which of several timers due at one instant fires first: by default the one armed
        earliest. With `write_fails`, the append of each fails with that error.
        """
        elapsed = min(millis, max(host.armed[0].due, 0)) if host.armed else millis
        state = host.state._replace(now=host.state.now + elapsed)
        call = CoordinatorCall(self, host.later(elapsed)._replace(coordinator=self._cell(state)))
        while due := tuple(order for order in call.host.armed if order.due <= 0):
            order = first(due)
            call.host = call.host.without(order)
            call.fired.append(order.timer)
            call.take(requests.TimerFired(order.timer, order.payload), write_fails)
        return self._happened(call, elapsed)

    def flush(self, host: CoordinatorHost) -> Happened:
        """Acknowledge everything that was appended, and end `deferring`."""
        call = CoordinatorCall(self, host)
        self._behind = {}
        call.release()
        return self._happened(call)

    def reload(self, host: CoordinatorHost, *, ends_writes: bool = False) -> Happened:
        """Fail over: the old coordinator answers parked requests, a new one reads acknowledged records.

        With `ends_writes` the old one also answers the requests that wait for acknowledgement.
        """
        call = CoordinatorCall(self, host)
        ended = call.abandon(self._behind) if ends_writes else frozenset()
        self._behind = {}
        call.host = call.host.deserted()
        call.take(Unload(ended))
        history: LogHistory = host.history.value
        call.take(LoadAsLeft(tuple(record for batch in history.batches for record in batch)))
        return self._happened(call)

    def _happened(self, call: CoordinatorCall, elapsed: int = 0) -> Happened:
        for reply in call.replies:
            self._behind.pop(reply.correlation_id, None)
        replies, records, fired = tuple(call.replies), tuple(call.records), tuple(call.fired)
        return Happened(call.host, replies, records, fired, elapsed, call.acknowledged, tuple(call.lost))
