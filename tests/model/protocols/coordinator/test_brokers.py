"""What the explorer's brokers yield is what the coordinator does on a clock, and every other way it can go.

How old a target is, where the present is always the same instant.
"""

from __future__ import annotations

import pytest

from kassay.model.explore.states import Interner
from kassay.model.protocols.coordinator.brokers import Brokers, aged
from kassay.model.protocols.coordinator.runtime import NO_HISTORY, CoordinatorHost, by_due
from kassay.model.protocols.coordinator.step import Load
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.groups import (
    COMPLETING,
    NO_CLOCK,
    PREPARING,
    STABLE,
    ConsumerGroup,
    CoordinatorState,
    Role,
    StoredAssignment,
)
from kassay.model.protocols.values.records import UNKNOWN_TIME, LogRecord, TargetEpochValue
from kassay.model.protocols.values.requests import Config, MetadataChanged
from kassay.model.protocols.values.streams_groups import (
    STREAMS_TARGET_EPOCH,
    StreamsTargetEpochValue,
    StreamsTaskGroup,
)
from tests.model.protocols.coordinator.drive import EAGER, in_state, protocols, tps
from tests.model.protocols.coordinator.test_step import Walk


class Watched(Walk):
    """A random walk on the clock, of which every step is looked for among the brokers' outcomes."""

    def __init__(self, seed, kinds):
        super().__init__(seed, kinds)
        self.compared = 0

    def act(self, number):
        before, deliver = self.host, self.runtime.deliver

        def compared(host, event, write_fails=""):
            happened = deliver(host, event, write_fails)
            if not write_fails and not before.deferring:
                self.look_for(before, event, happened)
            return happened

        self.runtime.deliver = compared
        happened = super().act(number)
        del self.runtime.deliver
        return happened

    def look_for(self, before, event, happened):
        interner, choices = Interner(), self.runtime.choices
        targets = dict(getattr(happened.host.state.group, "target", ()))
        brokers = Brokers(
            self.runtime.config,
            interner,
            lambda ask: [tuple((m.member_id, targets.get(m.member_id, m.target)) for m in ask.members)],
            lambda _, prefix: f"{prefix}-{choices.count}",
            split_sync=False,
            clocked=True,
        )
        cell = interner.cell(before._replace(coordinator=interner.cell(before.state)))
        outcomes = brokers.handle(cell, event)
        after = happened.host
        wanted = (
            after.state,
            by_due(after.armed),
            after.log,
            {r.correlation_id: r.body for r in happened.replies},
        )
        assert wanted in [
            (found.value.state, by_due(found.value.armed), found.value.log, dict(mail))
            for found, mail in outcomes
        ]
        self.compared += 1


@pytest.mark.parametrize("kinds", [("classic",), ("consumer",), ("classic", "consumer")])
def test_each_step_on_the_clock_is_among_the_outcomes(kinds):
    compared = 0
    for seed in range(30):
        walk = Watched(seed, kinds)
        walk.run()
        compared += walk.compared
    assert compared > 500


def held():
    """A broker whose leader's SyncGroup is written and not answered, and its cell."""
    drive, static, dynamic = in_state(COMPLETING)
    brokers = Brokers(
        drive.runtime.config, interner := Interner(), lambda ask: [()], lambda _, prefix: prefix
    )
    cell = interner.cell(drive.host._replace(coordinator=interner.cell(drive.host.state)))
    given = ((dynamic, tps(1)), (static, tps(0)))
    request = requests.SyncGroup(9, static, drive.classic.generation, given, "i")
    ((after, mail),) = brokers.handle(cell, request)
    return brokers, request, after, mail


def test_a_stored_assignment_is_held_back_until_it_is_acknowledged():
    brokers, request, after, mail = held()
    host: CoordinatorHost = after.value
    assert (mail, host.state.group.state) == ((), COMPLETING)
    ((stable, answers),) = brokers.acknowledge(after)
    assert stable.value.state.group.state == STABLE
    assert [number for number, _ in answers] == [request.correlation_id]


