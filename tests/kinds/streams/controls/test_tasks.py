"""Faulty task assignors: each has the fault that it is named for."""

from dataclasses import replace

from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import RUNNING, TaskClient, TaskId, TaskRequest, process_id
from tests.kinds.caught import alone

CONTROLS = alone(STREAMS)
A, B = process_id(0), process_id(2)
FIFTH = TaskId(0, 4)
FOUR = tuple(TaskId(0, partition) for partition in range(4))
AT_REST = TaskRequest(
    (
        TaskClient(A, 3, FOUR[:3], lags=tuple((task, RUNNING if task in FOUR[:3] else 9) for task in FOUR)),
        TaskClient(B, 1, FOUR[3:], lags=tuple((task, 9 if task in FOUR[:3] else RUNNING) for task in FOUR)),
    ),
    FOUR,
    FOUR,
    0,
    100,
    2,
)


def runs(name, request=AT_REST):
    (control,) = (each for each in CONTROLS if each.name == name)
    processes = control.new({}).assign(request).processes
    return {p: sorted(own) for p, (own, _) in processes.items()}


def test_the_fault_is_the_one_that_is_named():
    one, two, three, four = FOUR
    assert runs("runs-twice") == {A: [one, two, three, four], B: [four]}
    five = replace(AT_REST, tasks=(*FOUR, FIFTH), stateful=(), standby_replicas=0)
    assert runs("ignores-threads", five) == {A: [two, three, four], B: [one, FIFTH]}
    assert runs("hands-round") == {A: [four], B: [one, two, three]}


def test_what_has_no_state_is_forgotten_or_left_to_the_first():
    request = replace(AT_REST, stateful=FOUR[:2])
    assert sorted(task for own in runs("forgets-task", request).values() for task in own) == list(FOUR[:3])
    assert set(FOUR[2:]) < set(runs("leaves-more-to-one", request)[A])
