"""Faulty task assignors: each has the fault that it is named for."""

from kassay.model.kinds import Kind
from kassay.model.streams.tasks import RUNNING, TaskClient, TaskId, TaskRequest
from kassay.properties.streams.scenarios import process_id
from tests.certify.faulty.caught import alone

CONTROLS = alone(Kind.STREAMS)
A, B = process_id(0), process_id(2)
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


def runs(name):
    (control,) = (each for each in CONTROLS if each.name == name)
    processes = control.new({}).assign(AT_REST).processes
    return {p: sorted(own) for p, (own, _) in processes.items()}


def test_the_fault_is_the_one_that_is_named():
    one, two, three, four = FOUR
    assert runs("stands-by-itself") == {A: [one, two, three], B: [four]}
    assert runs("runs-twice") == {A: [one, two, three, four], B: [four]}
    assert runs("forgets-task") == {A: [one, two, three], B: []}
    assert runs("leaves-all-to-one") == {A: [one, two, three, four], B: []}
    assert runs("ignores-threads") == {A: [one, three], B: [two, four]}
    assert runs("hands-round") == {A: [four], B: [one, two, three]}


def test_copies_stand_by_where_the_task_runs():
    (control,) = (each for each in CONTROLS if each.name == "stands-by-itself")
    for own, copies in control.new({}).assign(AT_REST).processes.values():
        assert copies == own
