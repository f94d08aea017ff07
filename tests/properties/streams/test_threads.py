"""Balance of threads, for answers by process and by member."""

from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest, member_id
from kassay.properties.streams.threads import stateful_balanced, threads_balanced

A, B = "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000002"
S0, S1, S2, N0 = TaskId(0, 0), TaskId(0, 1), TaskId(0, 2), TaskId(1, 0)


def step(answer: TaskAssignment, threads: tuple[int, int] = (1, 1), standbys: int = 0) -> TaskStep:
    clients = TaskClient(A, threads[0]), TaskClient(B, threads[1])
    return TaskStep(TaskRequest(clients, (S0, S1, S2, N0), (S0, S1, S2), standbys), answer, at_rest=True)


def by_process(a: ClientTasks, b: ClientTasks) -> TaskAssignment:
    return TaskAssignment({A: a, B: b})


def by_member(*threads: ClientTasks) -> TaskAssignment:
    """Two threads of A and one of B."""
    one, two, other = threads
    both = ClientTasks((*one.active, *two.active), (*one.standby, *two.standby))
    members = {member_id(A, 0, 0): one, member_id(A, 0, 1): two, member_id(B, 0, 0): other}
    return TaskAssignment({A: both, B: other}, members=members)


def broken(claim, *arguments, **settings) -> list[str]:
    return [evidence.subject for evidence in claim(step(*arguments, **settings))]


def test_tasks_with_state_are_counted_apart_from_the_others():
    answer = by_process(ClientTasks((S0, S1)), ClientTasks((S2, N0)))
    assert broken(stateful_balanced, answer) == []
    answer = by_process(ClientTasks((S0, S1, S2)), ClientTasks((N0,)))
    assert broken(stateful_balanced, answer) == [A]


def test_a_process_with_more_threads_may_have_more():
    answer = by_process(ClientTasks((S0, S1, S2)), ClientTasks((N0,)))
    assert broken(threads_balanced, answer) == [A]
    assert broken(threads_balanced, answer, threads=(2, 1)) == []


def test_threads_are_judged_where_the_answer_tells_them_apart():
    answer = by_member(ClientTasks((S0, S1)), ClientTasks(), ClientTasks((S2, N0)))
    assert broken(threads_balanced, answer, threads=(2, 1)) == [member_id(A, 0, 0), member_id(B, 0, 0)]
    even = by_member(ClientTasks((S0, S1)), ClientTasks((S2,)), ClientTasks((N0,)))
    assert broken(threads_balanced, even, threads=(2, 1)) == []
    assert broken(stateful_balanced, even, threads=(2, 1)) == [member_id(A, 0, 0)]


def test_a_task_that_the_other_process_has_a_copy_of_is_not_free_to_go():
    answer = by_member(ClientTasks((S0,), (S2,)), ClientTasks((S1,)), ClientTasks((S2, N0), (S0, S1)))
    assert broken(threads_balanced, answer, threads=(2, 1)) == [member_id(B, 0, 0)] * 2
    held = by_member(ClientTasks((S0, N0), (S2,)), ClientTasks((S1,), ()), ClientTasks((S2,), (S0, S1)))
    assert broken(threads_balanced, held, threads=(2, 1)) == [member_id(A, 0, 0)]
