"""The incremental rule, beyond what the golden vectors hold.

The delays between successive revoking rounds.
"""

import pytest

from kassay.assignors.connect.incremental import ConnectIncremental, backoff_ms
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


# (maximum, delays of rounds 1 to 4) as Kafka's ExponentialBackoff gives them on a JVM
RECORDED = [
    (0, [0, 0, 0, 0]),
    (1, [1, 1, 1, 1]),
    (2, [2, 2, 2, 2]),
    (41, [40, 41, 41, 41]),
    (1000, [40, 999, 999, 999]),
    (10_000, [40, 1600, 10_000, 10_000]),
    (60_000, [40, 1600, 60_000, 60_000]),
    (98_251, [40, 1600, 64_000, 98_251]),
    (105_205, [40, 1600, 64_000, 105_204]),
    (300_000, [40, 1600, 64_000, 300_000]),
]


@pytest.mark.parametrize(("maximum", "delays"), RECORDED)
def test_delays_are_those_of_java(maximum, delays):
    assert [backoff_ms(times, maximum) for times in range(1, 5)] == delays


def test_a_delay_grows_with_the_rounds_and_never_passes_the_maximum():
    for maximum in (*range(200), 999, 1001, 2**31 - 1):
        delays = [backoff_ms(times, maximum) for times in range(1, 12)]
        assert delays == sorted(delays)
        assert max(0, maximum - 1) <= delays[-1] <= maximum
