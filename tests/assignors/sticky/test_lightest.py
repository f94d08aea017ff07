"""The lightest member at hand is the one that a look at all of them finds."""

from random import Random

from kassay.assignors.sticky.lightest import Heap, Lightest


def lightest(owned, members):
    return min(members, key=lambda member: (len(owned[member]), member))


def test_whoever_is_loaded_is_the_lightest_of_all():
    for seed in range(40):
        rng = Random(seed)
        owned = {member: [None] * rng.randint(0, 4) for member in range(rng.randint(1, 5))}
        heap = Heap(owned, reversed(owned))
        for _ in range(12):
            expected = lightest(owned, owned)
            assert heap.lightest() == (len(owned[expected]), expected)
            assert heap.load_lightest() == expected
            owned[expected].append(None)


def test_the_lightest_is_known_while_loads_rise_and_fall():
    for seed in range(40):
        rng = Random(seed)
        owned = {member: [None] * rng.randint(0, 4) for member in range(6)}
        ours = rng.sample(range(6), 4)
        lowest = Lightest(owned, ours)
        for _ in range(30):
            member = rng.randrange(6)
            if owned[member] and rng.random() < 0.5:
                owned[member].pop()
            else:
                owned[member].append(None)
            lowest.changed(member)
            if rng.random() < 0.7:
                assert lowest.first() == lightest(owned, ours)
