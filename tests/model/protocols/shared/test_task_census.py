"""The census of tasks is a plain value: two worlds alike in it are one to the invariants."""

from kassay.model.protocols.shared.task_census import Holding, TaskCensus


def test_equal_censuses_are_one():
    holding = Holding("c1", "p1", ("0_0",), ())
    assert len({TaskCensus((holding,), ()), TaskCensus((Holding("c1", "p1", ("0_0",), ()),), ())}) == 1
    assert TaskCensus((holding,), ()) != TaskCensus((), (holding,))
