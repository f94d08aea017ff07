"""Histories of Streams applications as documents, and a rebalance as its reader sees it."""

import json

import pytest

from kassay.model.calls import Failure
from kassay.model.errors import FailureKind, InputError
from kassay.model.streams.documents import TASK_HISTORY, TASK_STEP, task_step_to_json
from kassay.model.streams.events import ProcessRetag
from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import (
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_id,
)
from kassay.properties.sources import Seeded
from kassay.properties.streams.scenarios import task_history

CASE = {"partitions": [2, 1], "stateful": 1, "processes": [{"process": process_id(0), "threads": 1}]}


def test_every_history_survives_the_round_trip():
    for seed in range(60):
        history = task_history(Seeded(seed))
        assert TASK_HISTORY.read(json.loads(json.dumps(TASK_HISTORY.write(history))), "case") == history


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stateful": 3}, "case.stateful: expected at most 2 subtopologies, got 3"),
        ({"processes": []}, "case.processes: expected at least one process, each listed once"),
        (
            {"processes": CASE["processes"] * 2},
            "case.processes: expected at least one process, each listed once",
        ),
        ({"processes": [{"process": "p", "threads": 1}]}, r"case.processes\[0\].process: .*UUID"),
        (
            {"partitions": [1_000_000, 1]},
            "partitions: expected at most 1000000 partitions in all, got 1000001",
        ),
        (
            {"processes": [{"process": process_id(p), "threads": 1_000_000} for p in range(2)]},
            "case.processes: expected at most 1000000 threads in all, got 2000000",
        ),
        (
            {
                "changes": [
                    {"events": [{"event": "ProcessJoin", "process": process_id(p), "threads": 600_000}]}
                    for p in (1, 2)
                ]
            },
            "case.changes: expected at most 1000000 threads in all, got 1200001",
        ),
        (
            {"processes": [{"process": process_id(0), "threads": 0}]},
            r"threads: expected .* at least 1 and at most 1000000, got 0",
        ),
        (
            {"changes": [{"events": [{"event": "Explode"}]}]},
            "unknown event 'Explode', expected one of ProcessJoin",
        ),
        (
            {"processes": [{"process": process_id(0), "threads": 1, "tags": {"zone": 1}}]},
            r"case.processes\[0\].tags.zone: expected a string, got 1",
        ),
        ({"rack_aware_tags": "zone"}, "case.rack_aware_tags: expected a list"),
        ({"changes": [{"lags": [-1]}]}, r"case.changes\[0\].lags\[0\]: expected .* at least 0"),
    ],
)
def test_a_damaged_history_is_refused_by_field(change, message):
    with pytest.raises(InputError, match=message):
        TASK_HISTORY.read(CASE | change, "case")


def test_a_rebalance_is_shown_with_lags_of_copies_alone_and_tasks_in_order():
    low, high = TaskId(0, 2), TaskId(0, 10)
    client = TaskClient(process_id(0), 2, (high,), (low,), ((low, 5), (high, -2)))
    request = TaskRequest((client,), (high, low), (low,), 1, 100, 2)
    answer = TaskAssignment({client.process_id: ClientTasks((low, high), ())}, True)
    document = task_step_to_json(TaskStep(request, answer, at_rest=True))
    assert (document["tasks"], document["stateful"]) == (["0_2", "0_10"], ["0_2"])
    assert document["processes"] == [
        {"id": client.process_id, "threads": 2, "active": ["0_10"], "standby": ["0_2"], "lags": {"0_2": 5}}
    ]
    assert (document["probing_rebalance"], document["at_rest"]) == (True, True)
    assert document["answer"] == {client.process_id: {"active": ["0_2", "0_10"], "standby": []}}
    failed = task_step_to_json(TaskStep(request, Failure(FailureKind.DIED, "gone")))
    assert failed["failure"] == {"kind": "died", "message": "gone"}
    assert "answer" not in failed


def test_tags_and_racks_stand_in_documents_where_there_are_any():
    tagged = {"process": process_id(0), "threads": 1, "rack": "r", "tags": {"host": "h", "zone": "a"}}
    again = {"event": "ProcessRetag", "process": process_id(0), "tags": {"zone": "b"}}
    case = CASE | {
        "processes": [tagged],
        "changes": [{"events": [again], "lags": []}],
        "rack_aware_tags": ["zone"],
    }
    history = TASK_HISTORY.read(case, "case")
    assert history.processes[0].tags == (("host", "h"), ("zone", "a"))
    assert history.changes[0].events == (ProcessRetag(process_id(0), None, (("zone", "b"),)),)
    written = TASK_HISTORY.write(history)
    assert {name: written[name] for name in case} == case
    plain = TASK_HISTORY.write(TASK_HISTORY.read(CASE, "case"))
    assert "rack_aware_tags" not in plain
    assert plain["processes"] == CASE["processes"]


def test_a_rebalance_shows_where_processes_run():
    client = TaskClient(process_id(0), 1, rack="r", tags=(("zone", "a"),))
    request = TaskRequest((client,), (), (), 1, 100, 2, ("zone",))
    document = task_step_to_json(TaskStep(request, TaskAssignment({})))
    assert document["rack_aware_tags"] == ["zone"]
    assert (document["processes"][0]["rack"], document["processes"][0]["tags"]) == ("r", {"zone": "a"})
    TASK_STEP.read(document, "step")
