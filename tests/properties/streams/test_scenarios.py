from hypothesis import given
from hypothesis import strategies as st

from kassay.model.streams.history import asking, play_tasks
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskRequest, process_id
from kassay.properties.sources import Drawn, Seeded
from kassay.properties.streams.scenarios import SMALL, task_history


class Nothing:
    name = "nothing"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        return TaskAssignment({client.process_id: ClientTasks() for client in request.clients})


def test_a_seed_gives_the_same_history_again_and_others_give_others():
    assert task_history(Seeded(7)) == task_history(Seeded(7))
    assert len({task_history(Seeded(seed)) for seed in range(50)}) > 45


@given(st.data())
def test_hypothesis_drives_the_same_generator(data: st.DataObject):
    history = task_history(Drawn(data.draw))
    assert 1 <= len(history.processes) <= SMALL.processes
    steps = list(play_tasks(history, asking(Nothing)))
    assert len(steps) == len(history.changes) + 1
    assert all(step.request.clients for step in steps)


def test_process_ids_are_different_and_sort_differently_in_java():
    ids = [process_id(number) for number in range(SMALL.processes + 1)]
    assert len(set(ids)) == len(ids)
    assert any(name.startswith("8") for name in ids)
