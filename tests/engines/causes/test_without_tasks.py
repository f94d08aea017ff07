"""Lives of applications and Connect clusters with one thing less, in words."""

from kassay.kinds.connect.words import connect_removals
from kassay.kinds.streams.words import task_removals


def test_what_a_process_does_is_left_out():
    case = {
        "processes": [{"process": "p", "threads": 2}, {"process": "q", "threads": 1}],
        "partitions": [2],
        "stateful": 1,
        "standby_replicas": 1,
        "changes": [{"events": [{"event": "ProcessLeave", "process": "q"}], "lags": [1]}, {"events": []}],
    }
    words = {less.words: less for less in task_removals(case)}
    assert words["q leaving"].event
    assert words["q leaving"].case["changes"][0]["events"] == []
    assert len(words["rebalance 3"].case["changes"]) == 1
    assert words["the 2 threads of p"].case["processes"][0]["threads"] == 1
    assert words["one task of subtopology 0"].extent == (2, "task of subtopology 0")
    assert {"state", "one standby copy", "the copies behind before rebalance 2"} <= set(words)
    alone = {**case, "partitions": [2, 1]}
    assert "one task of subtopology 1" not in {less.words for less in task_removals(alone)}, (
        "none would be left"
    )


def test_what_a_worker_does_is_left_out():
    case = {
        "workers": ["w0", "w1"],
        "connectors": [["c0", 2]],
        "changes": [{"wait_ms": 5, "events": [{"event": "WorkerLeave", "worker": "w1"}]}],
    }
    words = {less.words: less for less in connect_removals(case)}
    assert words["w1 leaving"].event
    assert words["the 5 ms before rebalance 2"].case["changes"][0]["wait_ms"] == 0
    assert words["one task of c0"].case["connectors"] == [["c0", 1]]
    assert words["worker w0"].extent == (1, "worker")
