"""Histories of Connect clusters as documents."""

import json

import pytest

from kassay.assignors.connect.incremental import ConnectIncremental
from kassay.model.connect.documents import (
    CONNECT_HISTORY,
    CONNECT_STEP,
    connect_step_to_json,
    connector_spread,
)
from kassay.model.connect.player import asking, run_connect
from kassay.model.errors import InputError
from kassay.properties.connect.scenarios import (
    CONNECT_AIMS,
    CONNECT_SMALL,
    aimed_connect_history,
    connect_history,
)
from kassay.properties.sources import Seeded

START = {"workers": ["x"]}


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read(seed):
    case = connect_history(Seeded(seed), CONNECT_SMALL, ownership_conflicts=True)
    assert CONNECT_HISTORY.read(json.loads(json.dumps(CONNECT_HISTORY.write(case))), "case") == case


@pytest.mark.parametrize("aim", sorted(set(CONNECT_AIMS.values())))
def test_what_is_told_has_the_form_that_is_promised(aim):
    for step in run_connect(aimed_connect_history(Seeded(1), aim), asking(ConnectIncremental)).steps:
        CONNECT_STEP.read(json.loads(json.dumps(connect_step_to_json(step))), "narration")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workers": []}, "case.workers: expected at least one worker"),
        ({"workers": ["x", "x"]}, "case.workers: expected at least one worker"),
        ({"connectors": [["a", 1], ["a", 2]]}, "case.connectors: expected each connector listed once"),
        ({"connectors": [["a", -1]]}, r"case.connectors\[0\]: expected a whole number"),
        ({"connectors": [["a"]]}, r"case.connectors\[0\]: expected a pair"),
        (
            {"connectors": [["a", 1_000_000], ["b", 1]]},
            "case.connectors: expected at most 1000000 tasks in all, got 1000001",
        ),
        (
            {
                "connectors": [["a", 1]],
                "changes": [{"events": [{"event": "ConnectorCreate", "connector": "b", "tasks": 1_000_000}]}],
            },
            "case.changes: expected at most 1000000 tasks in all, got 1000001",
        ),
        ({"max_delay_ms": -1}, "case.max_delay_ms: expected a whole number"),
        ({"changes": [{"wait_ms": -1}]}, r"case.changes\[0\].wait_ms"),
        ({"changes": [{"events": [{"event": "Nap"}]}]}, "unknown event 'Nap'"),
        (
            {"changes": [{"events": [{"event": "WorkerJoin", "worker": "y", "running": {"tasks": ["a"]}}]}]},
            "running.tasks: task id 'a'",
        ),
    ],
)
def test_bad_documents_are_told_by_place(change, message):
    with pytest.raises(InputError, match=message):
        CONNECT_HISTORY.read({**START, **change}, "case")


def test_the_spread_of_a_connector_is_over_the_workers():
    history = CONNECT_HISTORY.read({"workers": ["x", "y"], "connectors": [["a", 3], ["b", 1]]}, "case")
    (step,) = run_connect(history, asking(ConnectIncremental)).steps
    assert connector_spread(step) == 1
