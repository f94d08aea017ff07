"""Heartbeats against sessions, on the clock (scenarios 10 to 14)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.java import string_hash, utils_abs
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.world.clock import Timing
from tests.model.protocols.coordinator.drive import Drive
from tests.model.protocols.world.timed_worlds import losses_survived


def alive_after_losses(session: int, interval: int, lost: int) -> bool:
    """Whether a member is still there when `lost` heartbeats in a row were lost and the next arrives."""
    drive = Drive()
    (member,) = drive.stable(1, session_timeout=session)
    assert drive.heartbeat(member) == errors.NONE
    end = drive.now + interval * (lost + 1)
    while drive.now < end:
        step = min([end - drive.now, *(order.due for order in drive.host.armed[:1])])
        if drive.now + step == end:
            # A delivery precedes an expiry at the same instant.
            drive.host = drive.host.later(step)
            break
        drive.wait(step)
    return drive.heartbeat(member) == errors.NONE


def test_scenario_09_the_coordinator_is_found_by_the_hash_of_the_group():
    assert string_hash("polygenelubricants") == -(2**31)
    assert utils_abs(string_hash("polygenelubricants")) % 50 == 0
    assert utils_abs(string_hash("hello")) % 50 == 99_162_322 % 50


def test_scenario_10_two_losses_survive_three_expire():
    assert alive_after_losses(6_000, 2_000, 2)
    assert not alive_after_losses(6_000, 2_000, 3)


def test_scenario_11_below_three_heartbeats_two_losses_expire():
    assert not alive_after_losses(5_900, 2_000, 2)


@given(st.integers(1, 400), st.integers(1, 400), st.integers(0, 5))
def test_losses_survived_is_what_the_coordinator_does(interval, more, lost):
    session = interval + more
    assert alive_after_losses(session, interval, lost) == (lost <= losses_survived(session, interval))


@given(st.integers(1, 10_000), st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_rule_of_three_survives_two_losses(interval, delay, more):
    assert losses_survived(3 * interval + delay + more, interval, delay) >= 2


@pytest.mark.parametrize(("session", "interval"), [(6, 6), (6, 7)])
def test_scenario_12_the_interval_must_be_shorter_than_the_session(session, interval):
    with pytest.raises(InputError, match=f"heartbeat interval {interval} ticks"):
        Timing(session, interval).check()
    Timing(session, session - 1).check()


def test_scenario_13_a_late_commit_in_flight_is_refused():
    drive = Drive()
    slow, _ = drive.stable(2)
    generation = drive.classic.generation
    drive.leave(slow)
    assert drive.commit(slow, generation) == errors.UNKNOWN_MEMBER_ID


def test_scenario_14_a_rebalance_is_noticed_with_the_next_heartbeat():
    drive = Drive()
    first, second = drive.stable(2)
    drive.join(second, metadata=requests.Subscription(("foo", "bar")))
    assert drive.heartbeat(first) == errors.REBALANCE_IN_PROGRESS
