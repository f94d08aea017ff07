"""When a census is complete: against a look at each wanted partition by itself.

The census of tasks is a plain value: two worlds alike in it are one to the invariants.
"""

from random import Random

from kassay.model.protocols.census import Belief, Census, Holding, Registered, TaskCensus, complete


def test_complete_is_one_owner_on_record_a_partition_who_believes_just_that():
    seen = set()
    for seed in range(400):
        rng = Random(seed)
        rows = [tuple(sorted(rng.sample(range(3), rng.choice((1, 1, 2))))) for _ in range(2)]
        registry = tuple(Registered(f"m{i}", "", ("t",), row) for i, row in enumerate(rows))
        beliefs = tuple(
            Belief(f"c{i}", f"m{i}", rng.random() < 0.9, True, True, row if rng.random() < 0.8 else ())
            for i, row in enumerate(rows)
        )
        wanted = (0, 1, 2)[: rng.randint(2, 3)]
        live = {belief.member_id: belief.owned for belief in beliefs if belief.live}
        owners = {tp: [entry.member_id for entry in registry if tp in entry.owned] for tp in range(3)}
        one_each = all(len(owners[tp]) == (tp in wanted) for tp in range(3))
        trusted = all(live.get(entry.member_id) == entry.owned for entry in registry)
        expected = (one_each or not live) and trusted
        assert complete(Census(beliefs, registry, wanted, False)) == expected
        seen.add(expected)
    assert seen == {True, False}


def test_where_nobody_lives_nothing_has_to_be_owned():
    assert complete(Census((Belief("c", "m", False, True, True, ()),), (), (0,), True))
    assert not complete(Census((Belief("c", "m", True, True, True, ()),), (), (0,), True))


def test_equal_censuses_are_one():
    holding = Holding("c1", "p1", ("0_0",), ())
    assert len({TaskCensus((holding,), ()), TaskCensus((Holding("c1", "p1", ("0_0",), ()),), ())}) == 1
    assert TaskCensus((holding,), ()) != TaskCensus((), (holding,))
