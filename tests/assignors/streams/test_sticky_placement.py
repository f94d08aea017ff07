"""What the sticky rules of Kafka Streams share: quotas, the order of sets, pairs of tasks that met."""

import pytest

from kassay.assignors.streams.state import ProcessState
from kassay.assignors.streams.sticky_placement import ProcessPlacement
from kassay.model.streams.tasks import TaskClient, TaskId, TaskRequest, process_id

TASKS = tuple(TaskId(0, p) for p in range(7))


def placement(*threads: int) -> ProcessPlacement:
    clients = tuple(TaskClient(process_id(i), count) for i, count in enumerate(threads))
    return ProcessPlacement(TaskRequest(clients, TASKS, TASKS, standby_replicas=1))


@pytest.mark.parametrize(("threads", "shares"), [((1, 1), [3, 3]), ((2, 1), [4, 2]), ((8, 1), [0, 0])])
def test_what_stays_is_a_share_of_each_thread_rounded_down(threads, shares):
    placed = placement(*threads)
    assert [placed.kept_at_most(state) for state in placed.states.values()] == shares


def test_a_set_of_processes_is_gone_through_as_it_is_given():
    placed = placement(1, 1, 1)
    states = list(placed.states.values())[::-1]
    assert placed.as_set(states) == states
    assert all(type(state) is ProcessState for state in states)


def test_every_task_runs_once_and_its_copy_is_elsewhere():
    placed = placement(1, 2, 1)
    placed.place_active()
    placed.place_standbys()
    for task in TASKS:
        assert sum(task in state.active for state in placed.states.values()) == 1
        assert sum(task in state.standby for state in placed.states.values()) == 1
        assert not any({task} <= state.active & state.standby for state in placed.states.values())
