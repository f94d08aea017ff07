"""The optimum by member and its control: the same tasks for each, two of them without their state."""

from kassay.certify.faulty.members import SettledTasks, SwapsWhatWasLost
from kassay.model.streams.tasks import CHANGELOG, TaskClient, TaskId, TaskRequest, member_id
from kassay.properties.streams.scenarios import process_id
from kassay.properties.streams.stickiness import spent

A, B = process_id(0), process_id(2)
S0, S1 = TaskId(0, 0), TaskId(0, 1)
REQUEST = TaskRequest(
    (
        TaskClient(A, 1, (), (S0,), ((S0, 0), (S1, CHANGELOG))),
        TaskClient(B, 1, (), (S1,), ((S0, CHANGELOG), (S1, 0))),
    ),
    (S0, S1),
    (S0, S1),
    1,
)


def test_what_nobody_runs_goes_where_its_state_is_or_where_it_is_not():
    good, bad = SettledTasks().assign(REQUEST), SwapsWhatWasLost().assign(REQUEST)
    assert [good.processes[p] for p in (A, B)] == [((S0,), (S1,)), ((S1,), (S0,))]
    assert [bad.processes[p] for p in (A, B)] == [((S1,), (S0,)), ((S0,), (S1,))]
    for answer, cost in ((good, 0), (bad, 6)):
        runs = {task: who for who, given in answer.members.items() for task in given.active}
        assert spent(REQUEST, runs) == (cost, 0)
        assert answer.members[member_id(A, 0, 0)] == answer.processes[A]
