"""One group's coordinator as the explored worlds hold it: a value, and every outcome of an event.

Around `coordinator.step` go the armed timers (without a clock: kinds and members), the compacted log,
and the writes that are not acknowledged yet. On a clock (T1) it is always now, which is 0: an armed
timer's due time says how long it has still to run, so that worlds that differ only in the date are one.
All outcomes are remembered by (broker, event): a walk meets the same pair thousands of times.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from kassay.model.explore import Interned, Interner
from kassay.model.protocols.coordinator.step import Event, Load, Output, Unload, step
from kassay.model.protocols.values import requests as v
from kassay.model.protocols.values import timers
from kassay.model.protocols.values.choices import Target, TargetAsk, outcomes
from kassay.model.protocols.values.groups import (
    COMPLETING,
    ClassicGroup,
    Continuation,
    CoordinatorState,
    Persist,
    Persisted,
    Role,
    StoredAssignment,
)
from kassay.model.protocols.values.records import Log, compact
from kassay.model.protocols.values.requests import Config, JoinGroup, Reply, ReplyBody, SetTimer, TimerFired


class CoordinatorHost(NamedTuple):
    """`coordinator` is interned by itself, since many brokers differ only in timers and log."""

    coordinator: Interned
    armed: timers.Armed = ()
    log: Log = ()
    unanswered: tuple[Continuation, ...] = ()

    @property
    def state(self) -> CoordinatorState:
        """The coordinator's own state."""
        state: CoordinatorState = self.coordinator.value
        return state


Mail: TypeAlias = tuple[tuple[int, ReplyBody], ...]
"""Replies by the number of the request that they answer."""

Outcome: TypeAlias = tuple[Interned, Mail]
"""A broker's cell and the replies."""

Result: TypeAlias = tuple[Interned, tuple[Output, ...]]
"""The coordinator's cell after a step, and what it told to do."""


