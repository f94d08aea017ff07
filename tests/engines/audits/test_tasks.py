"""A recorded target of a Streams group: what is asked of it, its figures, and when it can be a trace."""

from kassay.engines.audits.tasks import TaskTarget, task_claims, task_judgement
from kassay.engines.audits.values import LogMoment
from kassay.model.streams.tasks import RUNNING, ClientTasks, TaskClient, TaskId, TaskRequest, member_id
from kassay.reading.kafka.lines import Place

P = "00000000-0000-4000-8000-000000000001"
Q = "00000000-0000-4000-8000-000000000002"
MOMENT = LogMoment(Place("f", 1), 1, 1)


def tasks(*ids):
    return tuple(map(TaskId.parse, ids))


def judged(given, request, *, at_rest=False, copies_known=True):
    threads = {member_id(process, 0, 0): given[process] for process in given}
    members = {name: f"thread-{number}" for number, name in enumerate(threads)}
    target = TaskTarget(request, threads, members)
    return task_judgement(target, 3, MOMENT, owners_known=True, copies_known=copies_known, at_rest=at_rest)


def request(first=("0_0", "0_1"), second=("0_2", "0_3"), *, sub=0, process=P):
    every = tuple(TaskId(sub, n) for n in range(4))

    def client(who, active):
        held = tuple(TaskId(sub, TaskId.parse(each).partition) for each in active)
        return TaskClient(who, 1, held, (), tuple((t, RUNNING) for t in held), (ClientTasks(held),))

    return TaskRequest((client(process, first), client(Q, second)), every, every)


def test_claims_of_copies_are_asked_where_it_is_known_how_many():
    with_copies = {each.kind.id for each in task_claims(copies_known=True)}
    without = {each.kind.id for each in task_claims(copies_known=False)}
    assert with_copies - without == {"standby-disjoint", "standby-count"}
    assert {"exists", "single-owner", "complete", "task-errors"} <= without
    assert {"deterministic", "stable", "converges", "fixed-point"}.isdisjoint(with_copies)


def test_moves_are_counted_by_thread_beside_the_certified_least():
    same = judged({P: ClientTasks(tasks("0_0", "0_1")), Q: ClientTasks(tasks("0_2", "0_3"))}, request())
    swapped = judged({P: ClientTasks(tasks("0_2", "0_3")), Q: ClientTasks(tasks("0_0", "0_1"))}, request())
    assert (same.measured.moved, same.measured.least, same.measured.needless) == (0, 0, 0)
    assert (swapped.measured.moved, swapped.measured.least, swapped.measured.needless) == (4, 0, 4)


def test_balance_is_a_figure_and_at_rest_a_finding():
    uneven = {P: ClientTasks(tasks("0_0", "0_1", "0_2", "0_3")), Q: ClientTasks()}
    before, after = judged(uneven, request()), judged(uneven, request(), at_rest=True)
    assert before.findings == () and (before.measured.spread, before.measured.best_spread) == (4, 0)
    assert {each.claim for each in after.findings} == {"stateful-balanced", "threads-balanced"}
    assert "thread-0" in after.findings[0].message


def test_a_finding_is_a_trace_where_a_history_can_say_it():
    lost = {P: ClientTasks(tasks("0_0")), Q: ClientTasks(tasks("0_2", "0_3"))}
    (finding,) = judged(lost, request()).findings
    assert finding.trace.claim == "complete" and finding.trace.narration[0]["processes"][0]["id"] == P
    others = {P: ClientTasks(tasks("1_0")), Q: ClientTasks(tasks("1_2", "1_3"))}
    (finding,) = judged(others, request(sub=1)).findings
    assert finding.trace is None
    named = {"app": ClientTasks(tasks("0_0")), Q: ClientTasks(tasks("0_2", "0_3"))}
    (finding,) = judged(named, request(process="app")).findings
    assert finding.trace is None
