from kassay.certify.kinds.cuts import with_one, without_one, without_runs


def test_runs_are_left_out_the_longest_first():
    assert list(without_runs((1, 2, 3, 4), 2)) == [(3, 4), (1, 2), (2, 3, 4), (1, 3, 4), (1, 2, 4), (1, 2, 3)]
    assert list(without_runs((1,), 1)) == [()]
    assert list(without_runs((), 0)) == []


def test_each_item_is_left_out_or_replaced_in_turn():
    assert list(without_one("ab")) == ["b", "a"]
    assert list(with_one((1, 0, 2), range)) == [(0, 0, 2), (1, 0, 0), (1, 0, 1)]
