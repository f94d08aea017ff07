"""The integer clock: what it promises, and that a run on it is a run without a clock.

What is left of a world to the clock: times from the timing, and of the timeless steps only those at once.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.explore.search import explore
from kassay.model.protocols.clients.classic_state import ClassicClient, ClassicState
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.faults import NO_FAULTS, Faults, parse_faults
from kassay.model.protocols.values.requests import Config
from kassay.model.protocols.world import clock
from kassay.model.protocols.world.clock import (
    IDLE,
    LATE,
    Clock,
    Timing,
    at_once,
    sent,
    stepped,
    timed_context,
    waited,
)
from kassay.model.protocols.world.context import options
from kassay.model.protocols.world.groups import classic_parts, coordinator_config, no_targets
from kassay.model.protocols.world.timed import TimedConsumerModel, TimedModel
from tests.model.protocols.world.timed_worlds import (
    EveryConsumerTick,
    EveryTick,
    forgetful,
    losses_survived,
    members,
    plain,
    timed,
    timeless,
)
from tests.model.protocols.world.walks import settled

STABLE = ClassicClient(Process.UP, ClassicState.STABLE, "c1-1", 1)


class Case(NamedTuple):
    """A world small enough for a look at every step."""

    timing: Timing
    faults: str
    mode: str = "eager"
    instances: tuple[str, ...] = ()
    kip848: bool = False

    def model(self, kind=TimedModel):
        if self.kip848:
            kind = EveryConsumerTick if kind is EveryTick else TimedConsumerModel
        more = {"partitions": 1, "instances": self.instances, "faults": parse_faults(self.faults)}
        return timed(self.timing, kind, self.mode, **more)


SHORT = Timing(3, 1, 4)
# Together they have every fault that a classic world knows but pauses.
AWAKE = [
    Case(SHORT, "crash=1,leave=1"),
    Case(SHORT, "crash=1", instances=("i1", "i2")),
    Case(Timing(3, 1, 4, rebalance=6), "slow=1"),
    Case(SHORT, "loss=1", "cooperative"),
    Case(Timing(5, 2, 6, delay=1), "loss=1"),
    Case(SHORT, "failover=1"),
    Case(Timing(3, 1, 4, load=2), "failover=1"),
    Case(Timing(3, 1, 4, initial_delay=2), "partitions=1"),
    Case(SHORT, "crash=1,leave=1", kip848=True),
    Case(SHORT, "pause=1", kip848=True),
    Case(SHORT, "slow=1", kip848=True),
    Case(SHORT, "failover=1", kip848=True),
]
AWAY = [
    Case(SHORT, "pause=1"),
    Case(SHORT, "pause=1", "cooperative"),
    Case(Timing(3, 1, 4, rebalance=6), "slow=1", instances=("i1", "")),
]
LARGE = [
    Case(Timing(5, 2, 6, delay=1, load=2), "failover=1,partitions=1", kip848=True),
    Case(Timing(), "loss=2", "cooperative"),
    Case(Timing(), "crash=1,loss=1"),
    Case(Timing(rebalance=11), "slow=1,crash=1"),
    Case(Timing(load=3), "failover=1,crash=1"),
    Case(Timing(), "crash=1,pause=1", kip848=True),
]
CASES = [*AWAKE, *AWAY, *(pytest.param(case, marks=pytest.mark.exhaustive) for case in LARGE)]


@cache
def states_of(case, kind=TimedModel):
    return explore(case.model(kind), check_liveness=False).graph.states


class Shadow:
    """The world at T0 behind a timed model, and where its steps lead."""

    def __init__(self, model):
        self.model = timeless(model)
        self.known = {}

    def of(self, state):
        return self.model.canonical(forgetful(self.model, state.world))

    def reaches(self, world):
        """What T0 makes of a world in one step, each without times."""
        found = self.known.get(world)
        if found is None:
            # Losses and late polls: as many as may be wanted.
            rich = world._replace(budget=self.model.context.cell(world.budget.value._replace(loss=1, slow=1)))
            steps = (self.model.canonical(after) for _, after in self.model.steps(rich))
            found = self.known[world] = {self.model.canonical(forgetful(self.model, w)) for w in steps}
        return found


def strangers(case):
    """Steps on the clock that T0 has not: neither is the world the same afterwards, nor one step on."""
    model = case.model()
    shadow = Shadow(model)
    for before in states_of(case):
        for action, after in model.steps(before):
            old, new = shadow.of(before), shadow.of(after)
            if new != old and new not in shadow.reaches(old):
                yield before, action


@pytest.mark.slow_cases(
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='crash=1', mode='eager', instances=('i1', 'i2'), kip848=False)",
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='crash=1,leave=1', mode='eager', instances=(), kip848=False)",
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='loss=1', mode='cooperative', instances=(), kip848=False)",
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=6, initial_delay=0, delay=0, load=0, interval=0), faults='slow=1', mode='eager', instances=(), kip848=False)",
    "Case(timing=Timing(session=5, heartbeat=2, max_poll=6, rebalance=0, initial_delay=0, delay=1, load=0, interval=0), faults='loss=1', mode='eager', instances=(), kip848=False)",
)
@pytest.mark.parametrize(
    "case", [*AWAKE, *(pytest.param(case, marks=pytest.mark.exhaustive) for case in LARGE)], ids=str
)
def test_every_step_on_the_clock_is_a_step_without_one(case):
    assert list(strangers(case)) == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_world_on_the_clock_is_reachable_without_one(case):
    base = timeless(case.model())
    worlds = explore(base, check_liveness=False).graph.states
    without = {plain(base.canonical(forgetful(base, world))) for world in worlds}
    on_the_clock = {plain(base.canonical(forgetful(base, state.world))) for state in states_of(case)}
    assert on_the_clock <= without


# Where the guards of T0 are narrower than the clock. Without these the agreement above would show nothing
# about sessions and join timers.


@pytest.mark.exhaustive
def test_t0_knows_no_eviction_by_lost_heartbeats():
    found = list(strangers(Case(Timing(3, 2, 8), "loss=1")))
    assert {action.name for _, action in found} == {"session of c1-1 expires", "session of c2-1 expires"}
    assert all(not state.world.budget.value.loss for state, _ in found)


@pytest.mark.slow_cases(
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='pause=1', mode='cooperative', instances=(), kip848=False)",
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='pause=1', mode='eager', instances=(), kip848=False)",
)
@pytest.mark.parametrize("case", AWAY, ids=str)
def test_t0_knows_no_timer_that_a_pause_has_used_up(case):
    """A process that comes back may come too late: a SyncGroup to a stable group does not renew its session,
    and what a heartbeat tells while a SyncGroup's reply is unread is ignored.
    """
    found = list(strangers(case))
    away = ("i1-1",) if case.instances else ("c1-1", "c2-1")
    assert {action.name for _, action in found} == {f"session of {member} expires" for member in away}
    assert {(state.world.budget.value.pause, state.world.budget.value.slow) for state, _ in found} == {(0, 0)}


def test_t0_knows_no_member_that_processes_through_the_join_phase():
    """It began after the rebalance did, and has not left when the join timer fires without it."""
    found = list(strangers(Case(SHORT, "slow=1")))
    assert {action.name for _, action in found} == {"join timer fires"}
    assert all(any(shown.poll > 0 for shown in state.clocks) for state, _ in found)


def test_t0_knows_no_session_of_a_static_member_of_kip_848_that_left_for_lateness():
    """Such a member stays registered and is watched on, but heartbeats no more while it processes."""
    found = list(strangers(Case(SHORT, "slow=1", instances=("i1", ""), kip848=True)))
    assert {action.name for _, action in found} == {"session of c1m-1 expires"}
    assert {state.clocks[0].poll for state, _ in found} == {LATE}


def test_t0_knows_no_heartbeat_of_kip_848_that_is_lost_before_the_coordinator():
    """Nor a lost reply that said nothing new: either way the next heartbeat carries everything."""
    found = list(strangers(Case(SHORT, "loss=1", kip848=True)))
    assert {action.reply for _, action in found} == {"lost before the coordinator", "reply lost"}


# Time in one stride.


@pytest.mark.slow_cases(
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='crash=1', mode='eager', instances=('i1', 'i2'), kip848=False)",
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='pause=1', mode='cooperative', instances=(), kip848=False)",
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='pause=1', mode='eager', instances=(), kip848=False)",
)
@pytest.mark.parametrize("case", [*CASES, Case(Timing(6, 3, 6), "crash=1")], ids=str)
def test_no_world_is_passed_over_between_two_instants(case):
    def worlds(kind):
        inner = case.model(kind).inner
        return {plain(forgetful(inner, state.world)) for state in states_of(case, kind)}

    assert worlds(EveryTick) == worlds(TimedModel)
    assert len(states_of(case)) <= len(states_of(case, EveryTick))


@pytest.mark.slow
def test_kafkas_own_times_make_few_more_states():
    """45, 3 and 300 seconds."""
    case = Case(Timing(45, 3, 300), "crash=1")
    assert 2 * len(states_of(case)) < len(states_of(case, EveryTick))


# The three rules of the clock, in every reachable state.


@pytest.mark.slow_cases(
    "Case(timing=Timing(session=3, heartbeat=1, max_poll=4, rebalance=0, initial_delay=0, delay=0, load=0, interval=0), faults='loss=1', mode='cooperative', instances=(), kip848=False)"
)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_time_waits_for_what_is_due_and_an_expiry_comes_last(case):
    timing, model = case.timing, case.model()
    for state in states_of(case):
        steps = list(model.steps(state))
        passing = [after for action, after in steps if action.actor == "time"]
        expiring = [a for a, _ in steps if a.name.endswith(("expires", "timer fires", "loaded the group"))]
        # A client that runs, polls and is not backing off has nothing left to do when a timer fires.
        for number, (cell, shown) in enumerate(zip(state.world.clients, state.clocks), 1):
            if cell.value.run is Process.UP and shown.poll == clock.POLLING and not shown.rest:
                mine = {a.name for a, _ in steps if a.actor == f"c{number}" and not a.fault}
                # A heartbeat under way may arrive any time.
                idle = mine <= ({"Heartbeat", "heartbeat"} if timing.delay else set())
                assert idle or not (passing or expiring)
        if passing:
            assert not expiring
            (after,) = passing
            assert all(order.due >= 0 for order in after.world.broker.value.armed)
            assert all(shown.beat >= -timing.delay for shown in after.clocks)
        # Nothing but an empty group that nobody will join again has no next instant.
        assert steps or not members(state)


# Clocks.


def test_heartbeats_begin_with_the_reply_to_the_joingroup_and_end_with_the_membership():
    joining = STABLE._replace(state=ClassicState.PREPARING)
    settled = STABLE._replace(state=ClassicState.COMPLETING)
    assert stepped(Timing(), IDLE, joining, settled).beat == 2
    assert stepped(Timing(), Clock(1), settled, STABLE).beat == 1
    assert (
        stepped(Timing(), Clock(1), STABLE, STABLE._replace(state=ClassicState.UNJOINED, generation=-1)).beat
        == 0
    )
    assert stepped(Timing(), Clock(1, 3), STABLE, STABLE._replace(run=Process.GONE)) == IDLE


def test_a_paused_process_finds_what_has_fallen_due():
    paused = STABLE._replace(run=Process.PAUSED)
    assert waited(Clock(2, 3), paused, 9) == Clock(0, 0)
    assert waited(Clock(2, LATE), paused, 1) == Clock(1, LATE)
    assert stepped(Timing(delay=1), Clock(-1), STABLE, paused).beat == 0


@given(st.integers(1, 9), st.data())
def test_the_interval_counts_from_when_a_heartbeat_was_sent(interval, data):
    delay = data.draw(st.integers(0, interval - 1))
    timing = Timing(2 * interval, interval, delay=delay)
    under_way = Clock(interval)
    for _ in range(interval + delay):
        under_way = waited(under_way, STABLE, 1)
    assert under_way == waited(Clock(interval), STABLE, interval + delay)
    assert under_way.beat == -delay
    assert waited(sent(timing, under_way), STABLE, interval - delay).beat == 0


@given(st.integers(1, 20), st.integers(0, 60), st.integers(0, 5), st.data())
def test_the_promise_is_the_rule_of_the_heartbeats(interval, more, loss, data):
    delay = data.draw(st.integers(0, interval - 1))
    session = interval + delay + more
    timing = Timing(session, interval, 500, delay=delay)
    claim = timing.keeps_members(Faults(loss=loss))
    assert claim == (loss <= losses_survived(session, interval, delay))
    assert claim or session < (loss + 1) * interval + delay
    assert not Timing(session, interval, 500, rebalance=1).keeps_members(Faults(loss=1))
    assert not timing.keeps_members(Faults(pause=1))


def test_the_rule_of_three():
    for interval in (1, 2, 3):
        for delay in range(interval):
            kept = Timing(3 * interval + delay, interval, 60, delay=delay)
            assert kept.keeps_members(Faults(loss=2))
            assert not Timing(3 * interval + delay - 1, interval, 60, delay=delay).keeps_members(
                Faults(loss=2)
            )


@pytest.mark.parametrize(
    ("timing", "words"),
    [
        (Timing(session=0), "session.timeout.ms: 0 is out of range"),
        (Timing(session=601), "expected 1 to 600 ticks"),
        (Timing(heartbeat=0), "heartbeat.interval.ms: 0"),
        (Timing(max_poll=0), "max.poll.interval.ms: 0"),
        (Timing(rebalance=-1), "rebalance.timeout.ms: -1"),
        (Timing(initial_delay=-1), "group.initial.rebalance.delay.ms: -1"),
        (Timing(load=-1), "coordinator.load.ms: -1"),
        (Timing(delay=2), "heartbeat.delay.ms: 2 ticks; expected less than heartbeat.interval.ms, 2 ticks"),
        (Timing(session=2), "heartbeat interval 2 ticks: expected more than 0 and less than the session"),
    ],
)
def test_times_out_of_range_are_told_in_one_line(timing, words):
    with pytest.raises(InputError, match=words) as refused:
        timing.check()
    assert "\n" not in str(refused.value)


def test_the_times_that_are_set_by_default_are_in_order():
    Timing().check()
    assert Timing().keeps_members(Faults(loss=2))
    assert Timing().keeps_members(NO_FAULTS)
    assert Timing().rebalance_timeout == Timing().max_poll


TIMING = Timing(9, 2, 12, initial_delay=3, rebalance=7)


def test_clients_and_coordinator_take_their_times_from_the_timing():
    context = timed_context(options(), TIMING, Config(), no_targets)
    assert [c.session_timeout for c in context.configs] == [9, 9]
    assert {c.rebalance_timeout for c in context.configs} == {TIMING.rebalance_timeout}
    config = context.brokers.config
    assert (config.initial_rebalance_delay, config.consumer_session_timeout) == (3, 9)
    assert (config.consumer_heartbeat_interval, config.new_member_join_timeout) == (
        2,
        TIMING.new_member_timeout,
    )


def test_faults_are_left_to_the_clock():
    chosen = options()
    parts = classic_parts(timed_context(chosen, TIMING, coordinator_config(chosen), no_targets), None)
    assert parts.faults is not None
    assert at_once(parts).faults is None


def test_at_one_instant_nobody_beats_expires_or_fails():
    """All may happen in this world, and none of it does without the clock."""
    model, state = settled(TIMING, faults=Faults(crash=1, pause=1, loss=1))
    assert list(model.inner.steps(state.world)) == []
    names = {action.name for action, _ in model.steps(state)}
    assert {"crashes", "pauses"} <= names
