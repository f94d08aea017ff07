"""Growth is judged over every doubling, a bound at its size."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.properties.groups.scaling import NOISE_S, ScaleTiming, exponent, parse_scale, scales
from kassay.properties.registry import Evidence


def timings(*seconds):
    """One timing a doubling."""
    return tuple(ScaleTiming(25 << i, 250 << i, s) for i, s in enumerate(seconds))


@given(st.floats(0.1, 4), st.floats(0.1, 4))
def test_a_rule_of_a_known_exponent_is_told_from_the_allowed_one(grows, allowed):
    measured = timings(*(0.01 * 2 ** (grows * i) for i in range(4)))
    if not math.isclose(grows, allowed, abs_tol=0.01):
        broken = [e.subject for e in scales(measured, f"{allowed:f},3600,200x2000")]
        assert broken == (["growth"] if grows > allowed else [])


def test_one_doubling_in_time_is_enough_for_growth_to_be_noise():
    assert list(scales(timings(0.01, 0.08, 0.16), "2,1,100x1000")) == []
    assert [e.facts for e in scales(timings(0.01, 0.08, 0.64), "2,1,100x1000")] == [
        {"exponents": (3.0, 3.0), "allowed": 2.0}
    ]


def test_the_bound_is_for_the_last_size():
    quick = timings(0.01, 0.02, 0.04)
    assert list(scales(quick, "2,0.04,100x1000")) == []
    (found,) = scales(quick, "2,0.03,100x1000")
    words = "A rebalance of 100x1000 (members x partitions) took 0.04 s; the limit is 0.03 s."
    assert found == Evidence("100x1000", {"took seconds": 0.04, "allowed": 0.03}, words)


def test_short_times_say_nothing_of_growth():
    small, large = timings(NOISE_S / 2, 1.0)
    assert exponent(small, large) is None
    assert exponent(*timings(NOISE_S, 4 * NOISE_S)) == 2.0
    assert list(scales(timings(NOISE_S / 2, NOISE_S / 2, 1.0), "1,2,100x1000")) == []


@pytest.mark.parametrize(
    "text", ["", "2", "2,5", "x,5,1x1", "2,5,0x1", "2,5,1x0", "-1,5,1x1", "2,5,1x1,", "2,5,1 x1"]
)
def test_an_argument_without_sense_is_refused(text):
    with pytest.raises(
        InputError, match=r"expected scales:VALUE with exponent,seconds,MxP: .*, such as scales:2,2,100x1000"
    ):
        parse_scale(text)


def test_an_argument_is_read():
    assert parse_scale("1.5,0.25,3x40") == (1.5, 0.25, 3, 40)
