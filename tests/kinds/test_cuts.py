from kassay.kinds.cuts import compositions, one_or_two, with_one, without_one, without_runs


def test_runs_are_left_out_the_longest_first():
    assert list(without_runs((1, 2, 3, 4), 2)) == [(3, 4), (1, 2), (2, 3, 4), (1, 3, 4), (1, 2, 4), (1, 2, 3)]
    assert list(without_runs((1,), 1)) == [()]
    assert list(without_runs((), 0)) == []


def test_each_item_is_left_out_or_replaced_in_turn():
    assert list(without_one("ab")) == ["b", "a"]
    assert list(with_one((1, 0, 2), range)) == [(0, 0, 2), (1, 0, 0), (1, 0, 1)]


def test_two_things_are_taken_away_after_each_alone():
    assert list(one_or_two((1, 2, 3), without_one)) == [
        *((2, 3), (1, 3), (1, 2)),
        *((3,), (2,), (3,), (1,), (2,), (1,)),
    ]


def test_a_number_is_written_as_a_sum_in_every_order():
    assert list(compositions(0)) == [()]
    assert len(set(compositions(5))) == 2**4
