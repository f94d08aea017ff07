"""The classic protocol on the clock: what is noticed when, and who comes too late."""

from __future__ import annotations

import pytest

from kassay.engines.protocols.views import beliefs
from kassay.model.protocols.clients.classic_state import ClassicState
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import PREPARING, STABLE
from kassay.model.protocols.world.clock import Timing
from tests.explored import only_known
from tests.model.protocols.world.script import first, play
from tests.model.protocols.world.timed_worlds import client, due, group, members, timed, wait
from tests.model.protocols.world.walks import clean, found, settled, walk

PINNED = {
    ("eager", 1, 1, ""): 9,
    ("eager", 2, 1, ""): 187,
    ("eager", 2, 2, "crash=1"): 927,
    ("eager", 2, 2, "slow=1"): 2227,
    ("eager", 2, 2, "loss=1"): 1693,
    ("eager", 2, 2, "failover=1"): 1091,
    ("cooperative", 2, 2, "crash=1"): 1349,
    ("cooperative", 2, 2, "leave=1"): 699,
}


HEAVY = {
    ("eager", 2, 2, "crash=1,loss=2"): 33133,
    ("eager", 2, 2, "pause=1,failover=1"): 26660,
    ("eager", 2, 2, "slow=1,loss=1"): 20157,
    ("cooperative", 2, 2, "pause=1"): 7602,
    ("cooperative", 2, 2, "loss=2"): 13313,
}


AGAIN = ("eager", 2, 2, "pause=1,failover=1")
"""Here the failover meets a generation that nobody has synced yet: finding B."""


def outcome(case):
    mode, members_, partitions, faults = case
    return walk(mode=mode, members=members_, partitions=partitions, faults=faults)


@pytest.mark.parametrize("case", list(PINNED), ids=str)
def test_small_worlds_on_the_clock_are_clean_and_as_large_as_ever(case):
    result = outcome(case)
    clean(result)
    assert result.exploration.states == PINNED[case]


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", list(HEAVY), ids=str)
def test_large_worlds_on_the_clock_are_clean_and_as_large_as_ever(case):
    result = outcome(case)
    only_known(result, *["generation-once"] * (case == AGAIN))
    assert result.exploration.states == HEAVY[case]
    assert result.rounds == (1 if case[0] == "eager" else 2)


def test_scenario_13_who_processes_for_too_long_leaves_and_its_late_commit_fails():
    timing = Timing(6, 2, 5)
    model, state = settled(timing, faults=Faults(slow=1))
    busy = play(model, state, "c1 processes for too long")
    late, generation = client(busy, 1).member_id, group(busy).generation
    before = wait(model, busy, timing.max_poll - 1)
    assert late in members(before)
    after = wait(model, before, 1, but=("JoinGroup(member new",))
    assert late not in members(after)
    assert client(after, 1).owned == client(busy, 1).owned, "it processes on"
    assert client(after, 1).member_id == "", "it will have to join as a new member"
    assert not beliefs(model, after).beliefs[0].commits
    commit = requests.OffsetCommit(1_000_001, late, generation)
    ((_, mail),) = model.context.brokers.handle(after.world.broker, commit)
    assert mail[0][1].error == errors.UNKNOWN_MEMBER_ID
    back = wait(model, after, 2)
    assert len(members(back)) == 2


@pytest.mark.parametrize("delay", [0, 1])
def test_scenario_14_a_rebalance_is_noticed_within_one_interval(delay):
    timing = Timing(6 + delay, 2, 8, delay=delay)
    waits = set()
    for state in walk(timing, partitions=1, faults=Faults(leave=1)).exploration.graph.states:
        left = due(state, requests.JOIN)
        if group(state) is None or group(state).state != PREPARING or group(state).initial or left is None:
            continue
        for number in (1, 2):
            c = client(state, number)
            if (
                c.run is Process.UP
                and c.state is ClassicState.STABLE
                and not c.rejoin
                and c.member_id in members(state)
            ):
                waits.add(timing.rebalance_timeout - left)
    assert max(waits) == timing.heartbeat + delay


@pytest.mark.parametrize("after", [0, 1])
def test_scenario_17_a_crash_is_noticed_a_session_after_the_last_heartbeat(after):
    timing = Timing(6, 3, 8)
    model, state = settled(timing, faults=Faults(crash=1))
    while state.clocks[1].beat != timing.heartbeat:
        state = wait(model, state, 1)
    gone = play(model, wait(model, state, after), "c2 crashes")
    ghost = client(state, 2).member_id
    last = wait(model, gone, timing.session - after - 1)
    assert ghost in members(last)
    assert due(last, requests.SESSION, ghost) == 1
    assert ghost not in members(wait(model, last, 1))


