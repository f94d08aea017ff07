"""Instances as boards show them: what was asked, answered, and best, each in the form of a trace's step."""

from kassay.kinds.groups.instances import told_group
from kassay.kinds.streams.instances import told_application
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.streams.tasks import ClientTasks, TaskAssignment
from kassay.solver.streams.problem import MemberTaskProblem, ProcessMembers, problem_of, request_of

T = [TopicPartition("t", number) for number in range(3)]


def test_a_group_is_told_with_what_it_may_give_out_and_both_answers_in_order():
    group = Group((Member("a", ("t",)), Member("b", ("t",))), assignable=frozenset(T[:2]))
    told = told_group(
        Cluster((Topic("t", 3),)), group, Assignment({"a": (T[1], T[0]), "b": ()}), {"a": T[:1], "b": T[1:2]}
    )
    (round_,) = told.step["rounds"]
    assert round_["answer"] == {"a": [["t", 0], ["t", 1]], "b": []}
    assert round_["assignable"] == [["t", 0], ["t", 1]]
    assert told.best == {"a": [["t", 0]], "b": [["t", 1]]}


def test_an_application_is_told_by_process_and_its_optimum_of_active_tasks():
    processes = (ProcessMembers("p", ("p-0", "p-1")), ProcessMembers("q", ("q-0",)))
    none = frozenset[int]()
    request = request_of(MemberTaskProblem(processes, 0, none, (None,) * 3, (none,) * 3))
    problem = problem_of(request)
    first, second = (process.id for process in problem.processes)
    tasks = tuple(sorted(request.tasks))
    answer = TaskAssignment({first: ClientTasks(tasks), second: ClientTasks()})
    told = told_application(problem, request, answer, (0, 1, 2))
    assert told.step["answer"][first]["active"] == ["0_0", "0_1", "0_2"]
    assert told.best == {
        first: {"active": ["0_0", "0_1"], "standby": []},
        second: {"active": ["0_2"], "standby": []},
    }
    assert "standby" in told.about
