"""What is known to be whole: from 0 on as long as nothing is missing, and from where keys stand twice."""

import pytest

from kassay.engines.audits.continuity import LogContinuity
from kassay.model.errors import InputError
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.offsets.sources import LogRow


def taken(*rows, start=None):
    """The continuity after rows of offset and key."""
    log = LogContinuity()
    if start is not None:
        log.start(start)
    for offset, key in rows:
        log.take(LogRow(Place("f", 1), offset, None, 1, hash(key)))
    return log


TWICE = [(10, "a"), (11, "b"), (12, "c"), (13, "a"), (14, "b"), (15, "c")]


def test_from_0_on_without_a_gap_all_is_there():
    log = taken((0, "a"), (1, "b"), start=0)
    assert (log.is_whole, log.is_inferred, log.unbroken_from) == (True, False, 0)


def test_behind_gaps_nothing_is_known_until_keys_stand_twice():
    for count in range(1, 7):
        log = taken((0, "x"), (2, "y"), *TWICE[:count])
        assert (log.is_whole, log.unbroken_from, log.gaps) == (count == 6, 10, 2)
        assert log.is_inferred == log.is_whole


def test_behind_a_single_gap_nothing_is_known_however_often_keys_stand_there():
    again = [(offset + 6, key) for offset, key in TWICE]
    log = taken((0, "x"), *TWICE, *again)
    assert (log.is_whole, log.gaps, log.first_gap, log.has_single_gap) == (False, 1, (1, 9), True)
    assert not taken((0, "x"), (1, "y"), start=0).has_single_gap


def test_keys_on_both_sides_of_a_gap_say_nothing():
    assert not taken((0, "a"), (1, "b"), (2, "c"), (5, "a"), (6, "b"), (8, "c")).is_whole


def test_a_log_that_begins_late_is_never_whole():
    log = taken(*TWICE, start=10)
    assert (log.is_whole, log.begins_late) == (False, True)


def test_a_gap_behind_keys_that_stand_twice_is_none_of_the_cleaners():
    log = taken((0, "x"), (2, "y"), *TWICE, (20, "z"))
    assert (log.is_whole, log.is_torn) == (False, True)


def test_an_offset_that_comes_again_is_refused():
    with pytest.raises(InputError, match="offset: found 1 after 1, expected the segments"):
        taken((0, "a"), (1, "b"), (1, "c"))


def test_rows_without_offsets_say_nothing():
    log = LogContinuity()
    log.take(LogRow(Place("f", 1), None, None, 1, 0))
    assert (log.unbroken_from, log.is_whole) == (None, False)
