from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.java.randomness import POSITIVE_INTS, JavaRandom, Recorded, shuffle


@given(seed=st.integers(-(2**63), 2**63 - 1), bound=st.integers(1, POSITIVE_INTS))
def test_numbers_are_below_their_bound_and_follow_from_the_seed(seed, bound):
    first, then = JavaRandom(seed), JavaRandom(seed)
    drawn = [first.next_int(bound) for _ in range(5)]
    assert all(0 <= number < bound for number in drawn)
    assert [then.next_int(bound) for _ in range(5)] == drawn


def test_all_numbers_below_a_bound_are_about_equally_likely():
    random = JavaRandom(1)
    counts = Counter(random.next_int(6) for _ in range(6_000))
    assert set(counts) == set(range(6))
    assert min(counts.values()) > 850


@pytest.mark.parametrize("bound", [0, -1, POSITIVE_INTS + 1])
def test_a_bound_without_numbers_is_bad_input(bound):
    with pytest.raises(InputError, match="expected 1 to"):
        JavaRandom(0).next_int(bound)


@given(items=st.lists(st.integers(), max_size=12), seed=st.integers(0, 999))
def test_shuffling_permutes(items, seed):
    shuffled = list(items)
    shuffle(shuffled, JavaRandom(seed))
    assert sorted(shuffled) == sorted(items)


def test_shuffling_draws_from_the_end():
    items = ["a", "b", "c"]
    draws = Recorded([(3, 0), (2, 0)])
    shuffle(items, draws)
    assert items == ["b", "c", "a"]
    assert draws.left == 0
    shuffle(["alone"], Recorded([]))


def test_a_run_that_strays_from_the_record_is_told():
    draws = Recorded([(3, 2)])
    with pytest.raises(InputError, match="draw 1: bound 4, expected 3"):
        draws.next_int(4)
    assert (draws.next_int(3), draws.left) == (2, 0)
    with pytest.raises(InputError, match="draw 2: bound 3, expected no further draw"):
        draws.next_int(3)
