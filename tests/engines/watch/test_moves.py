"""Moves between two observations: those of members who stay, and those that were not needed."""

from kassay.engines.watch.moves import Moves, moves_between, owned_by
from tests.engines.watch.sights import sight

BEFORE = owned_by(sight({"a": ["t-0", "t-1"], "b": ["t-2", "t-3"]}, {"t": 4}))


def test_nothing_moved():
    assert moves_between(BEFORE, sight({"a": ["t-0", "t-1"], "b": ["t-2", "t-3"]}, {"t": 4})) == Moves(0, 0)


def test_a_swap_is_needless():
    assert moves_between(BEFORE, sight({"a": ["t-2", "t-1"], "b": ["t-0", "t-3"]}, {"t": 4})) == Moves(2, 2)


def test_a_newcomer_needs_what_the_optimum_gives_it():
    after = {"a": ["t-0"], "b": ["t-2", "t-3"], "c": ["t-1"]}
    assert moves_between(BEFORE, sight(after, {"t": 4})) == Moves(1, 0)
    shuffled = {"a": ["t-3"], "b": ["t-2", "t-0"], "c": ["t-1"]}
    assert moves_between(BEFORE, sight(shuffled, {"t": 4})) == Moves(3, 2)


def test_what_a_member_had_who_left_did_not_move():
    assert moves_between(BEFORE, sight({"a": ["t-0", "t-1", "t-2", "t-3"]}, {"t": 4})) == Moves(0, 0)


def test_deleted_partitions_did_not_move():
    assert moves_between(BEFORE, sight({"a": ["t-0", "t-1"], "b": []}, {"t": 2})) == Moves(0, 0)


def test_the_optimum_of_a_streams_group_is_not_known():
    after = sight({"a": ["t-2", "t-1"], "b": ["t-0", "t-3"]}, {"t": 4}, kind="streams")
    assert moves_between(BEFORE, after) == Moves(2, 0)
