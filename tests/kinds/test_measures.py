"""Each kind's outcomes beside the best of all that could have been answered.

Instances as boards show them: what was asked, answered, and best, each in the form of a trace's step.
"""

from itertools import product

import pytest

from kassay.assignors.connect.eager import ConnectEager
from kassay.assignors.streams.sticky import StreamsSticky
from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.groups.measures import told_group
from kassay.kinds.registry import driver_for
from kassay.kinds.streams.measures import told_application
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.connect.history import ConnectHistory
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.player import asking, run_connect
from kassay.model.connect.work import ConnectAssignment, WorkerChange, connectors_in, tasks_in, work_key
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.model.kinds import every_kind
from kassay.model.streams.events import ProcessJoin
from kassay.model.streams.history import TaskHistory, run_tasks
from kassay.model.streams.history import asking as asking_tasks
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, process_id
from kassay.properties.connect.work import running_after
from kassay.solver.streams.problem import MemberTaskProblem, ProcessMembers, problem_of, request_of


def test_what_has_an_optimum_by_history_is_measured():
    assert {kind for kind in every_kind() if driver_for(kind).measured} == {
        CLIENT,
        SERVER,
        SHARE,
        STREAMS,
        CONNECT,
    }


def played(spec, histories):
    """What the target was played at, and what was seen of it."""
    target = resolve(spec)
    everything = []
    with open_bench(Job(target, RunOptions(controls=False, shrink=False))) as bench:
        for index in range(histories):
            bench.look(index, everything.append)
    return [(each, driver_for(target.kind).rest(each)) for each in everything]


def even(loads):
    return max(loads) - min(loads) <= 1


def fewest_away(before, configured):
    """By trial of everybody for everything: the fewest that leave whoever ran them, in an even assignment."""
    best = None
    workers = sorted(before)
    for owners in product(workers, repeat=len(configured)):
        given = {
            w: {each for each, owner in zip(configured, owners, strict=True) if owner == w} for w in workers
        }
        if all(even([len(kind(own)) for own in given.values()]) for kind in (connectors_in, tasks_in)):
            away = sum(len(own - given[w]) for w, own in before.items())
            best = away if best is None else min(best, away)
    return best


@pytest.mark.slow_cases("connect-incremental")
@pytest.mark.parametrize("spec", ["connect-incremental", "connect-eager"])
def test_the_least_that_must_leave_a_connect_worker_is_that_of_all_even_assignments(spec):
    tried = 0
    for run, seen in played(spec, 150):
        last = run.steps[-1]
        configured = sorted(last.request.configured, key=str)
        workers = running_after(last)
        if seen is None or not any(seen.measures) or len(workers) ** len(configured) > 3000:
            continue
        ran = running_after(run.steps[run.played - 2]) if run.played > 1 else {}
        before = {w: set(ran.get(w, ())) & set(configured) for w in workers}
        for measure in seen.measures:
            tried += 1
            assert measure.moved == sum(len(own - set(workers[w])) for w, own in before.items())
            assert measure.moved_least == fewest_away(before, configured)
            assert measure.balance == 0
            assert measure.movement == measure.moved - measure.moved_least >= 0
    assert tried > 30


def test_an_even_share_group_takes_back_at_least_what_it_must():
    answered = [seen for _, seen in played("share-simple", 100) if seen is not None]
    judged = [measure for seen in answered for measure in seen.measures if measure is not None]
    assert len(judged) > 150
    assert all(m.movement is None or m.movement == m.moved - m.moved_least >= 0 for m in judged)
    assert {m.movement is None for m in judged} >= {False}
    assert max(m.moved for m in judged) > 0


@pytest.mark.parametrize("spec", ["streams-sticky", "streams-high-availability", "streams-group-sticky"])
def test_tasks_that_are_even_by_thread_cost_at_least_what_they_must(spec):
    answered = [seen for _, seen in played(spec, 60) if seen is not None]
    judged = [measure for seen in answered for measure in seen.measures if measure is not None]
    assert len(judged) > 50
    assert all(m.balance >= 0 and m.spread >= 0 for m in judged)
    assert all(m.movement == m.moved - m.moved_least >= 0 for m in judged if m.balance == 0)
    assert all(m.movement is None for m in judged if m.balance)
    assert sum(m.moved_least for m in judged) > 0


class ToOneProcess(StreamsSticky):
    """All tasks run where the first process is."""

    def assign(self, request):
        processes = dict.fromkeys((client.process_id for client in request.clients), ClientTasks())
        return TaskAssignment({**processes, min(processes): ClientTasks(tuple(sorted(request.tasks)))})


def test_an_uneven_application_is_as_uneven_as_the_squares_of_its_threads_say():
    processes = tuple(ProcessJoin(process_id(number), threads=2) for number in (1, 2))
    history = TaskHistory(processes=processes, partitions=(6,), stateful=1)
    (measure,) = driver_for(STREAMS).rest(run_tasks(history, asking_tasks(ToOneProcess))).measures
    # 3 3 0 0 where 1 1 2 2 could be, with state and in all.
    assert (measure.members, measure.units, measure.balance, measure.spread) == (4, 6, 2 * (18 - 10), 2)
    assert measure.movement is None


class AllToTheFirst(ConnectEager):
    """Everything runs on one worker."""

    def assign(self, request):
        work = tuple(sorted(request.configured, key=work_key))
        first, *others = sorted(worker.worker_id for worker in request.workers)
        return ConnectAssignment({first: WorkerChange(work), **dict.fromkeys(others, WorkerChange())})


def test_an_uneven_connect_cluster_is_as_uneven_as_its_squares_say():
    history = ConnectHistory(("x", "y"), (("a", 3), ("b", 2)), 1000, ())
    (measure,) = driver_for(CONNECT).rest(run_connect(history, asking(AllToTheFirst), eager=True)).measures
    assert (measure.members, measure.units, measure.balance, measure.spread) == (2, 7, 2 + 12, 4)
    assert measure.movement is None


def test_what_runs_on_two_workers_is_no_outcome():
    class Twice(ConnectEager):
        def assign(self, request):
            work = tuple(sorted(request.configured, key=work_key))
            return ConnectAssignment({w.worker_id: WorkerChange(work) for w in request.workers})

    history = ConnectHistory(("x", "y"), (("a", 1),), 1000, ())
    assert driver_for(CONNECT).rest(run_connect(history, asking(Twice), eager=True)).measures == [None]


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