def test_of_two_stored_assignments_the_newest_counts():
    brokers, request, after, _ = held()
    ((again, _),) = brokers.handle(after, request._replace(correlation_id=10, assignments=()))
    (then,) = again.value.waiting
    assert isinstance(then, StoredAssignment)
    assert all(owned == requests.ZERO_BYTES for _, owned in then.assignment)


def test_what_the_group_no_longer_waits_for_is_dropped():
    brokers, request, after, _ = held()
    leaving = requests.LeaveGroup(11, ((request.member_id, "i"),))
    assert all(cell.value.waiting == () for cell, _ in brokers.handle(after, leaving))
    ((moved, _),) = brokers.fail_over(after)
    assert moved.value.waiting == ()
    assert moved.value.state.group.state == STABLE


def test_equal_events_of_two_classes_are_not_taken_for_one_another():
    interner = Interner()
    brokers = Brokers(Config(), interner, lambda _: [], lambda _, prefix: prefix)
    loading = interner.cell(CoordinatorHost(interner.cell(CoordinatorState(role=Role.LOADING))))
    for event, role in ((MetadataChanged(()), Role.LOADING), (Load(()), Role.ACTIVE)):
        ((after, _),) = brokers.handle(loading, event)
        assert after.value.state.role is role


JOINING = requests.ConsumerHeartbeat(9, "m", 0, "", 100, ("foo",), "", ())


def of_config(config, **settings):
    """Brokers that give nobody anything."""
    return Brokers(
        config,
        Interner(),
        lambda ask: [tuple((member.member_id, ()) for member in ask.members)],
        lambda _, prefix: prefix,
        **settings,
    )


def test_every_joiner_without_an_id_is_given_one_that_is_free_by_then():
    """Which ids are free is for the world to say: what was answered last time is not remembered."""
    count = iter(range(9))
    brokers = Brokers(EAGER, Interner(), lambda _: [], lambda _, prefix: f"{prefix}-{next(count)}")
    join = requests.JoinGroup(9, "", protocols("range"), "c", "", 6_000, 12_000)
    given = [mail[0][1].member_id for _ in range(2) for _, mail in brokers.handle(brokers.first(()), join)]
    assert given == ["c-0", "c-1"]


@pytest.mark.parametrize("clocked", [False, True])
def test_where_no_clock_runs_a_broker_knows_neither_now_nor_when(clocked):
    """It must not take all it knows for fresh: a subscription would never be resolved again."""
    brokers = of_config(Config(), clocked=clocked)
    assert brokers.first(()).value.state.now == NO_CLOCK
    ((after, _),) = brokers.handle(brokers.first(()), JOINING)
    assert [order.due > 0 for order in after.value.armed] == [clocked]


@pytest.mark.parametrize("compacted", [False, True])
def test_a_broker_keeps_what_somebody_may_read(compacted):
    brokers = of_config(Config(), compacted=compacted)
    ((after, _),) = brokers.handle(brokers.first(()), JOINING)
    assert after.value.log
    assert (after.value.history is NO_HISTORY) is not compacted
    ((after, _),) = brokers.handle(brokers.first(()), JOINING, keeps_log=False)
    assert (after.value.log, after.value.history) == ((), NO_HISTORY)


def armed(cell):
    """The kinds of the timers that run, each with whether its group was of another kind."""
    return {(order.timer.kind, order.outlived) for order in cell.value.armed}


def test_no_conversion_stops_the_timer_of_a_round_which_may_fire_at_any_time_then():
    """The groups of the two protocols share no timer's key, and nothing cancels those of the other."""
    drive, *_ = in_state(PREPARING, EAGER._replace(upgrade=True))
    brokers = of_config(drive.runtime.config)
    cell = brokers.interner.cell(drive.host._replace(coordinator=brokers.interner.cell(drive.host.state)))
    ((after, _),) = brokers.handle(cell, JOINING)
    assert isinstance(after.value.state.group, ConsumerGroup)
    assert armed(after) == {(requests.CONSUMER_SESSION, False), (requests.JOIN, True)}


def test_the_timers_of_a_group_that_could_not_be_written_are_those_of_the_next_one():
    brokers = of_config(EAGER)
    join = requests.JoinGroup(9, "", protocols("range"), "c", "i", 6_000, 12_000)
    for fails in (False, True):
        ((after, _),) = brokers.handle(brokers.first(()), join, fails=fails)
        assert (after.value.state.group is None) is fails
        assert armed(after) == {(requests.JOIN, False), (requests.SESSION, False)}


