from __future__ import annotations

from random import Random

from kassay.solver.check.shapes import Due


def test_the_least_is_that_of_trying_every_count() -> None:
    rng = Random(5)
    for _ in range(500):
        own, base, most = rng.randint(0, 4), rng.randint(0, 3), rng.randint(0, 9)
        share = Due(own, own + rng.randint(1, 6), rng.randint(0, 30), rng.randint(1, 5))
        price = rng.randint(-300, 300)
        every = (share.pays(base + count) - price * count for count in range(most + 1))
        assert share.least(price, most, base) == min(every)


def test_a_place_pays_least_at_its_share() -> None:
    share = Due(2, 6, 12, 1)
    assert min(range(13), key=share.pays) == 4
