"""Ownership out of callbacks: tenures, zombies, overlaps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.live.owners import FOREVER, covered, overlaps, owned_at, tenures, without, zombie_spans
from kassay.engines.live.program import TIMEOUTS, Called, Closing, Failed, Ready
from kassay.engines.live.recording import MS, Life
from kassay.engines.live.script import LiveSeat
from kassay.model.cluster import TopicPartition

A0, A1 = TopicPartition("a", 0), TopicPartition("a", 1)
S = 1000 * MS


def call(t, kind, phase, *partitions):
    return Called(t, kind, phase, frozenset(partitions))


def life(*events, name="m1", **more):
    return Life(LiveSeat(name, "java", ("range",)), 1, 0, (Ready(0, "java", "1"), *events), **more)


def test_a_tenure_is_from_the_end_of_one_callback_to_the_start_of_another():
    one = life(
        call(1, "assigned", "begin", A0, A1),
        call(2, "assigned", "end", A0, A1),
        call(5, "revoked", "begin", A0),
        call(6, "revoked", "end", A0),
    )
    assert [(t.partition, t.since, t.until) for t in tenures(one)] == [(A0, 2, 5), (A1, 2, FOREVER)]
    assert owned_at(one, 1) == set() and owned_at(one, 2) == {A0, A1} and owned_at(one, 5) == {A1}


@pytest.mark.parametrize(
    ("events", "more", "until"),
    [
        ((Closing(7),), {}, 7),
        ((Failed(8, True, "gone"),), {}, 8),
        ((Failed(8, False, "retried"),), {}, FOREVER),
        ((), {"ended": 9}, 9),
    ],
)
def test_a_tenure_ends_with_its_member(events, more, until):
    (one,) = tenures(life(call(2, "assigned", "end", A0), *events, **more))
    assert one.until == until


@pytest.mark.parametrize(("seconds", "is_zombie"), [(3, False), (10, True)])
def test_a_member_that_was_stopped_for_a_session_is_a_zombie_until_it_hears(seconds, is_zombie):
    begin, end = 1 * S, (1 + seconds) * S
    one = life(call(0, "assigned", "end", A0), call(end + S, "lost", "begin", A0), pauses=((begin, end),))
    assert zombie_spans(one, TIMEOUTS) == ([(begin, end + S)] if is_zombie else [])
    other = life(call(end + S // 2, "assigned", "end", A0), name="m2")
    (overlap,) = overlaps([one, other], TIMEOUTS)
    assert overlap.believed is is_zombie


@pytest.mark.parametrize(("strategy", "is_believed"), [("streams", True), ("range", False)])
def test_a_zombie_with_a_callback_for_each_partition_has_heard_after_all_of_them(strategy, is_believed):
    events = [call(0, "assigned", "end", A0, A1), call(11 * S, "revoked", "begin", A0)]
    events.append(call(12 * S, "revoked", "begin", A1))
    seat = LiveSeat("m1", "java", (strategy,))
    one = Life(seat, 1, 0, (Ready(0, "java", "1"), *events), pauses=((1 * S, 10 * S),))
    other = life(call(10 * S, "assigned", "end", A1), name="m2")
    (overlap,) = overlaps([one, other], TIMEOUTS)
    assert overlap.believed is is_believed


def test_what_outlasts_the_zombie_counts():
    one = life(
        call(0, "assigned", "end", A0), call(20 * S, "revoked", "begin", A1), pauses=((1 * S, 10 * S),)
    )
    other = life(call(9 * S, "assigned", "end", A0), name="m2")
    (overlap,) = overlaps([one, other], TIMEOUTS)
    assert (overlap.believed, overlap.since) == (False, 20 * S)


SPANS = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: tuple(sorted(pair)))


@given(SPANS, st.lists(SPANS, max_size=4))
def test_time_is_covered_once(span, others):
    times = {t for t in range(*span) if any(low <= t < high for low, high in others)}
    assert covered(others, *span) == len(times)


@given(SPANS, st.lists(SPANS, max_size=4))
def test_a_span_without_others_is_what_is_in_none(span, others):
    left = {t for low, high in without(span, others) for t in range(low, high)}
    assert left == {t for t in range(*span) if not any(low <= t < high for low, high in others)}
