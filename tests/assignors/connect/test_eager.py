"""The eager rule, beyond what the golden vectors hold."""

import pytest

from kassay.assignors.connect.eager import ConnectEager
from kassay.assignors.java_errors import NullPointerError
from kassay.model.connect.work import ConnectorTaskId, ConnectRequest, ConnectWorker


def test_tasks_go_on_where_the_connectors_ended_whatever_was_reported():
    workers = (ConnectWorker("b", ("c",)), ConnectWorker("a"))
    answer = ConnectEager().assign(ConnectRequest((("c", 2),), workers))
    assert {worker: change.assigned for worker, change in answer.workers.items()} == {
        "a": ("c", ConnectorTaskId("c", 1)),
        "b": (ConnectorTaskId("c", 0),),
    }


def test_without_a_worker_it_fails_as_in_java():
    with pytest.raises(NullPointerError):
        ConnectEager().assign(ConnectRequest((("c", 1),), ()))
