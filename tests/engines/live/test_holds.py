"""Who of a share group held which record, and where two held one at a time."""

from dataclasses import replace

import pytest

from kassay.engines.live.holds import double_holds, holds
from kassay.engines.live.program import Acknowledged, Closed, RecordsRead, Span
from kassay.engines.live.recording import MS
from tests.engines.live.shares import A0, LOCK, act, life, recording


def spans(first, last):
    return (Span(A0, first, last, last - first + 1),)


def read(t, first, last, since=None):
    return RecordsRead(t * MS, spans(first, last), None if since is None else since * MS)


def accepted(t, first, last):
    return Acknowledged(t * MS, (t - 1) * MS, spans(first, last))


def held(*events, **more):
    return sorted(
        (each.first, each.last, each.since // MS, each.until // MS)
        for each in holds(life("m1", *events, **more), LOCK)
    )


def test_a_record_is_held_from_its_delivery_until_its_acknowledgement():
    assert held(read(10, 0, 4), accepted(15, 0, 1), accepted(20, 4, 4), Closed(30 * MS)) == [
        (0, 1, 10, 15),
        (2, 3, 10, 30),
        (4, 4, 10, 20),
    ]


@pytest.mark.parametrize(("since", "until"), [(None, 10 + LOCK), (4, 4 + LOCK)])
def test_a_record_is_held_at_most_as_long_as_its_lock_lasts(since, until):
    assert held(read(10, 0, 0, since), accepted(20 + LOCK, 0, 0)) == [(0, 0, 10, until)]


def test_a_member_that_is_killed_holds_nothing():
    assert held(read(10, 0, 0), ended=12 * MS) == [(0, 0, 10, 12)]


def doubles(first, second, steps=(), **more):
    return double_holds(recording(life("m1", *first, **more), life("m2", *second), steps=steps))


def test_two_members_that_hold_a_record_are_found_with_the_records():
    (one,) = doubles((read(10, 0, 4), accepted(40, 0, 4)), (read(20, 3, 8), accepted(50, 3, 8)))
    assert (one.first, one.last, one.since // MS, one.until // MS) == (3, 4, 20, 40)
    assert (one.one.life.name, one.other.life.name) == ("m1", "m2")


@pytest.mark.parametrize(
    "second",
    [read(41, 0, 4), read(10 + LOCK, 0, 4), read(20, 5, 8)],
    ids=["after its acknowledgement", "after its lock", "other records"],
)
def test_what_is_not_held_at_the_same_time_is_left_alone(second):
    assert doubles((read(10, 0, 4), accepted(40, 0, 4)), (second,)) == []


def test_a_member_holds_a_record_twice_on_its_own():
    assert doubles((read(10, 0, 0), read(20, 0, 0)), ()) == []


def test_a_broker_that_ends_gives_up_its_locks():
    both = ((read(10, 0, 0),), (read(30, 0, 0),))
    assert len(doubles(*both)) == 1
    restart = act("restart-broker", 20, 40)
    assert doubles(*both, steps=(restart,)) == []
    later = act("restart-broker", 2, 15)
    assert doubles(*both, steps=(later,)) == []
    assert len(doubles(*both, steps=(replace(later, began=50 * MS, ended=60 * MS),))) == 1


def test_a_member_that_was_stopped_for_a_session_holds_nothing_meanwhile():
    second = (read(LOCK - 100, 0, 0),)
    assert len(doubles((read(10, 0, 0),), second)) == 1
    stopped = ((20 * MS, (2 * LOCK) * MS),)
    assert doubles((read(10, 0, 0),), second, pauses=stopped) == []
