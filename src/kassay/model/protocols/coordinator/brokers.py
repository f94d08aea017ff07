"""Every outcome of a coordinator's events, for the explorer: cells in, cells and replies out.

The age of a group's target, on a clock that always shows the same instant. The integer clock counts from
now, so that a world in which nothing happens comes back to a state that it was in. There `now` is the
assignment interval, and the time at which a target was computed decreases with time, down to 0: at 0 the
interval is over, and a greater age makes no difference. Without a clock the interval is one tick long,
and its end is a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from kassay.model.explore.states import Interned, Interner, Memo
from kassay.model.protocols.coordinator.runtime import (
    NO_HISTORY,
    CoordinatorCall,
    CoordinatorHost,
    Result,
    appends,
    by_due,
    timeless,
)
from kassay.model.protocols.coordinator.step import Event, Load, LoadAsLeft, Unload, step
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import Target, TargetAsk, nobody_assigns, outcomes
from kassay.model.protocols.values.groups import (
    COMPLETING,
    NO_CLOCK,
    ClassicGroup,
    ConsumerGroup,
    Continuation,
    CoordinatorState,
    Group,
    Persisted,
    Role,
    StoredAssignment,
)
from kassay.model.protocols.values.records import Background, Log, LogRecord, TargetEpochValue
from kassay.model.protocols.values.streams import TaskTarget
from kassay.model.protocols.values.streams_groups import StreamsTargetEpochValue, StreamsTaskGroup
from kassay.model.streams.group import StreamsGroup

_EPOCHS: Final = (TargetEpochValue, StreamsTargetEpochValue)


def aged(host: CoordinatorHost, ticks: int, cell: Callable[[CoordinatorState], Interned]) -> CoordinatorHost:
    """The host so many ticks later, in terms of its targets' age; the same object if nothing changes."""
    state = host.state
    group = state.group
    if isinstance(group, ConsumerGroup | StreamsTaskGroup) and group.target_time > 0:
        older = group._replace(target_time=max(0, group.target_time - ticks))
        host = host._replace(coordinator=cell(state._replace(group=older)))
    if any(isinstance(value, _EPOCHS) and value.time > 0 for _, value in host.log):
        host = host._replace(log=tuple(_older(record, ticks) for record in host.log))
    return host


def _older(record: LogRecord, ticks: int) -> LogRecord:
    value = record.value
    if not isinstance(value, _EPOCHS) or value.time <= 0:
        return record
    return record._replace(value=value._replace(time=max(0, value.time - ticks)))


Mail: TypeAlias = tuple[tuple[int, requests.ReplyBody], ...]
"""Replies by the number of the request that they answer."""

Outcome: TypeAlias = tuple[Interned, Mail]
"""A host's cell and the replies."""

Targets: TypeAlias = Callable[[TargetAsk], Sequence[Target]]
"""Returns every target worth considering."""

TaskTargets: TypeAlias = Callable[[StreamsGroup], Sequence[TaskTarget]]
"""The same for the tasks of a Streams group."""


SPENT: Final = frozenset({requests.SESSION, requests.SYNC, requests.CONSUMER_SESSION})
"""The timers without effect after a conversion, although they keep running.

A session is armed again when its member returns to a group of its kind, and no member is pending there at
that time; a sync timer belongs to a generation in which no member is awaited any more, until the next one
arms it again.
"""