def test_scenario_27_a_joiner_past_the_rebalance_timeout_is_dropped_and_comes_back():
    timing = Timing(9, 2, 5)
    model, state = settled(timing, started=1, members=2, faults=Faults(pause=1))
    away = play(model, state, "c1 pauses", "c2 start", "c2 JoinGroup", "c2 JoinGroup")
    last = wait(model, away, timing.rebalance_timeout - 1, but=("resumes",))
    assert group(last).state == PREPARING
    dropped = wait(model, last, 1, but=("resumes",))
    assert members(dropped) == {client(dropped, 2).member_id}
    told = play(model, play(model, dropped, "c1 resumes"), "c1 Heartbeat")
    assert "UNKNOWN_MEMBER_ID" in {a.reply for a, _ in model.steps(play(model, dropped, "c1 resumes"))}
    assert client(told, 1).member_id == ""
    back = wait(model, told, timing.heartbeat)
    assert len(members(back)) == 2


@pytest.mark.parametrize("load", [1, 5, 9])
def test_scenario_43_members_back_within_the_session_survive_a_coordinator_that_loads(load):
    timing = Timing(6, 2, 8, load=load)
    result = walk(timing, partitions=1, faults=Faults(failover=1))
    only_known(result, "generation-once")
    assert found(result, "live-members-kept") == {}
    replies = {action.reply for action in result.exploration.graph.actions}
    assert errors.COORDINATOR_LOAD_IN_PROGRESS in replies
    model, state = settled(timing, faults=Faults(failover=1))
    moved = play(model, state, "coordinator moves to another broker")
    assert group(wait(model, moved, load - 1)) is None
    loaded = wait(model, moved, load)
    assert {due(loaded, requests.SESSION, member) for member in members(loaded)} <= set(
        range(timing.session + 1)
    )
    later = wait(model, loaded, 2 * timing.session)
    assert (members(later), group(later).generation) == (members(state), group(state).generation)


def test_scenario_44_an_abandoned_id_expires_and_unblocks_the_join_phase():
    timing = Timing(6, 2, 20)
    model, state = settled(timing, started=1, members=2, faults=Faults(loss=1, crash=1, partitions=1))
    away = play(model, state, "c2 start", "c2 reply lost", "c2 crashes")
    assert group(away).pending_join == ("c2-1",)
    grown = play(model, away, "metadata t grows")
    last = wait(model, grown, timing.session - 1)
    assert group(last).state == PREPARING
    assert client(last, 1).waits == "join"
    done = wait(model, last, 1)
    assert group(done).pending_join == ()
    assert (group(done).state, members(done)) == (STABLE, {client(done, 1).member_id})


def test_scenario_44_without_that_rule_the_join_phase_lasts_to_its_timeout():
    timing = Timing(6, 2, 20)
    switches = frozenset({"pending_blocks_forever"})
    faults = Faults(loss=1, crash=1, partitions=1)
    model, state = settled(timing, started=1, members=2, faults=faults, switches=switches)
    away = play(model, state, "c2 start", "c2 reply lost", "c2 crashes", "metadata t grows")
    stalled = wait(model, away, timing.rebalance_timeout - 1)
    assert group(stalled).state == PREPARING
    assert group(wait(model, stalled, 1)).state == STABLE


def test_scenario_45_three_quick_joiners_share_one_generation():
    timing = Timing(9, 2, 12, initial_delay=3)
    model = timed(timing, members=3)
    state = play(model, first(model), "c1 start")
    for number in (2, 3):
        state = wait(model, state, timing.initial_delay - 1)
        state = play(model, state, f"c{number} start")
    assert group(state).generation == 0
    done = wait(model, state, 2 * timing.initial_delay)
    assert (group(done).generation, group(done).state, len(members(done))) == (1, STABLE, 3)


def test_scenario_45_the_initial_delay_ends_with_the_rebalance_timeout():
    timing = Timing(9, 2, 7, initial_delay=3)
    model = timed(timing, members=4)
    state = play(model, first(model), "c1 start")
    for number in (2, 3, 4):
        state = play(model, wait(model, state, 2), f"c{number} start")
    assert group(state).generation == 0
    assert group(wait(model, state, 1)).generation == 1
