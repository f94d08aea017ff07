import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.streams.tasks import (
    TaskClient,
    TaskId,
    TaskRequest,
    process_hash_order,
    process_key,
    task_hash_order,
)

A = "00000000-0000-4000-8000-000000000000"
B = "80000000-0000-4000-8000-000000000000"


@given(st.builds(TaskId, st.integers(0, 99), st.integers(0, 999)))
def test_a_task_id_reads_back(task: TaskId):
    assert TaskId.parse(str(task)) == task


@pytest.mark.parametrize("text", ["", "1", "1_", "_1", "a_1", "1_-1", "1_2_3"])
def test_anything_else_is_no_task_id(text: str):
    with pytest.raises(InputError, match="expected SUBTOPOLOGY_PARTITION"):
        TaskId.parse(text)


def test_process_ids_compare_as_signed_halves():
    assert process_key(B) < process_key(A)
    with pytest.raises(InputError, match="expected a UUID"):
        process_key("c1")


def test_hash_orders_are_javas():
    # Subtopology 1, partition 0 falls into the bucket of subtopology 0, partition 31.
    assert task_hash_order([TaskId(0, 0), TaskId(0, 1), TaskId(1, 0)]) == [
        TaskId(1, 0),
        TaskId(0, 1),
        TaskId(0, 0),
    ]
    assert task_hash_order([TaskId(0, 31), TaskId(1, 0)]) == [TaskId(0, 31), TaskId(1, 0)]
    assert task_hash_order([TaskId(1, 0), TaskId(0, 31)]) == [TaskId(1, 0), TaskId(0, 31)]
    assert sorted(process_hash_order([A, B])) == [A, B]


def test_the_last_process_that_says_so_ran_the_task():
    task = TaskId(0, 0)
    request = TaskRequest((TaskClient(A, 1, (task,)), TaskClient(B, 1, (task,))), (task,), ())
    assert request.previous_owners == {task: B}


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: TaskClient(A, 0), "at least one thread"),
        (lambda: TaskRequest((TaskClient(A, 1), TaskClient(A, 2)), (), ()), "different process ids"),
        (lambda: TaskRequest((), (), (TaskId(0, 1),)), "expected a subset of the tasks, got 0_1"),
    ],
)
def test_impossible_input_is_refused(make, told: str):
    with pytest.raises(InputError, match=told):
        make()
