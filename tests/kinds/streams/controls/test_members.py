"""The optimum by member and its controls: as many tasks for each, two of them without their state."""

from dataclasses import replace

from kassay.assignors.streams.optimal import OptimalStreams
from kassay.kinds.streams.controls.members import SwapsCopies, SwapsWhatWasLost
from kassay.kinds.streams.oracle import best_of_standbys
from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import CHANGELOG, TaskClient, TaskId, TaskRequest, member_id, process_id
from kassay.properties.streams.copies import sticky_standbys
from kassay.properties.streams.stickiness import spent

A, B, C, D = (process_id(2 * number) for number in range(4))
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
    good, bad = OptimalStreams().assign(REQUEST), SwapsWhatWasLost().assign(REQUEST)
    assert [good.processes[p] for p in (A, B)] == [((S0,), (S1,)), ((S1,), (S0,))]
    assert [bad.processes[p] for p in (A, B)] == [((S1,), (S0,)), ((S0,), (S1,))]
    for answer, cost in ((good, 0), (bad, 6)):
        runs = {task: who for who, given in answer.members.items() for task in given.active}
        assert spent(REQUEST, runs) == (cost, 0)
        assert answer.members[member_id(A, 0, 0)] == answer.processes[A]


def test_new_copies_change_places_and_nothing_else():
    clients = (
        TaskClient(A, 1, lags=((S0, 0), (S1, 0))),
        TaskClient(B, 1, lags=((S0, 0), (S1, CHANGELOG))),
        TaskClient(C, 1, lags=((S0, CHANGELOG), (S1, 0))),
        TaskClient(D, 1, lags=((S0, CHANGELOG), (S1, 0))),
    )
    request = TaskRequest(clients, (S0, S1), (S0, S1), 1)
    good, bad = (TaskStep(request, rule().assign(request)) for rule in (OptimalStreams, SwapsCopies))
    best = best_of_standbys(good)
    assert best == best_of_standbys(bad)
    assert list(sticky_standbys(good, best)) == []
    (told,) = sticky_standbys(bad, best)
    assert told.facts["restores"] > told.facts["least"]
    for process in request.by_id:
        assert good.given.processes[process].active == bad.given.processes[process].active
        assert len(good.given.processes[process].standby) == len(bad.given.processes[process].standby)
    had = tuple(replace(c, previous_active=good.given.processes[c.process_id].active) for c in clients)
    held = tuple(replace(c, held=(good.given.processes[c.process_id],)) for c in had)
    again = replace(request, clients=held)
    assert SwapsCopies().assign(again) == OptimalStreams().assign(again)
