"""One application at both levels: processes with threads, and a group whose members the threads are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.streams.events import ProcessJoin, ProcessRestart, ThreadsChange
from kassay.model.streams.group import GroupTask, MemberTasks, Subtopology
from kassay.model.streams.history import TaskChange, TaskHistory, asking, run_tasks
from kassay.model.streams.tasks import (
    CHANGELOG,
    RUNNING,
    ClientTasks,
    GroupTaskAssignor,
    TaskClient,
    TaskId,
    TaskRequest,
    assignment_of,
    member_id,
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


THREADS_A, THREADS_B = "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000002"
T0, T1, T2 = TaskId(0, 0), TaskId(0, 1), TaskId(1, 0)


def request(*clients: TaskClient) -> TaskRequest:
    return TaskRequest(clients, (T0, T1, T2), (T0, T1), standby_replicas=1)


def test_a_group_has_a_member_for_each_thread_and_subtopologies_by_text():
    group = request(TaskClient(THREADS_A, 2), TaskClient(THREADS_B, 1)).group
    assert group.subtopologies == (Subtopology("0", 2, True), Subtopology("1", 1, False))
    assert [(m.member_id, m.process_id) for m in group.members] == [
        (member_id(THREADS_A, 0, 0), THREADS_A),
        (member_id(THREADS_A, 0, 1), THREADS_A),
        (member_id(THREADS_B, 0, 0), THREADS_B),
    ]
    assert group.standby_replicas == 1


def test_each_thread_reports_what_it_holds_and_the_first_what_else_is_on_the_disk():
    lags = ((T0, RUNNING), (T1, 400))
    client = TaskClient(THREADS_A, 2, (T0,), (), lags, held=(ClientTasks(), ClientTasks((T0,))))
    first, second = request(client).group.members
    assert first.offset_of == {GroupTask("0", 1): CHANGELOG - 400}
    assert second.offset_of == {GroupTask("0", 0): CHANGELOG}
    assert second.active == (GroupTask("0", 0),)


def test_a_copy_that_lacks_everything_reports_nothing():
    client = TaskClient(THREADS_A, 1, (), (T1,), ((T0, CHANGELOG), (T1, CHANGELOG)))
    (member,) = request(client).group.members
    assert (member.standby, member.offsets) == ((GroupTask("0", 1),), ())


def test_a_process_whose_members_have_no_entry_is_given_nothing():
    given = {member_id(THREADS_B, 0, 0): MemberTasks((GroupTask("0", 0),))}
    answer = assignment_of(request(TaskClient(THREADS_A, 2), TaskClient(THREADS_B, 1)), given)
    assert answer.processes == {THREADS_A: ClientTasks(), THREADS_B: ClientTasks((T0,))}


def test_a_process_has_what_its_threads_are_given_even_twice():
    tasks = (GroupTask("0", 0),)
    given = {
        member_id(THREADS_A, 0, 0): MemberTasks(tasks),
        member_id(THREADS_A, 0, 1): MemberTasks(tasks),
        "x": MemberTasks(),
    }
    answer = assignment_of(request(TaskClient(THREADS_A, 2)), given)
    assert answer.processes == {THREADS_A: ClientTasks((T0, T0)), "x": ClientTasks()}
    assert answer.members is not None
    assert answer.members[member_id(THREADS_A, 0, 1)] == ClientTasks((T0,))


class LastThread(GroupTaskAssignor):
    """The last member runs everything."""

    name = "last-thread"

    def assign_group(self, group):
        *others, last = group.members
        return {m.member_id: MemberTasks() for m in others} | {last.member_id: MemberTasks(group.tasks)}


def test_a_history_remembers_which_thread_had_what():
    history = TaskHistory(
        (1,), 1, (ProcessJoin(THREADS_A, 2),), (TaskChange(), TaskChange((ThreadsChange(THREADS_A, 1),)))
    )
    run = run_tasks(history, asking(LastThread))
    before = [step.request.group.members for step in run.steps]
    assert [[len(m.active) for m in members] for members in before] == [[0, 0], [0, 1], [0], [1]]
    assert before[2][0].offset_of == {GroupTask("0", 0): CHANGELOG}


def test_threads_of_a_process_that_starts_again_are_other_members_and_the_first_reports_the_disk():
    history = TaskHistory((1,), 1, (ProcessJoin(THREADS_A, 2),), (TaskChange((ProcessRestart(THREADS_A),)),))
    _, step, *_ = run_tasks(history, asking(LastThread)).steps
    first, second = step.request.group.members
    assert (first.member_id, second.member_id) == (member_id(THREADS_A, 1, 0), member_id(THREADS_A, 1, 1))
    assert (first.active, second.active) == ((), ())
    assert (first.offset_of, second.offset_of) == ({GroupTask("0", 0): CHANGELOG}, {})