class Brokers:
    """All that the model's broker can do; cells hold `CoordinatorHost` values.

    `keeps_log` is off where no failover can happen any more: then the log is never read. `split_sync`
    leaves the leader's SyncGroup unanswered after the write, so that a failover can fall between.
    `clocked` keeps the due times of timers, which otherwise are forgotten.
    """

    def __init__(
        self,
        config: Config,
        interner: Interner,
        targets: object,
        member_id: object,
        *,
        split_sync: bool = True,
        clocked: bool = False,
    ) -> None:
        self.config = config
        self.interner = interner
        self.targets = targets
        self.member_id = member_id
        self.split_sync = split_sync
        self._tidy = _by_due if clocked else _timeless
        self._seen: dict[tuple[Interned, Event, bool], tuple[Outcome, ...]] = {}
        self._stepped: dict[tuple[Interned, Event], tuple[Result, ...]] = {}

    def first(self, image: v.Image) -> Interned:
        """A broker that has never heard of the group."""
        return self.interner.cell(CoordinatorHost(self.interner.cell(CoordinatorState(image=image))))

    def handle(self, cell: Interned, event: Event, *, keeps_log: bool = True) -> tuple[Outcome, ...]:
        """Every outcome of an event, duplicates merged, in the order of the choices."""
        key = (cell, event, keeps_log)
        found = self._seen.get(key)
        if found is None:
            broker: CoordinatorHost = cell.value
            found = self._seen[key] = tuple(
                dict.fromkeys(
                    self._settle(broker, result, keeps_log) for result in self._results(broker, event)
                )
            )
        return found

    def _results(self, broker: CoordinatorHost, event: Event) -> tuple[Result, ...]:
        """What the coordinator may do about an event; only a request for a member id reads more than it."""
        if isinstance(event, JoinGroup) and not event.member:
            return self._outcomes(broker, event)
        key = (broker.coordinator, event)
        found = self._stepped.get(key)
        if found is None:
            found = self._stepped[key] = self._outcomes(broker, event)
        return found

    def _outcomes(self, broker: CoordinatorHost, event: Event) -> tuple[Result, ...]:
        def targets(ask: TargetAsk) -> tuple[Target, ...]:
            return self.targets(ask)  # type: ignore[operator, no-any-return]

        def member_id(prefix: str) -> str:
            return self.member_id(broker, prefix)  # type: ignore[operator, no-any-return]

        steps = outcomes(lambda ch: step(self.config, broker.state, event, ch), targets, member_id)
        return tuple((self.interner.cell(found.state), found.outputs) for found in steps)

    def _settle(self, broker: CoordinatorHost, result: Result, keeps_log: bool) -> Outcome:
        """Carry out the outputs: timers, log, replies, and what follows an acknowledged write."""
        mail: list[tuple[int, ReplyBody]] = []
        while True:
            coordinator, outputs = result
            armed = timers.after(broker.armed, outputs)
            armed = armed if armed is broker.armed else self._tidy(armed)
            broker = CoordinatorHost(coordinator, armed, broker.log, broker.unanswered)
            follow: list[Continuation] = []
            for output in outputs:
                if isinstance(output, Reply):
                    mail.append((output.request, output.body))
                elif isinstance(output, Persist):
                    if keeps_log:
                        broker = broker._replace(log=compact(broker.log, output.records))
                    if output.then is not None:
                        follow.append(output.then)
            if not follow:
                return self.interner.cell(_current(broker)), tuple(mail)
            (then,) = follow
            if self.split_sync and isinstance(then, StoredAssignment):
                return self.interner.cell(broker._replace(unanswered=(then,))), tuple(mail)
            (result,) = self._results(broker, Persisted(then))

    def acknowledge(self, cell: Interned, *, keeps_log: bool = True) -> tuple[Outcome, ...]:
        """The leader's stored assignment is answered at last."""
        broker: CoordinatorHost = cell.value
        (then,) = broker.unanswered
        answered = self.interner.cell(broker._replace(unanswered=()))
        return self.handle(answered, Persisted(then), keeps_log=keeps_log)

    def fire(self, cell: Interned, timer: SetTimer, *, keeps_log: bool = True) -> tuple[Outcome, ...]:
        """A timer is due."""
        broker: CoordinatorHost = cell.value
        disarmed = broker._replace(armed=timers.without(broker.armed, timer))
        return self.handle(
            self.interner.cell(disarmed), TimerFired(timer.timer, timer.payload), keeps_log=keeps_log
        )

    def wait(self, cell: Interned, ticks: int) -> Interned:
        """The broker so many ticks later; none of its timers may be due before."""
        broker: CoordinatorHost = cell.value
        armed = tuple(order._replace(due=order.due - ticks) for order in broker.armed)
        return self.interner.cell(broker._replace(armed=armed)) if armed else cell

    def fail_over(self, cell: Interned, *, keeps_log: bool = True, loads: bool = True) -> Outcome:
        """The coordinator moves: parked requests get NOT_COORDINATOR, the next one reads the log.

        Without `loads` it has not yet read it, and answers COORDINATOR_LOAD_IN_PROGRESS until `load`.
        """
        broker: CoordinatorHost = cell.value
        quiet = self.interner.cell(broker._replace(unanswered=(), armed=()))
        ((unloaded, mail),) = self.handle(quiet, Unload())
        old: CoordinatorHost = unloaded.value
        waiting = CoordinatorState(image=broker.state.image, role=Role.LOADING)
        fresh = self.interner.cell(old._replace(coordinator=self.interner.cell(waiting), armed=()))
        return (self.load(fresh, keeps_log=keeps_log) if loads else fresh), mail

    def load(self, cell: Interned, *, keeps_log: bool = True) -> Interned:
        """The new coordinator has read the log."""
        ((loaded, _),) = self.handle(cell, Load(cell.value.log))
        return loaded if keeps_log else self.interner.cell(loaded.value._replace(log=()))


def _current(broker: CoordinatorHost) -> CoordinatorHost:
    """The broker without a stored assignment that the group no longer waits for."""
    for then in broker.unanswered:
        group = broker.state.group
        awaited = group.generation if isinstance(group, ClassicGroup) and group.state == COMPLETING else -1
        if isinstance(then, StoredAssignment) and then.generation != awaited:
            return broker._replace(unanswered=())
    return broker


def _timeless(armed: timers.Armed) -> timers.Armed:
    """Armed timers where no clock runs: by kind and member, due times forgotten."""
    timeless = [timer._replace(due=0) if timer.due else timer for timer in armed]
    return tuple(sorted(timeless, key=lambda timer: timer.timer))


def _by_due(armed: timers.Armed) -> timers.Armed:
    """Armed timers by due time, at one instant by name: which of those fires first is left open."""
    return tuple(sorted(armed, key=lambda timer: (timer.due, timer.timer)))
