"""Moves are recorded from first to present owner, and one the other way sends back what came from there."""

from random import Random

from kassay.assignors.sticky.moves import PartitionMovements
from kassay.model.cluster import TopicPartition
from tests.assignors.client.groups import tps

T0, T1, T2, U0 = tps("t-0 t-1 t-2 u-0")


def test_what_came_from_there_goes_back_in_place_of_another_of_its_topic():
    moves = PartitionMovements()
    moves.record(T0, 1, 2)
    moves.record(T1, 1, 2)
    assert moves.to_be_moved(T2, 2, 1) == T0, "the first that is still recorded"
    assert moves.to_be_moved(T2, 1, 2) == T2
    assert moves.to_be_moved(T2, 2, 3) == T2
    assert moves.to_be_moved(U0, 2, 1) == U0, "another topic"
    moves.record(T0, 2, 1)
    assert moves.to_be_moved(T2, 2, 1) == T1


def test_a_partition_that_moved_before_counts_from_its_first_owner():
    moves = PartitionMovements()
    moves.record(T0, 1, 2)
    moves.record(T0, 2, 3)
    moves.record(T1, 3, 2)
    assert moves.to_be_moved(T2, 3, 1) == T0, "it came from 1"
    assert moves.to_be_moved(T2, 3, 2) == T2, "it did not come from 2"
    moves.record(T2, 3, 1)
    assert moves.to_be_moved(T0, 3, 3) == T2, "from 1, where it was first, to 3"


def test_the_record_holds_the_first_and_the_present_owner_of_all_that_is_away():
    """Against a list of where each partition began; a partition sent back really came that way."""
    for seed in range(60):
        rng = Random(seed)
        home = {TopicPartition(t, p): rng.randrange(3) for t in "tu" for p in range(4)}
        owner, moves = dict(home), PartitionMovements()
        for _ in range(25):
            asked, target = rng.choice(list(home)), rng.randrange(3)
            if target == owner[asked]:
                continue
            moving = moves.to_be_moved(asked, owner[asked], target)
            source = home[asked] if owner[asked] != home[asked] else owner[asked]
            back = {
                tp for tp in home if tp.topic == asked.topic and (home[tp], owner[tp]) == (target, source)
            }
            back -= {tp for tp in back if owner[tp] == home[tp]}
            assert moving in back if back else moving == asked
            if owner[moving] != target:
                moves.record(moving, owner[moving], target)
                owner[moving] = target