def test_outcomes_whose_write_fails_are_those_of_steps_that_write():
    drive, static, dynamic = in_state(STABLE)
    brokers = Brokers(drive.runtime.config, interner := Interner(), lambda _: [], lambda _, prefix: prefix)
    cell = interner.cell(drive.host._replace(coordinator=interner.cell(drive.host.state)))
    generation = drive.classic.generation
    assert brokers.handle(cell, requests.Heartbeat(9, dynamic, generation), fails=True) == ()
    commit = requests.OffsetCommit(9, dynamic, generation, ((tps(0)[0], 1),))
    ((kept, mail),) = brokers.handle(cell, commit, fails=True)
    assert (kept.value.log, mail) == (
        drive.host.log,
        ((9, requests.OffsetCommitReply(errors.COORDINATOR_NOT_AVAILABLE)),),
    )
    ((written, _),) = brokers.handle(cell, commit)
    assert written.value.log != drive.host.log
    back = requests.JoinGroup(9, "", drive.classic.members[0].protocols, "c", "i", 6_000, 12_000)
    ((undone, mail),) = brokers.handle(cell, back, fails=True)
    assert {m.member_id for m in undone.value.state.group.members} == {static, dynamic}
    assert [body.error for _, body in mail] == [errors.COORDINATOR_NOT_AVAILABLE]


@pytest.mark.parametrize(("switch", "readable"), [("", True), ("tombstones_need_owners", False)])
def test_a_new_coordinator_reads_whatever_a_cleaner_left(switch, readable):
    config = Config(switches=frozenset({switch}))
    brokers = Brokers(
        config,
        Interner(),
        lambda ask: [tuple((m.member_id, ()) for m in ask.members)],
        lambda _, prefix: prefix,
        compacted=True,
    )
    cell = brokers.first(())
    for epoch in (0, -1):
        request = requests.ConsumerHeartbeat(1, "m", epoch, "", 100, ("t",) if epoch == 0 else None, "", ())
        ((cell, _),) = brokers.handle(cell, request)
    assert len(cell.value.history.value.batches) == 2
    first, *others = brokers.load(cell)
    assert first.value.state.group == brokers.whole(cell) == cell.value.state.group
    assert first.value.log == cell.value.log, "the next one may have to read it again"
    assert [other.value.state.role for other in others] == ([] if readable else [Role.NOT_COORDINATOR])
    assert {mail for _, mail in brokers.fail_over(cell)} == {()}
    assert all(each.value.history.value.batches == () for each in brokers.load(cell, keeps_log=False))


def host(time: int, cell) -> CoordinatorHost:
    group = ConsumerGroup(3, 3, target_time=time)
    log = (LogRecord((r.TARGET_EPOCH, ""), TargetEpochValue(3, time)),)
    return CoordinatorHost(cell(CoordinatorState(group, now=5)), log=log)


def test_a_target_grows_old_on_record_and_in_mind_and_not_older_than_the_interval():
    cell = Interner().cell
    older = aged(host(5, cell), 3, cell)
    assert older == host(2, cell)
    assert aged(older, 3, cell) == host(0, cell)


def test_what_is_old_or_unknown_stays_the_same():
    cell = Interner().cell
    for time in (0, UNKNOWN_TIME):
        before = host(time, cell)
        assert aged(before, 1, cell) is before
    nobody = CoordinatorHost(cell(CoordinatorState(now=5)))
    assert aged(nobody, 1, cell) is nobody


def test_the_target_of_a_streams_group_grows_old_alike():
    cell = Interner().cell

    def of(time: int) -> CoordinatorHost:
        group = StreamsTaskGroup(3, 3, target_time=time)
        log = (LogRecord((STREAMS_TARGET_EPOCH, ""), StreamsTargetEpochValue(3, time)),)
        return CoordinatorHost(cell(CoordinatorState(group, now=1)), log=log)

    assert aged(of(1), 1, cell) == of(0)
    assert aged(of(-1), 1, cell) == of(-1)
