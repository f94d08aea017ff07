"""Share groups: one member may go, and all may be on one partition."""

import random

from kassay.kinds.groups.search import ShareSearch


def test_a_member_goes_or_none_does():
    search, rng = ShareSearch(), random.Random(3)
    case = search.widened(next(search.small((2, 2))), (3, 4))
    events = set()
    for _ in range(60):
        case = search.changed(case, rng)
        events.add(case.events)
    assert events == {0, 1}


def test_all_members_on_one_partition_of_two():
    bound = ShareSearch().bound
    assert (bound("spread", (3, 2)), bound("spread", (3, 1)), bound("rounds", (3, 1))) == (3, 0, None)
