"""Connectors, tasks, and what a worker runs after it was told.

What a leader remembers.
"""

import pytest

from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    ConnectWorker,
    LeaderState,
    WorkerChange,
    after,
    work_key,
)
from kassay.model.errors import InputError

TASK = ConnectorTaskId("a-b", 10)


def test_a_task_is_read_as_it_is_written():
    assert ConnectorTaskId.parse(str(TASK)) == TASK


@pytest.mark.parametrize("text", ["", "a", "a-", "a-x", "a-²"])
def test_other_text_is_no_task(text):
    with pytest.raises(InputError, match="expected CONNECTOR-NUMBER"):
        ConnectorTaskId.parse(text)


def test_work_is_ordered_as_in_java_connectors_first():
    work = [ConnectorTaskId("\U0001f600", 0), TASK, ConnectorTaskId("a-b", 2), "\uff5e", "\U0001f600", "b"]
    assert sorted(work, key=work_key) == [
        "b",
        "\U0001f600",
        "\uff5e",
        ConnectorTaskId("a-b", 2),
        TASK,
        work[0],
    ]


def test_a_worker_keeps_what_it_is_not_told_to_stop_connectors_first():
    worker = ConnectWorker("w", ("a", TASK, "b"))
    assert after(worker, WorkerChange(("c", "b"), ("a", "never ran"))) == ("b", "c", TASK)


def test_who_runs_what_and_what_should_run():
    request = ConnectRequest(
        (("a", 2), ("b", 0)), (ConnectWorker("w", ("a", "a")), ConnectWorker("v", ("a",)))
    )
    assert request.configured == {"a", "b", ConnectorTaskId("a", 0), ConnectorTaskId("a", 1)}
    assert request.runners == {"a": ("w", "v")}


def test_workers_and_connectors_stand_once():
    with pytest.raises(InputError, match="different ids"):
        ConnectRequest((), (ConnectWorker("w"), ConnectWorker("w")))
    with pytest.raises(InputError, match="different names"):
        ConnectRequest((("a", 1), ("a", 2)), ())


def test_equal_answers_have_equal_hashes():
    one, two = (ConnectAssignment({"w": WorkerChange(("a",))}, 3) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)


def test_a_memory_is_a_value():
    assert len({LeaderState(), LeaderState(delay_ms=0), LeaderState(delay_ms=1)}) == 2