class Brokers:
    """All behaviour of the model's broker; cells hold `CoordinatorHost` values.

    `keeps_log` is off if no failover can happen any more: then the log is never read. `split_sync` leaves the
    leader's SyncGroup unanswered after the write, so that a failover can happen in between. `clocked` keeps
    the due times of timers, which otherwise are dropped. All outcomes are cached by (host, event): a walk
    meets the same pair thousands of times.

    If the log is `compacted`, a new coordinator may find anything that a cleaner may have left of it.

    With `fails` the coordinator cannot append the records of an event; events that write nothing have no such
    outcomes.
    """

    def __init__(
        self,
        config: requests.Config,
        interner: Interner,
        targets: Targets,
        member_id: Callable[[CoordinatorHost, str], str],
        *,
        split_sync: bool = True,
        clocked: bool = False,
        tasks: TaskTargets = nobody_assigns,
        compacted: bool = False,
    ) -> None:
        self.config = config
        self.interner = interner
        self.targets = targets
        self.tasks = tasks
        self.member_id = member_id
        self.split_sync = split_sync
        self.now = config.assignment_interval or NO_CLOCK
        self.compacted = compacted
        self.clocked = clocked
        self.arranged: Callable[[requests.Armed], requests.Armed] = by_due if clocked else timeless
        # Named tuples of two classes may be equal, as ResolutionRun() == TargetApplied(): the key has the
        # class.
        self._outcomes: Memo[tuple[Interned, type[Event], Event, bool, bool], tuple[Outcome, ...]] = Memo()
        self._loaded: Memo[tuple[Interned, bool], tuple[Interned, ...]] = Memo()
        self._logged: dict[object, Group] = {}
        self._takeovers: Memo[tuple[Interned, Log], tuple[tuple[str, str], ...]] = Memo()
        self._stepped: Memo[tuple[Interned, type[Event], Event], tuple[Result, ...]] = Memo()

    def first(self, image: requests.Image, number: int = 0) -> Interned:
        """A broker without any knowledge of the group; its image is numbered if images are."""
        state = CoordinatorState(image=image, now=self.now, background=Background(number, number))
        return self.interner.cell(CoordinatorHost(self.interner.cell(state)))

    def handle(
        self, cell: Interned, event: Event, *, keeps_log: bool = True, fails: bool = False
    ) -> tuple[Outcome, ...]:
        """Every outcome of an event, without duplicates, in the order of the choices."""
        key = (cell, type(event), event, keeps_log, fails)
        outcomes = self._outcomes.get(key)
        if outcomes is None:
            host: CoordinatorHost = cell.value
            results = self._results(host, event)
            if fails:
                results = tuple(result for result in results if appends(result[1]))
            outcomes = tuple(
                dict.fromkeys(self._outcome(host, result, event, keeps_log, fails) for result in results)
            )
            if not _wants_id(event):
                self._outcomes[key] = outcomes
        return outcomes

    def _outcome(
        self, host: CoordinatorHost, result: Result, event: Event, keeps_log: bool, fails: bool
    ) -> Outcome:
        call = CoordinatorCall(self, host, keeps_log=keeps_log)
        call.carry_out(result, event, errors.NOT_ENOUGH_REPLICAS if fails else "")
        mail = tuple([(reply.correlation_id, reply.body) for reply in call.replies])
        after = _current(call.host)
        if not self.clocked and (fails or type(after.state.group) is not type(host.state.group)):
            after = _converted(after)
        return self.interner.cell(after), mail

    def _results(self, host: CoordinatorHost, event: Event) -> tuple[Result, ...]:
        """The coordinator's possible results for an event."""
        key = (host.coordinator, type(event), event)
        results = self._stepped.get(key)
        if results is None:
            results = self._steps(host, event)
            if not _wants_id(event):
                self._stepped[key] = results
        return results

    def _steps(self, host: CoordinatorHost, event: Event) -> tuple[Result, ...]:
        state: CoordinatorState = host.coordinator.value
        steps = outcomes(
            lambda choices: step(self.config, state, event, choices),
            self.targets,
            lambda prefix: self.member_id(host, prefix),
            self.tasks,
        )
        return tuple((self.interner.cell(after.state), after.outputs) for after in steps)

    def result(self, host: CoordinatorHost, event: Event) -> Result:
        """The result of an acknowledgement, which has no choices."""
        (result,) = self._results(host, event)
        return result

    def holds(self, then: Continuation) -> bool:
        """Whether the leader's SyncGroup stays unanswered."""
        return self.split_sync and isinstance(then, StoredAssignment)

    def recorded(self, history: Interned, records: tuple[LogRecord, ...]) -> Interned:
        """The log as a cleaner may have left it, if that is tracked."""
        if not self.compacted:
            return history
        from kassay.model.protocols.coordinator.loading import appended

        return self.interner.cell(appended(history.value, records))

    def acknowledge(self, cell: Interned, *, keeps_log: bool = True) -> tuple[Outcome, ...]:
        """Answer the leader's stored assignment."""
        host: CoordinatorHost = cell.value
        (then,) = host.waiting
        assert isinstance(then, StoredAssignment), "only the leader's SyncGroup waits"
        answered = self.interner.cell(host._replace(waiting=()))
        return self.handle(answered, Persisted(then), keeps_log=keeps_log)

    def fire(
        self, cell: Interned, order: requests.SetTimer, *, keeps_log: bool = True, fails: bool = False
    ) -> tuple[Outcome, ...]:
        """A timer is due."""
        disarmed = self.interner.cell(cell.value.without(order))
        fired = requests.TimerFired(order.timer, order.payload)
        return self.handle(disarmed, fired, keeps_log=keeps_log, fails=fails)

    def wait(self, cell: Interned, ticks: int) -> Interned:
        """The broker so many ticks later; none of its timers may be due earlier."""
        host: CoordinatorHost = cell.value
        after = host.later(ticks) if host.armed else host
        if self.config.assignment_interval:
            after = aged(after, ticks, self.interner.cell)
        return cell if after is host else self.interner.cell(after)

    def interval_over(self, cell: Interned) -> Interned:
        """The broker after the interval since the last target, if no clock runs."""
        host: CoordinatorHost = cell.value
        return self.interner.cell(aged(host, self.config.assignment_interval, self.interner.cell))

    def fail_over(self, cell: Interned, *, keeps_log: bool = True, loads: bool = True) -> tuple[Outcome, ...]:
        """The coordinator moves: parked requests get NOT_COORDINATOR, the next one reads the log.

        Without `loads` it has not read it yet, and answers COORDINATOR_LOAD_IN_PROGRESS until `load`.
        """
        host: CoordinatorHost = cell.value
        ((unloaded, mail),) = self.handle(self.interner.cell(host.deserted()), Unload())
        if loads:
            return tuple((loaded, mail) for loaded in self.load(unloaded, keeps_log=keeps_log))
        loading = self.interner.cell(unloaded.value.state._replace(role=Role.LOADING))
        return ((self.interner.cell(unloaded.value._replace(coordinator=loading)), mail),)

    def load(self, cell: Interned, *, keeps_log: bool = True) -> tuple[Interned, ...]:
        """Every possible result of loading: that of the whole log comes first."""
        loaded = self._loaded.get((cell, keeps_log))
        if loaded is None:
            ((first, _),) = self.handle(cell, Load(cell.value.log))
            every = [first, *self._other_readings(cell)] if self.compacted else [first]
            if not keeps_log:
                every = [
                    self.interner.cell(each.value._replace(log=(), history=NO_HISTORY)) for each in every
                ]
            loaded = self._loaded[cell, keeps_log] = tuple(dict.fromkeys(every))
        return loaded

    def whole(self, cell: Interned) -> Group:
        """The group in the whole log."""
        ((loaded, _),) = self.handle(cell, Load(cell.value.log))
        group: Group = loaded.value.state.group
        return group

    def logged(self, cell: Interned) -> Group:
        """The group that a new coordinator reads out of the log, without its timers."""
        host: CoordinatorHost = cell.value
        key = (host.log, host.state.image)
        if key not in self._logged:
            fresh = CoordinatorState(image=host.state.image, now=self.now)
            (after,) = outcomes(
                lambda choices: step(self.config, fresh, Load(host.log), choices),
                self.targets,
                lambda prefix: self.member_id(host, prefix),
                self.tasks,
            )
            self._logged[key] = after.state.group
        return self._logged[key]

    def takeovers(self, cell: Interned) -> tuple[tuple[str, str], ...]:
        """The protocols whose first request now leaves a log that does not load, each with the reason."""
        host: CoordinatorHost = cell.value
        key = (host.coordinator, host.log)
        refused = self._takeovers.get(key)
        if refused is None:
            from kassay.model.protocols.coordinator.takeovers import refused_takeovers

            refused = self._takeovers[key] = tuple(refused_takeovers(self.config, host.state, host.log))
        return refused

    def _other_readings(self, cell: Interned) -> Iterator[Interned]:
        """Further results of loading a compacted log; equal results appear once."""
        from kassay.model.protocols.coordinator.loading import Unreadable, read, views

        seen: set[object] = set()
        for log in views(cell.value.history.value):
            try:
                result: object = read(log, self.config.switches.__contains__)
            except Unreadable as failure:
                result = str(failure)
            if result not in seen:
                seen.add(result)
                call = CoordinatorCall(self, cell.value)
                call.take(LoadAsLeft(log))
                yield self.interner.cell(call.host)


