from hypothesis import example, given
from hypothesis import strategies as st

from kassay.model.java.int32 import INT_MIN, remainder, to_positive, utils_abs, wrap

ints = st.integers(INT_MIN, -INT_MIN - 1)


@given(st.integers())
def test_wrapping_keeps_the_low_32_bits(value):
    assert INT_MIN <= wrap(value) < -INT_MIN
    assert (wrap(value) - value) % 2**32 == 0


@given(ints, st.integers(1, 2**31 - 1))
def test_the_remainder_has_the_sign_of_the_value(value, divisor):
    left = remainder(value, divisor)
    assert (value - left) % divisor == 0
    assert abs(left) < divisor
    assert left == 0 or (left > 0) == (value > 0)


@given(ints)
@example(INT_MIN)
def test_both_ways_to_a_non_negative_int(value):
    assert utils_abs(value) == (0 if value == INT_MIN else abs(value))
    assert to_positive(value) == (value if value >= 0 else value + 2**31)
