"""Copies go over the values of tags one by one, and by load where no value is left."""

import pytest

from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.assignors.streams.standby_tags import has_tags_of, place_over_tags
from kassay.assignors.streams.state import ProcessState
from kassay.model.streams.tasks import TaskClient, TaskId, TaskRequest, process_id

ONE, TWO = TaskId(0, 0), TaskId(0, 1)


def states(*values, keys=("zone", "cluster"), threads=()):
    """Processes with a letter for each tag, `-` for none."""
    return [
        ProcessState(
            TaskClient(
                process_id(2 * number),
                dict(enumerate(threads)).get(number, 1),
                tags=tuple((key, value) for key, value in zip(keys, own) if value != "-"),
            )
        )
        for number, own in enumerate(values)
    ]


def copies(processes, replicas, keys=("zone", "cluster"), runs=0):
    processes[runs].active.add(ONE)
    place_over_tags(processes, [ONE], replicas, keys)
    return {number for number, state in enumerate(processes) if ONE in state.standby}


@pytest.mark.parametrize(
    ("values", "replicas", "on"),
    [
        (["a", "a", "b"], 1, {2}),
        (["a", "a", "b", "c"], 2, {2, 3}),
        (["a", "a", "b"], 2, {1, 2}),
        (["ax", "ay", "bx", "by"], 1, {3}),
        (["ax", "ay", "by", "cy", "cx"], 2, {2, 3}),
        (["ax", "ay", "bx"], 1, {1}),
        (["a", "a"], 3, {1}),
        (["a"], 1, set()),
    ],
    ids=[
        "another zone",
        "a third zone",
        "zones are used up",
        "another zone and cluster",
        "clusters are used up",
        "nobody differs in both: by load",
        "too few processes",
        "nobody else",
    ],
)
def test_each_copy_differs_from_all_before_in_what_has_values_left(values, replicas, on):
    assert copies(states(*values), replicas) == on


def test_a_process_without_the_tag_differs_from_all():
    assert copies(states("a", "-", "b"), 1) == {1}
    assert copies(states("-", "a", "a"), 1) == {1}


def test_only_tags_that_are_asked_for_count():
    assert copies(states("ax", "ay", "bx"), 1, keys=("cluster",)) == {1}
    assert copies(states("ax", "ay", "bx"), 1, keys=("zone",)) == {2}


def test_of_processes_that_differ_the_least_loaded_is_taken():
    processes = states("a", "b", "b", "b", threads=(1, 1, 1, 2))
    processes[1].active.add(TWO)
    assert copies(processes, 1) == {2}
    for number in (2, 3):
        processes[number].active.add(TaskId(0, 9))
    processes[0].active.add(TWO)
    place_over_tags(processes, [TWO], 1, ("zone",))
    assert TWO in processes[3].standby


def test_a_first_choice_may_leave_no_process_for_the_next():
    processes = states("ax", "by", "bz", "cz")
    processes[1].active.add(TWO)
    assert copies(processes, 2) == {2, 3}, "b, z and then by load c, z, though b, y and c, z would differ"


def test_a_copy_may_move_where_all_tags_of_its_process_are():
    one, same, more, fewer = states("ax", "ax", "ay", "a-")
    assert has_tags_of(one, same)
    assert not has_tags_of(one, more)
    assert not has_tags_of(one, fewer)
    assert has_tags_of(fewer, one)


@pytest.mark.parametrize(
    ("hosts", "counts"), [("", [2, 2, 2, 3]), ("1234", [3, 2, 1, 3])], ids=["zones alone", "a host each"]
)
def test_a_tag_that_nothing_is_spread_over_keeps_copies_from_moving(hosts, counts):
    zones = "aaab"
    tasks = tuple(TaskId(0, p) for p in range(3))
    clients = tuple(
        TaskClient(
            process_id(2 * number),
            1,
            lags=tuple((task, 0) for task in tasks),
            tags=(*((("host", hosts[number]),) if hosts else ()), ("zone", zone)),
        )
        for number, zone in enumerate(zones)
    )
    request = TaskRequest(clients, tasks, tasks, 2, acceptable_recovery_lag=100, rack_aware_tags=("zone",))
    given = StreamsHighAvailability().assign(request).processes
    assert [len(given[c.process_id].active) + len(given[c.process_id].standby) for c in clients] == counts


def test_evening_out_moves_copies_among_processes_with_the_same_tags_alone():
    clients = tuple(
        TaskClient(
            process_id(2 * number),
            threads,
            lags=tuple((TaskId(0, p), 0) for p in range(6)),
            tags=(("zone", zone),),
        )
        for number, (zone, threads) in enumerate((("a", 3), ("a", 3), ("b", 1)))
    )
    tasks = tuple(TaskId(0, p) for p in range(6))
    for keys, spread in ((("zone",), True), ((), False)):
        given = StreamsHighAvailability().assign(
            TaskRequest(clients, tasks, tasks, 1, acceptable_recovery_lag=100, rack_aware_tags=keys)
        )
        on_b = set(given.processes[process_id(4)].standby)
        runs_on_a = {task for number in (0, 2) for task in given.processes[process_id(number)].active}
        assert (runs_on_a == on_b) == spread
