"""A memo holds at most so many answers, and never a wrong one."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.memo import MOST, Memo


@given(st.lists(st.integers(0, 9), max_size=50), st.integers(1, 6))
def test_what_a_memo_remembers_is_right_and_within_its_bounds(asked, most):
    memo = Memo(most)
    for key in asked:
        answer = memo.get(key)
        if answer is None:
            answer = memo[key] = key * 2
        assert answer == key * 2
        assert key in memo
        assert len(memo) <= most


def test_a_walk_of_usual_size_forgets_nothing():
    assert Memo().most == MOST > 50_000
