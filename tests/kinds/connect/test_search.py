"""Connect: one event in each cluster, that is one of those that may happen there."""

import random

from kassay.kinds.connect.search import ConnectSearch


def test_one_thing_happens():
    search, rng = ConnectSearch(), random.Random(3)
    case = search.widened(next(search.small((2, 2))), (3, 5))
    for _ in range(60):
        case = search.changed(case, rng)
        assert [len(change.events) for change in case.changes] == [1]


def test_all_that_is_configured_and_what_comes_on_one_worker():
    assert ConnectSearch().bound("spread", (3, 2)) == 4
    assert ConnectSearch().bound("moves", (3, 2)) is None