def _wants_id(event: Event) -> bool:
    """Whether the coordinator may assign a member id: which ids are free depends on all clients' ids."""
    return isinstance(event, requests.JoinGroup | requests.ConsumerHeartbeat) and not event.member_id


def _current(host: CoordinatorHost) -> CoordinatorHost:
    """The host with only the newest stored assignment, if the group still waits for it."""
    if not host.waiting:
        return host
    then, group = host.waiting[-1], host.coordinator.value.group
    awaited = group.generation if isinstance(group, ClassicGroup) and group.state == COMPLETING else -1
    current = isinstance(then, StoredAssignment) and then.generation == awaited
    return host._replace(waiting=(then,) if current else ())


def _converted(host: CoordinatorHost) -> CoordinatorHost:
    """The host once its group is of one kind: a conversion does not stop the timers of the other kind.

    Without a clock, such timers are recorded as able to fire at any time. `SPENT` timers are left out:
    whatever the group becomes, they have no effect.
    """
    if host.state.group is None:
        return host
    classic = isinstance(host.state.group, ClassicGroup)
    armed = tuple(
        order if ours else order._replace(outlived=True)
        for order in host.armed
        if (ours := (order.timer.kind in requests.OF_CLASSIC_GROUPS) is classic)
        or order.timer.kind not in SPENT
    )
    return host._replace(armed=armed)
