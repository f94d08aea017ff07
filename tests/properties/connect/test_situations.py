"""What a history has in it."""

import pytest

from kassay.model.connect.history import (
    ConnectChange,
    ConnectHistory,
    ConnectorCreate,
    ConnectorDelete,
    LeaderChange,
    WorkerJoin,
    WorkerLeave,
)
from kassay.properties.connect.situations import reached_by

GOES, COMES = WorkerLeave("y"), WorkerJoin("y")


@pytest.mark.parametrize(
    ("changes", "delay", "names"),
    [
        ((), 9, set()),
        ((ConnectChange(),), 9, {"no-change"}),
        ((ConnectChange(0, (GOES,)),), 9, {"worker-leaves"}),
        ((ConnectChange(0, (GOES,)),), 0, {"no-delay"}),
        (
            (ConnectChange(0, (GOES,)), ConnectChange(8, (COMES,))),
            9,
            {"worker-leaves", "worker-joins", "returns-in-time"},
        ),
        (
            (ConnectChange(0, (GOES,)), ConnectChange(9, (COMES,))),
            9,
            {"worker-leaves", "worker-joins", "returns-late"},
        ),
        (
            (ConnectChange(0, (GOES,)), ConnectChange(8, (WorkerJoin("z"), ConnectorDelete("a")))),
            9,
            {
                "worker-leaves",
                "worker-joins",
                "joins-while-waiting",
                "connector-deleted",
                "deleted-while-waiting",
            },
        ),
        (
            (ConnectChange(0, (GOES,)), ConnectChange(9, (WorkerJoin("z"), ConnectorDelete("a")))),
            9,
            {"worker-leaves", "worker-joins", "connector-deleted"},
        ),
        (
            (ConnectChange(0, (GOES,)), ConnectChange(8, (COMES, ConnectorDelete("a")))),
            9,
            {"worker-leaves", "worker-joins", "returns-in-time", "connector-deleted"},
        ),
        (
            (ConnectChange(0, (WorkerJoin("z"), ConnectorCreate("b", 1))),),
            9,
            {"worker-joins", "connector-created", "joins-and-creates"},
        ),
        ((ConnectChange(0, (WorkerLeave("nobody"), WorkerJoin("x"))),), 9, set()),
        ((ConnectChange(0, (WorkerJoin("z", ("a",)),)),), 9, {"worker-joins", "still-running"}),
        (
            (ConnectChange(0, (WorkerJoin("z"),)), ConnectChange(0, (WorkerJoin("w"),))),
            9,
            {"worker-joins", "joins-in-a-row"},
        ),
        ((ConnectChange(0, (WorkerJoin("z"),)), ConnectChange(1, (WorkerJoin("w"),))), 9, {"worker-joins"}),
        (
            (ConnectChange(0, (ConnectorDelete("a"), LeaderChange())),),
            9,
            {"connector-deleted", "leader-changes"},
        ),
    ],
)
def test_situations_are_found(changes, delay, names):
    assert reached_by(ConnectHistory(("x", "y"), (("a", 1),), delay, changes)) == names
