"""The incremental rule, beyond what the golden vectors hold."""

import pytest

from kassay.assignors.connect.incremental import ConnectIncremental
from kassay.assignors.java_errors import IndexOutOfBoundsError
from kassay.model.connect.work import ConnectorTaskId, ConnectRequest, ConnectWorker, after


def ask(connectors, workers, now_ms=0, memory=None, generation=1):
    request = ConnectRequest(connectors, workers, now_ms, 1000, generation, generation - 1, memory)
    return ConnectIncremental().assign(request)


def test_without_a_worker_it_fails_as_in_java():
    with pytest.raises(IndexOutOfBoundsError):
        ask((("c", 1),), ())


def test_a_leader_remembers_by_its_value_alone():
    first = ask((("c", 2),), (ConnectWorker("a"), ConnectWorker("b")))
    left = (ConnectWorker("a", after(ConnectWorker("a"), first.workers["a"])),)
    waits = ask((("c", 2),), left, 10, first.memory, 2)
    assert waits.delay_ms == 1000
    assert waits.workers["a"].assigned == ()
    assert waits == ask((("c", 2),), left, 10, first.memory, 2)
    lost = ask((("c", 2),), left, 1010, waits.memory, 3).workers["a"].assigned
    assert lost == first.workers["b"].assigned
    assert ask((("c", 2),), left, 10, None, 2).workers["a"].assigned == lost


def test_new_work_is_dealt_from_the_least_loaded_worker_up():
    running = tuple(ConnectorTaskId("b", number) for number in range(3))
    workers = (ConnectWorker("x", ("b", *running)), ConnectWorker("y"))
    request = (("a", 2), ("b", 3))
    assigned = ask(request, workers).workers
    assert assigned["y"].assigned == ("a", ConnectorTaskId("a", 0), ConnectorTaskId("a", 1))
    assert assigned["x"].revoked == ()
